// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "graph.h"

#include "arcs.h"
#include "error.h"

namespace sparkgap {

Graph build_graph(const GraphTables& tables, Directions directions, Comm& comm, const Progress& progress, StringHash hash) {
  progress("build");
  GraphRows rows(tables, comm, hash);
  Graph graph;
  graph.arcs = rows.arcs_global;
  graph.directed = rows.directed;
  graph.weighted = rows.weighted;
  if (const auto dense = DenseIds::find(rows, comm)) {
    if (rows.weighted) build_dense<true>(graph, rows, *dense, comm);
    else build_dense<false>(graph, rows, *dense, comm);
  } else {
    if (rows.weighted) build_sparse<true>(graph, rows, comm);
    else build_sparse<false>(graph, rows, comm);
  }
  if (directions == Directions::kBoth) transpose(graph, comm);
  return graph;
}

void Graph::deal(int64_t rows_here, Comm& comm) {
  counts = comm.allgather<int64_t>(rows_here);
  firsts = {0};
  for (const int64_t count : counts) firsts.push_back(firsts.back() + count);
  rows = rows_here;
  first = firsts[static_cast<size_t>(comm.rank())];
  vertices = firsts.back();
  constexpr int64_t kMost = (int64_t{1} << 32) - 2;
  if (vertices > kMost)
    throw Error(Exit::kData, "edges", "at most " + std::to_string(kMost) + " vertices", std::to_string(vertices), "Split the graph");
}

}  // namespace sparkgap
