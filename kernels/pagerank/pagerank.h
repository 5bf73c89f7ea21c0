// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "buffers/buffer.h"
#include "graph/graph.h"
#include "process/progress.h"
#include "spec/spec.h"

namespace sparkgap::pagerank {

enum class Variant { kGraphx, kLdbc };

struct Params {
  bool weighted;  ///< by the graph's weights, which it must have
  double damping;
  int64_t max_iterations;
  std::optional<double> tolerance;
  Variant variant;
  std::optional<std::vector<std::string>> source_ids;  ///< as text; personalised where given
};

struct Result {
  Buffer<double> pagerank;  ///< by row of the graph
  int64_t iterations = 0;
  bool converged = true;        ///< false only where a tolerance was given and not reached
  double residual = 0;          ///< max over v of |r(v) - r_before(v)| in the last iteration, before the final scaling
  std::vector<double> changes;  ///< sum over v of the same, for each of the first 1000 iterations
};

/// How often a random surfer, who follows an edge with probability d and else starts anew, is at each vertex.
///
/// Equation   r(v) = start(v) * (1 - d + d * S) + d * sum over edges (u, v) of r(u) * w(u, v) / W(u), for all v at
///            once, with d = damping, w = weight (1 without), W(u) = sum of w over the edges that leave u. W(u) = 0
///            makes u a sink. graphx: start = 1 and r = 1 at first; S = 0, so what sinks hold is lost; in the end all r
///            are scaled to the sum N. ldbc: start = 1/N and r = 1/N at first, N = number of vertices; S = sum of r
///            over sinks. personalised: start = 1/k at each of the k sources, 0 elsewhere; at first r = 1 at sources
///            (graphx; scaled to the sum 1 in the end), 1/k (ldbc), 0 elsewhere.
/// Source     Page, Brin, Motwani, Winograd 1999, section 2.6; LDBC Graphalytics specification, section "PageRank";
///            Apache Spark GraphX staticPageRank and staticPersonalizedPageRank; differs from the latter in allowing
///            several sources
/// Input      graph: CSR of incoming arcs, dealt over ranks by vertex; duplicates and self-loops count, weights finite
///            and >= 0
/// Output     pagerank: double[rows], >= 0; sum over all ranks = N (graphx), 1 (ldbc, personalised), 0 where all rank
///            was lost
/// Params     damping in [0, 1], default 0.85; max_iterations >= 0, default 20; tolerance > 0, default none;
///            variant graphx or ldbc, default graphx; source_ids: at least one, duplicates count once, default none
/// Cost       time O(iterations * arcs), memory 7 (weights: 23) bytes per arc + 56 per vertex; with several ranks also
///            28 for each vertex of another rank that this rank's arcs name; messages per iteration: 8
///            bytes for each of these, and one small gather
/// Parallel   collective over comm; all threads; same result for any number of threads: bitwise; for any np within
///            1e-12
/// Errors     kArguments: no source id; kData: a source id that is no vertex; no convergence is no error: read
///            converged, iterations, residual
[[nodiscard]] Result run(const Graph& graph, const Params& params, Comm& comm, const Progress& progress);

/// Name, inputs, parameters with their defaults, output.
extern const Spec kSpec;

}  // namespace sparkgap::pagerank
