// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "lcc/lcc.h"

#include "graph/graph_arguments.h"
#include "process/stopwatch.h"
#include "spec/kernel.h"
#include "triads/triads.h"

namespace sparkgap::lcc {

Result run(const Graph& graph, const Params&, Comm& comm, const Progress& progress) {
  // Without direction every pair is joined both ways.
  const Triads triads =
      count_triads(graph, graph.directed ? CornerValue::kArcs : CornerValue::kOne, true, comm, progress);
  const int64_t arcs_each = graph.directed ? 1 : 2;
  Result result{Buffer<double>(static_cast<size_t>(graph.rows))};
  parallel_ranges(graph.rows, 1 << 14, [&](int64_t begin, int64_t end) {
    for (auto row = static_cast<size_t>(begin); row < static_cast<size_t>(end); ++row) {
      const auto degree = static_cast<double>(triads.neighbours[row]);
      result.lcc[row] = degree < 2 ? 0 : static_cast<double>(arcs_each * triads.sums[row]) / (degree * (degree - 1));
    }
  });
  return result;
}

const Spec kSpec{
    .name = "lcc",
    .family = "graph",
    .summary = "Local clustering coefficient: how many of the pairs of a vertex's neighbours are joined by an edge.",
    .inputs = graph_inputs(),
    .parameters = {source_column(), destination_column(), directed_flag()},
    .output = {{"id", "id"}, {.name = "lcc", .type = "double", .doc = "in [0, 1]; 0 with fewer than two neighbours"}},
    .match = "epsilon",
    .epsilon = 1e-4,
    .source = "Watts, Strogatz 1998, Collective dynamics of small-world networks; LDBC Graphalytics specification, LCC",
    .notes =
        "lcc(v) = edges between neighbours of v / (d * (d - 1)), where d is the number of its neighbours, whatever the "
        "direction, each once; edges between them count by direction. Duplicate edges and self-loops change nothing. "
        "The same result for every ranks x threads.",
    .memory = triads_memory({.arc = 12, .vertex = 5, .copy = 24}),
};

}  // namespace sparkgap::lcc

namespace sparkgap {
namespace {

Output run_lcc(const Inputs& inputs, const Values& values, Comm& comm, const Progress& progress) {
  // Stored arcs of both directions are there to be mapped, which saves orient() a scatter; to build both would cost
  // more than that.
  const Directions directions = inputs.contains("graph") ? Directions::kBoth : Directions::kIn;
  Opened opened = open_graph(inputs, values, directions, comm, progress);
  const Stopwatch compute;
  auto result = std::make_shared<lcc::Result>(lcc::run(opened.graph, {}, comm, progress));
  Output output = per_vertex(std::move(opened), {{"lcc", Type::kFloat64, result->lcc.data(), {}}}, result);
  output.compute_s = compute.seconds();
  return output;
}

}  // namespace

const Kernel kKernel{lcc::kSpec, run_lcc};

}  // namespace sparkgap
