// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "buffers/buffer.h"
#include "mpi/comm.h"

namespace sparkgap {

/// A partition of the vertices 0 .. n-1 as trees, which grows coarser: each vertex points to a smaller one of its set
/// or, the smallest, to itself. So the outcome does not depend on the order in which sets were joined.
///
/// Cost       4 bytes per vertex; merge() takes 4 more and sends 4 per vertex and rank in each of log2(ranks) rounds
class Forest {
 public:
  /// Every vertex a set of its own.
  explicit Forest(int64_t vertices);

  int64_t size() const { return static_cast<int64_t>(parent_.size()); }
  /// The smallest vertex of the set, where compress() came after the last join(). While others join: some vertex of the
  /// set.
  uint32_t root(uint32_t vertex) const;
  /// root() of every vertex, where compress() came after the last join().
  std::span<const uint32_t> roots() const { return parent_.span(); }
  /// Makes the sets of two vertices one. From any thread at any time, without a lock.
  void join(uint32_t a, uint32_t b);
  /// Points every vertex to the smallest of its set. All threads.
  void compress();
  /// Joins what the forests of all ranks join; they are compressed before and after. Collective.
  void merge(Comm& comm);
  /// The root of the largest set, judged by a sample: the same for equal forests. Needs a vertex.
  uint32_t root_of_largest() const;

 private:
  Buffer<uint32_t> parent_;
};

}  // namespace sparkgap
