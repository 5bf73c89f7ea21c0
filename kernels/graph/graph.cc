// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "graph/graph.h"

#include <numeric>

#include "arithmetic/exact_sum.h"
#include "graph/arcs.h"
#include "process/error.h"
#include "rows/row_chunks.h"

namespace sparkgap {
namespace {

/// The sum of the weights of every row. Exact enough to be the same whatever order the arcs of a row stand in.
Buffer<double> row_weights(const Adjacency& arcs) {
  Buffer<double> sums(arcs.starts.size() - 1);
  const auto sum = [&](int64_t begin, int64_t end) {
    ExactSum part;
    for (int64_t k = begin; k < end; ++k) part.add(arcs.weights[static_cast<size_t>(k)]);
    return part;
  };
  const RowChunks cuts(arcs.starts);
  parallel_for(static_cast<int64_t>(cuts.chunks.size()), [&](int64_t i) {
    const RowChunk& chunk = cuts.chunks[static_cast<size_t>(i)];
    for (auto row = static_cast<size_t>(chunk.begin); row < static_cast<size_t>(chunk.end); ++row)
      sums[row] = sum(arcs.starts[row], arcs.starts[row + 1]).value();
  });
  std::vector<ExactSum> parts(cuts.pieces.size());
  parallel_for(static_cast<int64_t>(parts.size()), [&](int64_t i) {
    const auto piece = static_cast<size_t>(i);
    parts[piece] = sum(cuts.pieces[piece].begin, cuts.pieces[piece].end);
  });
  for (const LongRow& row : cuts.long_rows) {
    ExactSum all;
    for (size_t piece = row.first_piece; piece < row.end_piece; ++piece) all += parts[piece];
    sums[static_cast<size_t>(row.row)] = all.value();
  }
  return sums;
}

}  // namespace

Graph build_graph(const GraphTables& tables, Directions directions, Comm& comm, const Progress& progress,
                  StringHash hash, const Numbering& numbering) {
  progress("build");
  const MemoryReuse reuse;
  GraphRows rows(tables, comm, hash);
  rows.turned = rows.directed && directions != Directions::kIn;
  if (rows.turned) rows.edges.turn();
  rows.sum_weights = rows.weighted && rows.directed && directions == Directions::kIn;
  Graph graph;
  graph.arcs = rows.arcs_global;
  graph.directed = rows.directed;
  graph.weighted = rows.weighted;
  graph.ends_are_own = true;
  if (const auto dense = DenseIds::find(rows, comm); dense && dense->slots * comm.size() <= numbering.most_near) {
    if (rows.weighted) build_dense<true>(graph, rows, *dense, comm);
    else build_dense<false>(graph, rows, *dense, comm);
  } else {
    if (rows.weighted) build_sparse<true>(graph, rows, numbering, comm);
    else build_sparse<false>(graph, rows, numbering, comm);
  }
  if (!graph.directed && directions != Directions::kIn) graph.out = graph.in;
  if (graph.directed && directions == Directions::kBoth) transpose(graph, comm);
  if (graph.weighted && (!graph.directed || directions == Directions::kBoth))
    graph.out_weight = graph.own(row_weights(graph.directed ? graph.out : graph.in));
  return graph;
}

void Graph::deal(int64_t rows_here, Comm& comm, const Numbering& numbering) {
  counts = comm.allgather<int64_t>(rows_here);
  firsts = {0};
  for (const int64_t count : counts) firsts.push_back(firsts.back() + count + numbering.apart);
  rows = rows_here;
  first = firsts[static_cast<size_t>(comm.rank())];
  vertices = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  far = vertices > numbering.most_near;
  constexpr int64_t kMost = (int64_t{1} << 32) - 2;
  if (const int64_t most = *std::ranges::max_element(counts); most > kMost)
    throw Error(Exit::kData, "edges", "at most " + std::to_string(kMost) + " vertices on each rank",
                std::to_string(most), "Use more ranks");
}

}  // namespace sparkgap
