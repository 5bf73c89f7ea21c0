// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace sparkgap {

// Numbers in as few bytes as they take (LEB128): seven bits in each, the lowest first; the highest bit says that there
// are more.

inline void put_number(uint64_t number, std::vector<uint8_t>& bytes) {
  for (; number >= 128; number >>= 7) bytes.push_back(static_cast<uint8_t>(number | 128));
  bytes.push_back(static_cast<uint8_t>(number));
}

/// Moves `at` behind the number.
inline uint64_t take_number(const uint8_t*& at) {
  uint64_t number = *at & 127;
  for (int shift = 7; *at++ >= 128; shift += 7) number |= static_cast<uint64_t>(*at & 127) << shift;
  return number;
}

}  // namespace sparkgap
