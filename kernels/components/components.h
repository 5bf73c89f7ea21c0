// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "graph/graph.h"
#include "process/progress.h"
#include "spec/spec.h"

namespace sparkgap::components {

struct Params {};

struct Result {
  VertexIds component;                            ///< by row of the graph
  std::vector<std::shared_ptr<const void>> keep;  ///< what it lies in, beside the graph
};

/// Which vertices hang together, whatever the direction of the edges.
///
/// Equation   component(v) = the smallest id among all u to which a path leads from v, edges taken in either direction;
///            integers by value, strings by bytes
/// Source     Sutton, Ben-Nun, Barak 2018, "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling"
///            (Afforest)
/// Input      graph: both directions, dealt over ranks by vertex; duplicates and self-loops change nothing
/// Output     component: id[rows]; u and v have the same one if and only if they hang together; component(component(v))
///            = component(v)
/// Params     none
/// Cost       time O(vertices), and the arcs of vertices outside of the largest component, at worst O(arcs); memory 16
///            bytes per vertex and 8 (more than one rank: 12) per place (rows and ghosts of a rank, ghosts.h), 4 of
///            these in common where ranks have that; strings 16 more per vertex; messages: none with memory in common
///            but for ids, else 8 bytes for each ghost when it is joined here for the first time, and in
///            two times log2(ranks) rounds 8 for each name of a set that was found to be one with another; at the end
///            one id for each component that ranks share, to all
/// Parallel   collective over comm; all threads; same result for any np x threads: bitwise
/// Errors     none
[[nodiscard]] Result run(const Graph& graph, const Params& params, Comm& comm, const Progress& progress);

/// Name, inputs, parameters with their defaults, output.
extern const Spec kSpec;

}  // namespace sparkgap::components
