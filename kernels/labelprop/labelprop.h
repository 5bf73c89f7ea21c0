// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "graph/graph.h"
#include "process/progress.h"
#include "spec/spec.h"

namespace sparkgap::labelprop {

struct Params {
  int64_t max_iterations;
};

struct Result {
  VertexIds label;                                ///< by row of the graph
  std::vector<std::shared_ptr<const void>> keep;  ///< what it lies in, beside the graph
  int64_t iterations = 0;                         ///< that were done, the one that changed nothing among them
  bool converged = false;                         ///< an iteration changed nothing, so more of them would not either
  double residual = 0;                            ///< share of the vertices that the last iteration changed
};

/// Communities: every vertex takes the label that most of its neighbours have, all at the same time, again and again.
///
/// Equation   L(v) = v at first; then, for all v at once, L(v) = the label that occurs most often in the list of L(u)
///            over all edges (u, v) and all edges (v, u), of equally frequent ones the smallest: integers by value,
///            strings by bytes. An edge in both directions counts twice, so do duplicates; a self-loop counts twice for
///            its vertex. Without direction each row counts once at each end. A vertex without edges keeps its label.
/// Source     Raghavan, Albert, Kumara 2007, "Near linear time algorithm to detect community structures"; differs in
///            being synchronous and in the tie rule; LDBC Graphalytics specification, section "Community Detection
///            using Label Propagation"; Apache Spark GraphX LabelPropagation.run, which leaves ties to the order of a
///            hash map
/// Input      graph: both directions, dealt over ranks by vertex; duplicates and self-loops count
/// Output     label: id[rows], each the id of a vertex
/// Params     max_iterations >= 0, default 10
/// Cost       time O(iterations * arcs), later iterations only the arcs of vertices with a neighbour that changed, or
///            does not just swing; with up to three ranks memory 26 bytes per vertex, 21 per vertex of all ranks
///            (strings 33 and their characters), 8 per vertex of all ranks and thread; with more 60 per vertex, 9 (17
///            where numbers take 64 bits) per place (rows and ghosts of a rank, ghosts.h), and for each thread 32 times
///            the most arcs of a vertex; messages per iteration: 4 bytes for each ghost, or 8 where it changed, and 4
///            where it is to be computed anew
/// Parallel   collective over comm; all threads, one row by one of them; same result for any np x threads: bitwise
/// Errors     none; labels may swing for ever, which is no error: read converged, iterations, residual
[[nodiscard]] Result run(const Graph& graph, const Params& params, Comm& comm, const Progress& progress);

/// Name, inputs, parameters with their defaults, output.
extern const Spec kSpec;

}  // namespace sparkgap::labelprop
