// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "triangles/triangles.h"

#include "graph/graph_arguments.h"
#include "process/stopwatch.h"
#include "spec/kernel.h"
#include "triads/triads.h"

namespace sparkgap::triangles {

Result run(const Graph& graph, const Params&, Comm& comm, const Progress& progress) {
  return {count_triads(graph, CornerValue::kOne, false, comm, progress).sums};
}

const Spec kSpec{
    .name = "triangles",
    .family = "graph",
    .summary = "Triangles at each vertex: sets of three vertices, each pair of which is joined by an edge.",
    .inputs = graph_inputs(),
    .parameters = {source_column(), destination_column(), directed_flag()},
    .output = {{"id", "id"}, {.name = "count", .type = "bigint", .doc = "triangles that the vertex is part of"}},
    .match = "exact",
    .source = "Schank, Wagner 2005, Finding, Counting and Listing All Triangles in Large Graphs",
    .notes =
        "Directions do not count, nor self-loops, nor how many edges join a pair; the counts of a graph sum to three "
        "times its triangles. The same result for every ranks x threads.",
    .memory = triads_memory({.arc = 12, .sent = 2, .vertex = 3, .copy = 18}),
};

}  // namespace sparkgap::triangles

namespace sparkgap {
namespace {

Output run_triangles(const Inputs& inputs, const Values& values, Comm& comm, const Progress& progress) {
  // Stored arcs of both directions are there to be mapped, which saves orient() a scatter; to build both would cost
  // more than that.
  const Directions directions = inputs.contains("graph") ? Directions::kBoth : Directions::kIn;
  Opened opened = open_graph(inputs, values, directions, comm, progress);
  const Stopwatch compute;
  auto result = std::make_shared<triangles::Result>(triangles::run(opened.graph, {}, comm, progress));
  Output output = per_vertex(std::move(opened), {{"count", Type::kInt64, result->count.data(), {}}}, result);
  output.compute_s = compute.seconds();
  return output;
}

}  // namespace

const Kernel kKernel{triangles::kSpec, run_triangles};

}  // namespace sparkgap
