// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "buffers/buffer.h"
#include "graph/graph.h"
#include "process/progress.h"
#include "spec/spec.h"

namespace sparkgap::sssp {

struct Params {
  std::string source;           ///< id as text
  std::optional<double> delta;  ///< width of a bucket
};

struct Result {
  Buffer<double> distance;  ///< by row of the graph; infinity where no path leads
  int64_t buckets = 0;      ///< that were worked off
};

/// The length of the shortest path from one vertex to each vertex, edges taken in their direction (single-source
/// shortest paths).
///
/// Equation   distance(source) = 0; distance(v) = min over edges (u, v) of distance(u) + w(u, v), w = weight (1
///            without), added from the source on in double precision; infinity where no path leads to v
/// Source     Meyer, Sanders 2003, Delta-stepping: a parallelizable shortest path algorithm, section 2; Zhang et al.
///            2020, Optimizing Ordered Graph Algorithms with GraphIt, section 3.3 (bucket fusion); LDBC Graphalytics
///            specification, section "Single-source shortest paths"; differs from the first in treating light and heavy
///            edges alike
/// Input      graph: outgoing arcs (Directions::kOut), dealt over ranks by vertex; duplicates and self-loops do no
///            harm, weights finite and >= 0; weights that the graph has are used
/// Output     distance: double[rows], >= 0
/// Params     source: id of a vertex; delta > 0, default: 1.5 * mean weight / mean degree (1 without weights)
/// Cost       time O(arcs + vertices) about, more where delta is large, and one round per bucket; memory 4 (weights:
///            12) bytes per arc + 16 for each time that a distance falls + 9 per place (rows and ghosts of a rank,
///            ghosts.h); messages per bucket: 12 bytes for each vertex of another rank whose distance falls
///            here, and one number
/// Parallel   collective over comm; all threads; same result for any np x threads and any delta: bitwise, because
///            adding a weight never changes the order of two distances, so the least of all sums along paths is reached
///            in any order
/// Errors     kData: the source is no vertex
[[nodiscard]] Result run(const Graph& graph, const Params& params, Comm& comm, const Progress& progress);

/// Name, inputs, parameters with their defaults, output.
extern const Spec kSpec;

}  // namespace sparkgap::sssp
