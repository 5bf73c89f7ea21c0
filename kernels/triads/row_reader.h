// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace sparkgap {

/// label * 2, plus 1 where the arc goes from the lower label to the higher
using ArcKey = uint64_t;

/// Sorts the keys of one row and writes each label once, with whether there are arcs in both directions where `mutual`
/// is not null. Returns how many.
int64_t write_row(std::span<ArcKey> keys, uint32_t* ends, uint8_t* mutual);

/// Whether this rank has the arcs of its vertices in both directions, as RowReader wants them.
inline bool has_both_directions(const Graph& graph) { return !graph.directed || !graph.out.empty(); }

/// Reads the rows of this rank's vertices, one at a time, from the arcs of both directions. One per thread.
class RowReader {
 public:
  /// `label` is by place.
  RowReader(const Graph& graph, std::span<const uint32_t> label, bool mutual)
      : graph_(graph), label_(label), is_mutual_(mutual) {}
  /// How many arcs lead to lower labels, with duplicates.
  int64_t count(int64_t vertex) const;
  /// The row of a vertex, until the next call.
  void read(int64_t vertex);
  std::span<const uint32_t> ends() const { return {ends_.data(), length_}; }
  std::span<const uint8_t> mutual() const { return {mutual_.data(), is_mutual_ ? length_ : 0}; }

 private:
  uint32_t label_of(int64_t vertex) const { return label_[graph_.ghosts.place(vertex)]; }

  const Graph& graph_;
  std::span<const uint32_t> label_;
  const bool is_mutual_;
  std::vector<ArcKey> keys_;
  std::vector<uint32_t> ends_;
  std::vector<uint8_t> mutual_;
  size_t length_ = 0;
};

}  // namespace sparkgap
