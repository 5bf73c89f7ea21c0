// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "buffers/buffer.h"
#include "graph/graph.h"
#include "mpi/comm.h"

namespace sparkgap {

/// A partition of the vertices 0 .. n-1 as trees, which grows coarser: each vertex points to a smaller one of its set
/// or, the smallest, to itself. So the outcome does not depend on the order in which sets were joined.
///
/// Over ranks each has a forest of all vertices, in which it joins what it knows. merge() sends what a rank has joined
/// of another's vertices to that one; then which of the few roots by which ranks know a set are of one, to all.
///
/// Cost       4 bytes per vertex; merge() takes 4 more, and sends 8 for each vertex of another rank that was joined
///            here since the last merge, and 8 for each such name in each of log2(ranks) rounds
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
  /// Joins what the forests of all ranks join: a rank's own vertices then have the smallest of all for their root. They
  /// are compressed before and after. Collective.
  void merge(const Graph& graph, Comm& comm);
  /// The root of the largest set, judged by a sample; the same on all ranks. Needs a vertex, and a merge before.
  /// Collective.
  uint32_t root_of_largest(const Graph& graph, Comm& comm) const;

 private:
  /// Two vertices of one set.
  struct Joined {
    uint32_t vertex, root;
  };
  uint32_t top(uint32_t vertex) const;  ///< where the way up from a vertex ends
  bool was_root(uint32_t vertex) const { return merged_.empty() || merged_[vertex] == vertex; }
  std::vector<uint32_t> joined_of_others(const Graph& graph) const;

  Buffer<uint32_t> parent_;
  Buffer<uint32_t> merged_;      ///< parent_ as the last merge left it; empty before the first
  std::vector<uint32_t> names_;  ///< by which other ranks may know a set of this one; sorted
};

}  // namespace sparkgap
