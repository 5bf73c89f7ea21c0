// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "buffers/buffer.h"
#include "buffers/shared_bits.h"
#include "graph/graph.h"
#include "mpi/comm.h"

namespace sparkgap {

/// A bit for each vertex of all ranks. Each rank sets those of its own vertices; share() tells them to the others.
///
/// Cost       1/8 byte per vertex of all ranks on each; share() sends as much in each of log2(ranks) rounds
class VertexBits {
 public:
  /// None is set.
  explicit VertexBits(int64_t vertices) : words_(words_for(vertices)) {}

  bool has(uint32_t vertex) const { return has_bit(words_.data(), vertex); }
  /// Sets a bit that other threads may set too; whether it was this call that did.
  bool claim(uint32_t vertex) { return claim_bit(words_.data(), vertex); }
  /// Takes it back. From any thread.
  void clear(uint32_t vertex) { clear_bit(words_.data(), vertex); }

  /// Makes each rank's bits of its own vertices everyone's; what a rank had for other vertices is forgotten.
  /// Collective.
  void share(const Graph& graph, Comm& comm) {
    if (comm.size() == 1) return;
    const auto own = [&](int64_t vertex) { return vertex >= graph.first && vertex < graph.first + graph.rows; };
    for (size_t i = 0; i < words_.size(); ++i) {
      const auto begin = static_cast<int64_t>(i * 64);
      if (own(begin) && own(begin + 63)) continue;
      for (uint64_t left = words_[i]; left != 0; left &= left - 1)
        if (!own(begin + std::countr_zero(left))) words_[i] &= ~(left & -left);
    }
    comm.allreduce(words_.span());  // a bit is set on one rank at most, so that sums are unions
  }

  /// How many are set, of all vertices where share() came last.
  int64_t count() const {
    int64_t set = 0;
    for (const uint64_t bits : words_) set += std::popcount(bits);
    return set;
  }
  std::span<const uint64_t> words() const { return words_.span(); }

 private:
  Buffer<uint64_t> words_;
};

}  // namespace sparkgap
