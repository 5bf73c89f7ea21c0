// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "buffers/buffer.h"
#include "graph/graph.h"
#include "process/progress.h"
#include "spec/spec.h"

namespace sparkgap::degree {

struct Params {
  bool directed;
};

/// This rank's vertices, in no order that means anything.
struct Result {
  VertexIds ids;
  Buffer<int64_t> in_degree, out_degree, degree;
  std::vector<std::shared_ptr<const void>> keep;  ///< what the ids lie in
};

/// How many edges enter and leave every vertex.
///
/// Equation   in(v) = |{edges (u, v)}|, out(v) = |{edges (v, u)}|, degree(v) = in(v) + out(v); duplicates and
///            self-loops count; undirected: as if every edge were there in both directions, so degree counts each edge
///            twice
/// Source     definition
/// Input      edges: (source id, destination id)[edges], any rows on any rank, any order; vertices (optional):
///            id[vertices]
/// Output     one row per distinct id of edges and vertices; sum of in = sum of out = number of edges (undirected:
///            twice that)
/// Params     directed, default true
/// Cost       time O(edges + vertices), memory 8 bytes per edge (dense integer ids 4), messages: one all-to-all per end
/// Parallel   collective over comm; all threads; same result for any np x threads: bitwise, up to the order of rows
/// Errors     kData: no rows at all, nulls, mixed kinds of ids
[[nodiscard]] Result run(const GraphTables& tables, const Params& params, Comm& comm, const Progress& progress);

/// The same of a graph that is built already.
[[nodiscard]] Result of_graph(Graph graph);

/// Name, inputs, parameters with their defaults, output.
extern const Spec kSpec;

}  // namespace sparkgap::degree
