// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "buffers/buffer.h"
#include "graph/graph.h"
#include "process/progress.h"
#include "spec/spec.h"

namespace sparkgap::triangles {

struct Params {};

struct Result {
  Buffer<int64_t> count;  ///< by row of the graph
};

/// The number of triangles through each vertex.
///
/// Equation   count(v) = |{{u, w} : u, v, w distinct, each two of them joined by an edge}|; direction, duplicates and
///            self-loops are ignored
/// Source     Schank, Wagner 2005, Finding, Counting and Listing All Triangles in Large Graphs, algorithm forward;
///            differs in counting with bitmaps where rows are dense; Apache Spark GraphX and GraphFrames triangleCount
/// Input      graph: CSR of incoming arcs, dealt over ranks by vertex; duplicates and self-loops may be there, weights
///            are not looked at
/// Output     count: int64[rows]; sum over all ranks = 3 * number of triangles
/// Params     none
/// Cost       time O(arcs^1.5) at most; memory: count_triads (triads.h), about 20 bytes per arc and 12 per vertex of
///            all ranks beside the graph; messages: 8 bytes per arc, 4 (P - 1) / P bytes per edge to each of P ranks,
///            8 per vertex of all ranks to each, 4 per ghost
/// Parallel   collective over comm; all threads; same result for any np x threads: bitwise
/// Errors     none of its own
[[nodiscard]] Result run(const Graph& graph, const Params& params, Comm& comm, const Progress& progress);

/// Name, inputs, parameters with their defaults, output.
extern const Spec kSpec;

}  // namespace sparkgap::triangles
