// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "components.h"

#include <atomic>
#include <numeric>

#include "forest.h"
#include "graph_arguments.h"
#include "id_order.h"
#include "kernel.h"
#include "row_chunks.h"
#include "stopwatch.h"

namespace sparkgap::components {
namespace {

constexpr int64_t kGrain = 1 << 13;

uint32_t vertex_of(const Graph& graph, int64_t row) { return static_cast<uint32_t>(graph.first + row); }

/// Joins every vertex with two neighbours: most of the largest component comes together by these alone.
void join_first_neighbours(const Graph& graph, Forest& forest) {
  constexpr int64_t kNeighbours = 2;
  parallel_ranges(graph.rows, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const auto in = graph.in.of(row);  // sorted, so that the first are hubs
      int64_t joined = 0;
      for (const uint32_t other : in.first(std::min<size_t>(kNeighbours, in.size()))) forest.join(vertex_of(graph, row), other), ++joined;
      if (joined == kNeighbours || !graph.directed) continue;
      const auto out = graph.out.of(row);
      for (const uint32_t other : out.first(std::min<size_t>(static_cast<size_t>(kNeighbours - joined), out.size()))) forest.join(vertex_of(graph, row), other);
    }
  });
}

/// Joins along all arcs of one direction whose rows are not known to be in the largest set. An arc may be left out only where
/// both its ends are in there, so in the end both directions must have been joined.
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

/// Every vertex below the smallest number of its component, on every rank.
Forest find_components(const Graph& graph, Comm& comm) {
  Forest forest(graph.vertices);
  join_first_neighbours(graph, forest);
  forest.compress();
  forest.merge(comm);
  const uint32_t largest = forest.root_of_largest();
  join_rest(graph, graph.out, largest, forest);
  if (graph.directed) join_rest(graph, graph.in, largest, forest);
  forest.compress();
  forest.merge(comm);
  return forest;
}

/// By root: 1 + the index of the smallest of the ids with that root, 0 where there is none. ids[i] has the root roots(i).
template <typename Ids, typename Roots>
Buffer<uint32_t> smallest_by_root(int64_t vertices, const Ids& ids, Roots&& roots, uint32_t common_root) {
  Buffer<uint32_t> smallest(static_cast<size_t>(vertices));
  const auto offer = [&](uint32_t root, uint32_t index) {
    const std::atomic_ref best(smallest[root]);
    uint32_t seen = best.load(std::memory_order_relaxed);
    while ((seen == 0 || ids[index] < ids[seen - 1]) && !best.compare_exchange_weak(seen, index + 1, std::memory_order_relaxed)) {
    }
  };
  parallel_ranges(static_cast<int64_t>(ids.size()), kGrain, [&](int64_t begin, int64_t end) {
    // Threads would wait for each other at the root that nearly all have.
    uint32_t common = 0;
    for (auto i = static_cast<uint32_t>(begin); i < static_cast<uint32_t>(end); ++i) {
      const uint32_t root = roots(i);
      if (root != common_root) offer(root, i);
      else if (common == 0 || ids[i] < ids[common - 1]) common = i + 1;
    }
    if (common != 0) offer(common_root, common - 1);
  });
  return smallest;
}

const auto& of_kind(const VertexIds& ids, std::string_view) { return ids.texts(); }
auto of_kind(const VertexIds& ids, int64_t) { return ids.integers(); }
VertexIds list_of(const std::vector<std::string_view>& texts) { return VertexIds(texts); }
VertexIds list_of(const std::vector<int64_t>& integers) { return VertexIds(std::span(integers)); }

/// The smallest id of each row's component.
template <typename Id, typename Out>
void name_components(const Graph& graph, const Forest& forest, Comm& comm, Out&& out, std::vector<std::shared_ptr<const void>>& keep) {
  const uint32_t largest = forest.root_of_largest();
  const auto root_of_row = [&](int64_t row) { return forest.root(vertex_of(graph, row)); };
  auto smallest = smallest_by_root(graph.vertices, of_kind(graph.ids, Id()), root_of_row, largest);
  const VertexIds* ids = &graph.ids;
  GatheredIds gathered;
  if (comm.size() > 1) {
    // Each rank's smallest ids, and from these the smallest of all.
    std::vector<uint32_t> roots;
    std::vector<Id> found;
    for (int64_t v = 0; v < graph.vertices; ++v)
      if (const uint32_t index = smallest[static_cast<size_t>(v)]; index != 0) roots.push_back(static_cast<uint32_t>(v)), found.push_back(of_kind(graph.ids, Id())[index - 1]);
    gathered = gather_ids(list_of(found), comm);
    const std::vector<int64_t> counts = comm.allgather(static_cast<int64_t>(roots.size()));
    std::vector<uint32_t> all_roots(static_cast<size_t>(gathered.ids.rows()));
    std::copy(roots.begin(), roots.end(), all_roots.begin() + std::accumulate(counts.begin(), counts.begin() + comm.rank(), int64_t{0}));
    comm.allgatherv(std::span(all_roots), counts);
    ids = &gathered.ids;
    keep.insert(keep.end(), gathered.keep.begin(), gathered.keep.end());
    smallest = smallest_by_root(graph.vertices, of_kind(*ids, Id()), [&](uint32_t i) { return all_roots[i]; }, largest);
  }
  const auto& names = of_kind(*ids, Id());
  parallel_ranges(graph.rows, kGrain, [&](int64_t begin, int64_t end) {
    const uint32_t common = smallest[largest];
    for (int64_t row = begin; row < end; ++row) {
      const uint32_t root = root_of_row(row);
      out[static_cast<size_t>(row)] = names[(root == largest ? common : smallest[root]) - 1];
    }
  });
}

}  // namespace

Result run(const Graph& graph, const Params&, Comm& comm, const Progress& progress) {
  progress("compute");
  const Forest forest = find_components(graph, comm);
  Result result;
  // A rank without rows does not know which kind the ids are.
  if (comm.allreduce<int64_t>(graph.ids.strings(), Reduce::kMax) > 0) {
    std::vector<std::string_view> names(static_cast<size_t>(graph.rows));
    name_components<std::string_view>(graph, forest, comm, names, result.keep);
    result.component = VertexIds(std::move(names));
  } else {
    const auto names = std::make_shared<Buffer<int64_t>>(static_cast<size_t>(graph.rows));
    name_components<int64_t>(graph, forest, comm, *names, result.keep);
    result.component = VertexIds(names->span());
    result.keep = {names};
  }
  return result;
}

const Spec kSpec{
    .name = "components",
    .family = "graph",
    .summary = "Which vertices hang together, whatever the direction of the edges.",
    .inputs = graph_inputs(),
    .parameters = {source_column(), destination_column(), directed_flag()},
    .output = {{"id", "id"}, {"component", "id"}},
    .match = "exact",
    .source = "Sutton, Ben-Nun, Barak 2018, Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling",
    .memory = graph_memory(Directions::kBoth, {.vertex = 24, .copy = 32, .name = 32, .character = 1}),
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
