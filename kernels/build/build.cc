// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "build/build.h"

#include "graph/graph_arguments.h"
#include "process/stopwatch.h"

namespace sparkgap::build {
namespace {

/// Numbers of vertices are unsigned; the format has no unsigned column, so the bits stand in a signed one.
OutputArcs columns(const Graph& graph, const Adjacency& arcs) {
  OutputArcs table{arcs.arcs(), graph.vertices, {{"vertex", Type::kInt32, arcs.ends.data(), {}}}};
  if (graph.far) table.columns[0] = {"vertex", Type::kInt64, arcs.far_ends.data(), {}};
  if (graph.weighted) table.columns.push_back({"weight", Type::kFloat64, arcs.weights.data(), {}});
  return table;
}

}  // namespace

Output run(Graph graph) {
  struct Kept {
    Graph graph;
    Buffer<int64_t> in_degree;
  };
  auto kept = std::make_shared<Kept>(Kept{std::move(graph), {}});
  const Graph& g = kept->graph;
  kept->in_degree = Buffer<int64_t>(static_cast<size_t>(g.rows));
  for (int64_t row = 0; row < g.rows; ++row) kept->in_degree[static_cast<size_t>(row)] = g.in.degree(row);
  Output output;
  output.rows = g.rows;
  output.columns = {g.ids.column(),
                    {"in_degree", Type::kInt64, kept->in_degree.data(), {}},
                    {"out_degree", Type::kInt64, g.out_degree.data(), {}}};
  if (g.weighted) output.columns.push_back({"out_weight", Type::kFloat64, g.out_weight.data(), {}});
  output.graph = OutputGraph{g.directed, g.weighted, columns(g, g.in), {}};
  if (g.directed) output.graph->out = columns(g, g.out);
  output.keep = kept;
  return output;
}

MemoryNeed memory() {
  MemoryNeed need = graph_memory(Directions::kBoth, {.arc = 8, .weight = 16, .vertex = 30});
  need.result = {.arc = 8, .weight = 16, .vertex = 24};
  return need;
}

const Spec kSpec{
    .name = "build",
    .family = "graph",
    .summary = "A graph that later calls start from, without building it again.",
    .inputs = table_inputs(),
    .parameters = {source_column(), destination_column(), weight_column(), directed_flag()},
    .output = {{"id", "id"}, {"in_degree", "bigint"}, {"out_degree", "bigint"}},
    .match = "exact",
    .source = "compressed sparse rows and columns",
    .notes =
        "Duplicate edges and self-loops count. The store keeps 8 bytes per edge, with weights 24, and 24 per vertex, "
        "more for string ids. Any number of ranks can use the graph, however many built it.",
    .makes_graph = true,
    .memory = memory(),
};

}  // namespace sparkgap::build

namespace sparkgap {
namespace {

Output run_build(const Inputs& inputs, const Values& values, Comm& comm, const Progress& progress) {
  const Stopwatch build;
  Output output = build::run(build_graph(graph_tables(inputs, values), Directions::kBoth, comm, progress));
  output.build_s = build.seconds();
  return output;
}

}  // namespace

const Kernel kKernel{build::kSpec, run_build};

}  // namespace sparkgap
