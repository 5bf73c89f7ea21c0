// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "buffers/buffer.h"
#include "graph/graph.h"
#include "process/progress.h"
#include "spec/spec.h"

namespace sparkgap::lcc {

struct Params {};

struct Result {
  Buffer<double> lcc;  ///< by row of the graph
};

/// The local clustering coefficient: the share of possible edges between a vertex's neighbours that exist.
///
/// Equation   lcc(v) = |{edges (u, w) : u, w in N(v)}| / (d * (d - 1)), N(v) = vertices other than v with an edge to or
///            from v, each once, d = |N(v)|; 0 where d < 2. A pair with edges in both directions counts 2; undirected:
///            every pair does. Duplicates and self-loops are ignored
/// Source     LDBC Graphalytics specification, section "Local Clustering Coefficient"; Watts, Strogatz 1998
/// Input      graph: CSR of incoming arcs, dealt over ranks by vertex; may have duplicates and self-loops; weights are
///            ignored
/// Output     lcc: double[rows], in [0, 1]
/// Params     none
/// Cost       time O(arcs^1.5) at most; memory: count_triads (triads.h), at most about 21 bytes per arc and 12 per
///            vertex of all ranks besides the graph; messages: 8 bytes per arc, 5 per edge to each rank, 16 per vertex
///            of all ranks to each, 4 per ghost
/// Parallel   collective over comm; all threads; same result for any np x threads: bitwise, integers divided once
/// Errors     none of its own
[[nodiscard]] Result run(const Graph& graph, const Params& params, Comm& comm, const Progress& progress);

/// Name, inputs, parameters with their defaults, output.
extern const Spec kSpec;

}  // namespace sparkgap::lcc
