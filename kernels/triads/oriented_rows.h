// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "buffers/buffer.h"
#include "graph/graph.h"
#include "mpi/comm.h"

namespace sparkgap {

/// The neighbours of some vertices in a simple graph without direction, each edge at one of its ends. Vertices go by
/// label: their place in the order of falling degree (arcs in and out), equals by number. An edge stands at its end
/// with the higher label, which has the smaller degree, so no row has more than about sqrt(2 * arcs) neighbours however
/// large the hubs are. Row i is that of the label first + i * stride: rank r of P has labels r, r + P, r + 2P, ...
struct OrientedRows {
  int64_t rows = 0;
  uint32_t first = 0, stride = 1;
  Buffer<int64_t> starts;  ///< rows + 1
  Buffer<uint32_t> ends;   ///< labels lower than the row's own, strictly rising
  Buffer<uint8_t> mutual;  ///< like ends: 1 where there are arcs in both directions; empty where not asked for

  uint32_t label(int64_t row) const { return first + static_cast<uint32_t>(row) * stride; }
  int64_t degree(int64_t row) const { return starts[static_cast<size_t>(row) + 1] - starts[static_cast<size_t>(row)]; }
  std::span<const uint32_t> of(int64_t row) const {
    return ends.span().subspan(static_cast<size_t>(starts[static_cast<size_t>(row)]), static_cast<size_t>(degree(row)));
  }
  std::span<const uint8_t> mutual_of(int64_t row) const {
    return mutual.span().subspan(static_cast<size_t>(starts[static_cast<size_t>(row)]),
                                 static_cast<size_t>(degree(row)));
  }
  /// How many rows a rank has.
  static int64_t count(int64_t vertices, int ranks, int rank) { return (vertices - rank + ranks - 1) / ranks; }
};

/// Where ranges of rows begin that are met in about equal time, many for each thread; and the number of rows.
[[nodiscard]] std::vector<int64_t> cut_by_work(const OrientedRows& rows);

struct OrientedGraph {
  Buffer<uint32_t> label;  ///< by place
  OrientedRows mine;
};

/// Labels by place. Collective. Throws kData where there are 2^32 - 1 vertices or more.
[[nodiscard]] Buffer<uint32_t> labels_by_degree(const Graph& graph, Comm& comm);

/// Makes a graph simple and orients it. Direction, duplicates and self-loops are ignored.
///
/// Method     one rank with the arcs of both directions (or a graph without direction) takes them vertex by vertex;
///            else the arcs of graph.in are scattered to the rows of their higher labels
/// Cost       2 reads of `in` (or one of `in` and `out`), at the peak 12 (mutual: 13; several ranks: 16) bytes per arc
///            and 8 per vertex beside the graph, and 4 per place; messages: 8 bytes per arc, 4 per ghost and 90 KB
/// Parallel   collective over comm; all threads; the same result for any number of threads
[[nodiscard]] OrientedGraph orient(const Graph& graph, bool mutual, Comm& comm);

}  // namespace sparkgap
