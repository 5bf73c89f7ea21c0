// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

namespace sparkgap {

/// While one of these lives, this rank must do with the least memory.
struct LeastMemory {
  explicit LeastMemory(bool is_here) {
    if (is_here) setenv("SPARKGAP_MEMORY", "least", 1);
  }
  ~LeastMemory() { unsetenv("SPARKGAP_MEMORY"); }
};

}  // namespace sparkgap
