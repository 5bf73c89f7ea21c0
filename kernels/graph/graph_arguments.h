// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "graph/graph.h"
#include "spec/kernel.h"

// What all kernels on graphs say alike: the same inputs and parameters by the same words, and ids in the result.

namespace sparkgap {

/// `edges`, and `vertices` with the column `id`, which may be left out.
std::vector<InputSpec> table_inputs();
/// The same, or `graph` in their place.
std::vector<InputSpec> graph_inputs();
/// Columns of `edges`.
Parameter source_column();
Parameter destination_column();
Parameter weight_column();
Parameter directed_flag();

/// What a kernel takes whose graph is opened with these directions, and which takes `own` beside it.
MemoryNeed graph_memory(Directions directions, const MemoryUse& own);

/// The tables of a kernel whose Spec has the inputs and parameters above, where `edges` is given.
GraphTables graph_tables(const Inputs& inputs, const Values& values);

struct Opened {
  Graph graph;
  double build_s = 0;
  Traffic sent = {};  ///< so far
};

/// The graph that the inputs say: built from `edges`, or mapped where a stored `graph` is given. It has weights where
/// the parameter `weight` names them, a stored graph also where it was built with weights. Collective. Throws
/// kArguments where a stored graph does not have what the parameters say, and as build_graph does.
Opened open_graph(const Inputs& inputs, const Values& values, Directions directions, Comm& comm,
                  const Progress& progress);

/// A result with one row per vertex of this rank: its id and these columns, which point into `kept`.
Output per_vertex(Opened opened, std::vector<OutputColumn> columns, std::shared_ptr<void> kept);

}  // namespace sparkgap
