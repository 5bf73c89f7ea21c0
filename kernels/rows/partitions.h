// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace sparkgap {

/// A bijection of 64-bit keys whose every output bit depends on every input bit: ids in any pattern, strided or packed
/// into the high bits, spread evenly.
inline uint64_t mix(int64_t key) {
  uint64_t h = static_cast<uint64_t>(key);
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93u;
  h ^= h >> 32;
  h *= 0xc2b2ae3d27d4eb4fu;
  return h ^ (h >> 31);
}

/// How the work is dealt: every rank owns `per_rank` consecutive partitions of a space (of hashes, or of dense ids),
/// chosen so that the vertices of one fit the cache that a thread has for itself.
struct Partitions {
  int ranks = 1;
  int per_rank = 1;

  /// For that many edges of all ranks: about 64 Ki edges each, 128 Ki beyond 256 partitions, for what a split writes to
  /// must fit the cache, too; fewer where a split would get more than 4096 destinations.
  static Partitions for_edges(int64_t edges_global, int ranks) {
    const int64_t edges = edges_global / ranks, wanted = std::max(std::min<int64_t>(edges >> 16, 256), edges >> 17),
                  most = std::min<int64_t>(std::max<int64_t>(1, 4096 / ranks), 1024);
    return {ranks, static_cast<int>(std::bit_floor(static_cast<uint64_t>(std::clamp<int64_t>(wanted, 1, most))))};
  }
  int total() const { return ranks * per_rank; }
  /// By the high half of the hash; tables inside a partition use the low half.
  int of_hash(uint64_t hash) const { return static_cast<int>(((hash >> 32) * static_cast<uint64_t>(total())) >> 32); }
};

}  // namespace sparkgap
