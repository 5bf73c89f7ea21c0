// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "process/parallel.h"
#include "triads/oriented_rows.h"
#include "triads/row_reader.h"

// Oriented rows a part of the labels at a time, for graphs that are larger than memory: each part is read from the
// graph when it is wanted. The graph has both directions (has_both_directions), and is read in the order of its files.

namespace sparkgap {

/// body(begin, end) on ranges of this rank's vertices with about equal numbers of arcs, in order, on all threads.
template <typename Body>
void parallel_vertices(const Graph& graph, Body&& body) {
  const auto arcs_before = [&](int64_t vertex) {
    const auto at = static_cast<size_t>(vertex);
    return vertex + graph.in.starts[at] + (graph.directed ? graph.out.starts[at] : 0);
  };
  const int64_t all = arcs_before(graph.rows), ranges = std::clamp<int64_t>(all >> 14, 1, 64 * threads());
  const auto begin_of = [&](int64_t range) {
    int64_t low = 0, high = graph.rows;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (arcs_before(middle) < cut(all, ranges, range)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  parallel_for(ranges, [&](int64_t range) { body(begin_of(range), begin_of(range + 1)); });
}

/// Labels cut into parts: part i is [cuts[i], cuts[i + 1]). Of P ranks, a part has about 1/16 P of the arcs, or 1/4 P
/// of the labels where that is less, so that all ranks together hold as much as one would. One read of the graph.
/// Collective.
[[nodiscard]] std::vector<int64_t> cut_labels(const Graph& graph, std::span<const uint32_t> label, Comm& comm);

/// The rows of the labels [first, last), whole on every rank.
///
/// Cost      two reads of the arcs of their vertices; 13 bytes per arc and 20 per label, of which 4 (mutual: 5) and 8
///           stay; messages: 8 bytes per arc and 12 per label to each rank
/// Parallel  collective over comm; all threads; the same result for any number of ranks and threads
[[nodiscard]] OrientedRows rows_of_labels(const Graph& graph, std::span<const uint32_t> label, int64_t first,
                                          int64_t last, bool mutual, Comm& comm);

}  // namespace sparkgap
