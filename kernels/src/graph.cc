// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "graph.h"

#include "arcs.h"
#include "error.h"

namespace sparkgap {

Graph build_graph(const GraphTables& tables, Comm& comm, const Progress& progress, StringHash hash) {
  progress("build");
  GraphRows rows(tables, comm, hash);
  Graph graph;
  graph.arcs = rows.arcs_global;
  graph.strings = rows.strings;
  if (const auto dense = DenseIds::find(rows, comm)) {
    if (rows.weighted) build_dense<true>(graph, rows, *dense, comm);
    else build_dense<false>(graph, rows, *dense, comm);
  } else {
    if (rows.weighted) build_sparse<true>(graph, rows, comm);
    else build_sparse<false>(graph, rows, comm);
  }
  return graph;
}

void number_vertices(Graph& graph, const DegreeOrder& order, Comm& comm) {
  graph.counts = comm.allgather<int64_t>(order.rows);
  graph.rows = order.rows;
  graph.rows_with_out_arcs = order.rows_with_out_arcs;
  graph.vertices = graph.first = 0;
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (rank == comm.rank()) graph.first = graph.vertices;
    graph.vertices += graph.counts[static_cast<size_t>(rank)];
  }
  constexpr int64_t kMost = (int64_t{1} << 32) - 2;
  if (graph.vertices > kMost)
    throw Error(Exit::kData, "edges", "at most " + std::to_string(kMost) + " vertices", std::to_string(graph.vertices), "Split the graph");
}

}  // namespace sparkgap
