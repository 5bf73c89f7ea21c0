// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "sssp/sssp.h"

#include <algorithm>

#include "graph/graph_arguments.h"
#include "process/least_memory.h"
#include "process/stopwatch.h"
#include "spec/kernel.h"
#include "sssp/search.h"

namespace sparkgap::sssp {
namespace {

/// About the mean weight: of 16 384 arcs of each rank, by how many it has.
double mean_weight(const Graph& graph, Comm& comm) {
  constexpr int64_t kPlaces = 1024, kTogether = 16;
  const int64_t arcs = graph.out.arcs();
  const double share = static_cast<double>(arcs) / static_cast<double>(std::max<int64_t>(graph.arcs, 1));
  int64_t seen = 0;
  double mean = 0;
  for (int64_t place = 0; place < kPlaces; ++place)
    for (int64_t k = cut(arcs, kPlaces, place), end = std::min(k + kTogether, cut(arcs, kPlaces, place + 1)); k < end;
         ++k)
      mean += (graph.out.weights[static_cast<size_t>(k)] - mean) /
              static_cast<double>(++seen);  // no sum that gets too large
  return comm.allreduce(mean * share);
}

/// Narrow enough that few vertices are reached again within a bucket, wide enough that a bucket is worth its round: one
/// that is read in order should read much of the file at once. What ranks find for each other within a bucket they wait
/// for in turn: theirs are narrower. The same on all ranks.
double fitting_delta(const Graph& graph, bool in_order, Comm& comm) {
  const double mean_degree =
      static_cast<double>(std::max<int64_t>(graph.arcs, 1)) / static_cast<double>(graph.vertices);
  const double delta = (in_order ? 48 : comm.size() > 1 ? 0.75 : 1.5) * mean_weight(graph, comm) / mean_degree;
  return delta > 0 ? std::clamp(delta, 1e-300, 1e300) : 1;
}

template <bool kWeighted>
Result search(const Graph& graph, const NamedRows& source, double delta, bool in_order, Comm& comm,
              const Progress& progress) {
  Search<kWeighted> search(graph, delta, in_order, comm);
  search.start(source.rows);
  Result result;
  while (search.step()) progress("compute", ++result.buckets);
  result.distance = search.take();
  return result;
}

}  // namespace

Result run(const Graph& graph, const Params& params, Comm& comm, const Progress& progress) {
  const NamedRows source = find_named_rows(graph.ids, {params.source}, "source", comm);
  // One for all, as a rank could not find its way in buckets of another width.
  const bool in_order = comm.allreduce<int64_t>(has_least_memory(), Reduce::kMax) > 0;
  if (!graph.weighted) return search<false>(graph, source, params.delta.value_or(1), in_order, comm, progress);
  const double delta = params.delta ? *params.delta : fitting_delta(graph, in_order, comm);
  return search<true>(graph, source, delta, in_order, comm, progress);
}

const Spec kSpec{
    .name = "sssp",
    .family = "graph",
    .summary = "Distance from one vertex to every vertex: the least sum of weights on a path.",
    .inputs = graph_inputs(),
    .parameters = {source_column(),
                   destination_column(),
                   weight_column(),
                   directed_flag(),
                   {.name = "source", .kind = Kind::kId, .fallback = {}, .doc = "The vertex where paths start."},
                   {.name = "delta",
                    .kind = Kind::kDouble,
                    .fallback = {},
                    .doc = "Width of the steps in which distances are settled; changes only the time. Without one it "
                           "follows from weights and degrees.",
                    .min = 0,
                    .min_exclusive = true}},
    .output = {{"id", "id"},
               {.name = "distance", .type = "double", .doc = "0 at the source, infinity where no path leads"}},
    .match = "epsilon",
    .epsilon = 1e-4,
    .source =
        "Meyer, Sanders 2003, Delta-stepping: a parallelizable shortest path algorithm; LDBC Graphalytics "
        "specification, SSSP",
    .notes =
        "distance(v) = min over edges u -> v of distance(u) + weight; edges are followed in their direction, and of "
        "several between two vertices the lightest counts. Without weights every edge has the length 1; a graph that "
        "was built with weights uses them without being told. The same result, bit by bit, for every ranks x threads.",
    .refuses = "a source that is no vertex, a weight that is NaN, infinite or negative",
    .memory = graph_memory(Directions::kOut, {.arc = 8, .vertex = 14, .copy = 10}),
};

}  // namespace sparkgap::sssp

namespace sparkgap {
namespace {

Output run_sssp(const Inputs& inputs, const Values& values, Comm& comm, const Progress& progress) {
  Opened opened = open_graph(inputs, values, Directions::kOut, comm, progress);
  const Stopwatch compute;
  auto result = std::make_shared<sssp::Result>(
      sssp::run(opened.graph, {get_string(values, "source"), find_double(values, "delta")}, comm, progress));
  const double compute_s = compute.seconds();
  Output output = per_vertex(std::move(opened), {{"distance", Type::kFloat64, result->distance.data(), {}}}, result);
  output.compute_s = compute_s;
  output.iterations = result->buckets;
  return output;
}

}  // namespace

const Kernel kKernel{sssp::kSpec, run_sssp};

}  // namespace sparkgap
