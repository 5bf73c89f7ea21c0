// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string_view>

namespace sparkgap {

/// Whether this rank must do with the least memory that its kernel needs (MemoryNeed without `faster`), because its
/// host has no more: who started it says so.
inline bool has_least_memory() {
  const char* said = std::getenv("SPARKGAP_MEMORY");
  return said != nullptr && std::string_view(said) == "least";
}

}  // namespace sparkgap
