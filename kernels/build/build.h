// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/graph.h"
#include "spec/spec.h"
#include "table/table.h"

namespace sparkgap::build {

/// A graph as it is stored: its vertices as rows, its arcs beside.
///
/// Equation   the edge (u, v) is the arc u -> v, without direction also v -> u; duplicates and self-loops are kept
/// Source     compressed sparse rows and columns (CSR, CSC)
/// Input      edges: (source id, destination id, weight)[edges], any rows on any rank, any order; vertices (optional):
///            id[vertices]
/// Output     one row per vertex: id, in_degree, out_degree, and out_weight where there are weights; rows by falling
///            out-degree on each rank; arcs in both directions (without direction one: both are the same), 4 bytes
///            each, weights 8 bytes beside
/// Params     directed, default true; weight, default none
/// Cost       as build_graph() and transpose()
/// Parallel   collective over comm; all threads; the same graph for any number of threads
/// Errors     as build_graph()
[[nodiscard]] Output run(Graph graph);

/// Name, inputs, parameters with their defaults, output.
extern const Spec kSpec;

}  // namespace sparkgap::build
