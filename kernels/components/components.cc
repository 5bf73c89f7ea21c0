// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "components/components.h"

#include "components/forest.h"
#include "graph/component_names.h"
#include "graph/graph_arguments.h"
#include "process/stopwatch.h"
#include "rows/row_chunks.h"
#include "spec/kernel.h"

namespace sparkgap::components {
namespace {

constexpr int64_t kGrain = 1 << 13;

uint32_t vertex_of(const Graph& graph, int64_t row) { return graph.ghosts.place(row); }

/// The n-th of a row's neighbours, arcs in before arcs out, each of these sorted, so that the first are hubs; the
/// vertex itself where there are fewer.
uint32_t neighbour(const Graph& graph, int64_t row, size_t n) {
  const auto in = graph.in.of(row);
  if (n < in.size()) return in[n];
  if (!graph.directed) return vertex_of(graph, row);
  const auto out = graph.out.of(row);
  return n - in.size() < out.size() ? out[n - in.size()] : vertex_of(graph, row);
}

/// Of short rows the first arcs alone are read: the processor does not see where the next will be.
void look_ahead(const Graph& graph, int64_t row) {
  constexpr int64_t kAhead = 16;
  __builtin_prefetch(graph.in.ends.data() + graph.in.starts[static_cast<size_t>(std::min(row + kAhead, graph.rows))]);
}

/// Joins every vertex with its first neighbour: by this alone most of the largest component comes together where hubs
/// come first.
void plant_below_first_neighbours(const Graph& graph, Forest& forest, Comm& comm) {
  forest.plant(
      [&](int64_t row) {
        look_ahead(graph, row);
        return neighbour(graph, row, 0);
      },
      comm);
  // The others stand below theirs by joining.
  parallel_ranges(graph.rows, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      if (forest.is_root(vertex_of(graph, row))) forest.join(vertex_of(graph, row), neighbour(graph, row, 0));
  });
}

void join_second_neighbours(const Graph& graph, Forest& forest) {
  parallel_ranges(graph.rows, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      look_ahead(graph, row);
      forest.join(vertex_of(graph, row), neighbour(graph, row, 1));
    }
  });
}

/// Joins along all arcs of one direction whose rows are not known to be in the largest set. An arc may be left out only
/// where both its ends are in there, so in the end both directions must have been joined.
void join_rest(const Graph& graph, const Adjacency& arcs, uint32_t largest, Forest& forest) {
  const RowChunks chunks(arcs.starts);
  const auto n_chunks = static_cast<int64_t>(chunks.chunks.size());
  parallel_for(n_chunks, [&](int64_t i) {
    const RowChunk& chunk = chunks.chunks[static_cast<size_t>(i)];
    for (int64_t row = chunk.begin; row < chunk.end; ++row) {
      if (forest.root(vertex_of(graph, row)) == largest) continue;
      for (const uint32_t other : arcs.of(row)) forest.join(vertex_of(graph, row), other);
    }
  });
  for (const LongRow& row : chunks.long_rows) {
    const uint32_t vertex = vertex_of(graph, row.row);
    if (forest.root(vertex) == largest) continue;
    parallel_for(static_cast<int64_t>(row.end_piece - row.first_piece), [&](int64_t i) {
      const RowPiece& piece = chunks.pieces[row.first_piece + static_cast<size_t>(i)];
      for (int64_t arc = piece.begin; arc < piece.end; ++arc) forest.join(vertex, arcs.ends[static_cast<size_t>(arc)]);
    });
  }
}

/// The components as one forest has them, and all forests of the ranks.
Forest find_components(const Graph& graph, Comm& comm) {
  Forest forest(graph.ghosts, comm);
  const auto join_rest_but = [&](uint32_t largest) {
    join_rest(graph, graph.out, largest, forest);
    if (graph.directed) join_rest(graph, graph.in, largest, forest);
  };
  plant_below_first_neighbours(graph, forest, comm);
  if (forest.is_common()) {
    forest.merge(comm);
    Forest::Largest largest = forest.largest(comm);
    if (!largest.has_most) {
      join_second_neighbours(graph, forest);
      forest.merge(comm);
      largest = forest.largest(comm);
    }
    join_rest_but(largest.root);
    forest.merge(comm);
    return forest;
  }
  forest.compress_rows();
  Forest::Largest here = forest.largest_here();
  if (!here.has_most) {
    join_second_neighbours(graph, forest);
    forest.compress_rows();
    here = forest.largest_here();
  }
  join_rest_but(here.root);
  forest.compress();
  forest.merge(comm);
  // Only the rows of the largest set here have arcs that were not followed.
  if (comm.size() == 1) return forest;
  const uint32_t largest = forest.largest(comm).root;
  const bool is_small = here.root != Forest::kNone && forest.top(here.root) != largest;
  if (comm.allreduce<int64_t>(is_small) == 0) return forest;
  if (is_small) join_rest_but(largest);
  forest.compress();
  forest.merge(comm);
  return forest;
}

}  // namespace

Result run(const Graph& graph, const Params&, Comm& comm, const Progress& progress) {
  progress("compute");
  Forest forest = find_components(graph, comm);
  ComponentNames named = name_components(graph, {forest.roots(), forest.strangers(), forest.largest(comm).name}, comm);
  return {std::move(named.names), std::move(named.keep)};
}

const Spec kSpec{
    .name = "components",
    .family = "graph",
    .summary = "Connected components: which vertices are joined by paths, whatever the direction of the edges.",
    .inputs = graph_inputs(),
    .parameters = {source_column(), destination_column(), directed_flag()},
    .output = {{"id", "id"}, {.name = "component", .type = "id", .doc = "the smallest id in the component"}},
    .match = "exact",
    .source =
        "Sutton, Ben-Nun, Barak 2018, Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling; LDBC "
        "Graphalytics specification, WCC",
    .notes =
        "Directions do not count: these are weakly connected components. Strings compare by their UTF-8 bytes. "
        "Duplicate edges and self-loops change nothing. Time O(vertices) and the edges outside of the largest "
        "component. The same result for every ranks x threads.",
    .memory = graph_memory(Directions::kBoth, {.vertex = 15, .copy = 20, .name = 90, .character = 2}),
};

}  // namespace sparkgap::components

namespace sparkgap {
namespace {

Output run_components(const Inputs& inputs, const Values& values, Comm& comm, const Progress& progress) {
  Opened opened = open_graph(inputs, values, Directions::kBoth, comm, progress);
  const Stopwatch compute;
  auto result = std::make_shared<components::Result>(components::run(opened.graph, {}, comm, progress));
  Output output = per_vertex(std::move(opened), {result->component.column("component")}, result);
  output.compute_s = compute.seconds();
  return output;
}

}  // namespace

const Kernel kKernel{components::kSpec, run_components};

}  // namespace sparkgap
