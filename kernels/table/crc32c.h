// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sparkgap {

/// CRC-32C (Castagnoli polynomial 0x1EDC6F41, reflected) of `before` bytes already seen followed by `bytes` more; start
/// with 0.
[[nodiscard]] uint32_t crc32c(uint32_t before, const void* data, size_t bytes);

/// Eight hex digits, as in a manifest.
std::string crc32c_text(uint32_t crc);

}  // namespace sparkgap
