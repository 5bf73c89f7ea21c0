// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace sparkgap {

/// A 64-bit key for a string; another seed gives an unrelated key.
using StringHash = uint64_t (*)(std::string_view text, uint64_t seed);

/// Eight bytes per step, each folded in by the high and low half of a 128-bit product.
inline uint64_t hash_string(std::string_view text, uint64_t seed) {
  const auto fold = [](uint64_t a, uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  };
  const char* at = text.data();
  size_t left = text.size();
  // The length is folded in by itself: xored to the first word it would cancel out against a first character that
  // differs by as little, and "3333" and "23333" have one hash for every seed.
  uint64_t h = fold((seed + 1) * 0x9fb21c651e98df25u ^ left, 0xc2b2ae3d27d4eb4fu);
  for (uint64_t word; left >= 8; at += 8, left -= 8) {
    std::memcpy(&word, at, 8);
    h = fold(h ^ word, 0xa24baed4963ee407u);
  }
  uint64_t word = 0;
  if (left >= 4) {  // two reads that overlap cover 4 to 7 bytes
    uint32_t low, high;
    std::memcpy(&low, at, 4);
    std::memcpy(&high, at + left - 4, 4);
    word = low | static_cast<uint64_t>(high) << 32;
  } else {
    for (size_t i = 0; i < left; ++i) word |= static_cast<uint64_t>(static_cast<unsigned char>(at[i])) << (8 * i);
  }
  h = fold(h ^ word, 0x9fb21c651e98df25u);
  return h ^ (h >> 32);
}

}  // namespace sparkgap
