// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <bit>

#include "buffer.h"
#include "comm.h"
#include "graph.h"

namespace sparkgap {

/// A bit for each vertex of all ranks. Each rank sets those of its own vertices; share() tells them to the others.
///
/// Cost       1/8 byte per vertex of all ranks on each; share() sends as much in each of log2(ranks) rounds
class VertexBits {
 public:
  /// None is set.
  explicit VertexBits(int64_t vertices) : words_(static_cast<size_t>(vertices + 63) / 64) {}

  bool has(uint32_t vertex) const { return (word(vertex).load(std::memory_order_relaxed) & bit(vertex)) != 0; }
  /// Sets a bit that other threads may set too; whether it was this call that did.
  bool claim(uint32_t vertex) { return !has(vertex) && (word(vertex).fetch_or(bit(vertex), std::memory_order_relaxed) & bit(vertex)) == 0; }
  /// Takes it back. From any thread.
  void clear(uint32_t vertex) { word(vertex).fetch_and(~bit(vertex), std::memory_order_relaxed); }

  /// Makes each rank's bits of its own vertices everyone's; what a rank had for other vertices is forgotten. Collective.
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
  static uint64_t bit(uint32_t vertex) { return uint64_t{1} << (vertex % 64); }
  std::atomic_ref<uint64_t> word(uint32_t vertex) const { return std::atomic_ref(words_[vertex / 64]); }

  Buffer<uint64_t> words_;
};

}  // namespace sparkgap
