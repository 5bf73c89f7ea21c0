// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparkgap {

/// A random number that depends on a seed and on the names of its use only, a draw and a row for example:
/// the same whatever rank or thread asks, in any order. (SplitMix64's mixing, once per name.)
inline uint64_t counter_hash(uint64_t seed, uint64_t a, uint64_t b = 0, uint64_t c = 0) {
  for (const uint64_t name : {a, b, c}) {
    seed += 0x9e3779b97f4a7c15 + name;
    seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9;
    seed = (seed ^ (seed >> 27)) * 0x94d049bb133111eb;
    seed ^= seed >> 31;
  }
  return seed;
}

/// The same as a number in [0, 1).
inline double counter_uniform(uint64_t seed, uint64_t a, uint64_t b = 0, uint64_t c = 0) {
  return static_cast<double>(counter_hash(seed, a, b, c) >> 11) * 0x1p-53;
}

}  // namespace sparkgap
