// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "graph/graph.h"
#include "process/progress.h"
#include "spec/spec.h"

namespace sparkgap::scc {

struct Params {};

struct Result {
  VertexIds component;                            ///< by row of the graph
  std::vector<std::shared_ptr<const void>> keep;  ///< what it lies in, beside the graph
};

/// Which vertices reach each other along the edges: strongly connected components.
///
/// Equation   component(v) = the smallest id among all u with a path from v to u and one from u to v; integers by
///            value, strings by bytes
/// Source     Slota, Rajamanickam, Madduri 2014, "BFS and Coloring-Based Parallel Algorithms for Strongly Connected
///            Components and Related Problems" (Multistep: trim, forward-backward search, the rest); Tarjan 1972 for
///            the rest. Differs from the former in that nothing is coloured: what is left goes to one rank, as does a
///            component so deep that ranks would only wait for each other
/// Input      graph: both directions, dealt over ranks by vertex; duplicates and self-loops change nothing. Without
///            direction these are the connected components
/// Output     component: id[rows]; component(component(v)) = component(v)
/// Params     none
/// Cost       time O(vertices + arcs), usually a fraction of the arcs; one thread walks the arcs between the vertices
///            that are left after the largest component and what trimming takes; memory 16 bytes per vertex, 8 (more
///            than one rank: 12) per place (rows and ghosts of a rank, ghosts.h), and on the first rank 44 per vertex
///            and 4 (more than one rank: 8) per arc that are left; strings 16 more per vertex; messages: those of two
///            searches (reach.h), an eighth of a byte per ghost a few times, what is left once, and one id for each
///            component that ranks share
/// Parallel   collective over comm; all threads; same result for any np x threads: bitwise
/// Errors     none
[[nodiscard]] Result run(const Graph& graph, const Params& params, Comm& comm, const Progress& progress);

/// Name, inputs, parameters with their defaults, output.
extern const Spec kSpec;

}  // namespace sparkgap::scc
