// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>

#include "buffers/buffer.h"
#include "graph/graph.h"
#include "process/progress.h"
#include "spec/spec.h"

namespace sparkgap::bfs {

struct Params {
  std::string source;  ///< id as text
};

constexpr int64_t kUnreachable = std::numeric_limits<int64_t>::max();

struct Result {
  Buffer<int64_t> level;    ///< by row of the graph; kUnreachable where no path leads
  Buffer<uint8_t> reached;  ///< by row: 0 where level is kUnreachable, else 1
  int64_t levels = 0;       ///< level of the farthest vertex that is reached
};

/// The least number of edges on a path from one vertex to each vertex, edges taken in their direction (breadth-first
/// search).
///
/// Equation   level(source) = 0; level(v) = 1 + min over edges (u, v) of level(u); none where no path leads to v
/// Source     Beamer, Asanovic, Patterson 2012, Direction-Optimizing Breadth-First Search, section IV (alpha = 15, beta
///            = 18); LDBC Graphalytics specification, section "Breadth-first search"; differs from the former in the
///            result, levels and no parents
/// Input      graph: CSR of arcs in both directions, dealt over ranks by vertex; duplicates and self-loops do no harm
/// Output     level: int64[rows], >= 0, or kUnreachable
/// Params     source: id of a vertex
/// Cost       time O(arcs) at most, usually a fraction of them; memory 8 (without direction 4) bytes per arc + 9 per
///            vertex + 1/4 per place (rows and ghosts of a rank, ghosts.h); messages per level: one bit for each ghost
///            from its owner, or 4 bytes for each that this rank sees first, and two numbers
/// Parallel   collective over comm; all threads; same result for any np x threads: bitwise
/// Errors     kData: the source is no vertex
[[nodiscard]] Result run(const Graph& graph, const Params& params, Comm& comm, const Progress& progress);

/// Name, inputs, parameters with their defaults, output.
extern const Spec kSpec;

}  // namespace sparkgap::bfs
