// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "labelprop/labelprop.h"

#include <numeric>

#include "graph/graph_arguments.h"
#include "id_order/id_directory.h"
#include "id_order/id_order.h"
#include "labelprop/propagation.h"
#include "process/stopwatch.h"
#include "spec/kernel.h"

namespace sparkgap::labelprop {
namespace {

template <typename Labels>
void propagate(Propagation<Labels>& propagation, const Graph& graph, const Params& params, const Progress& progress,
               Result& result) {
  while (result.iterations < params.max_iterations && !result.converged) {
    const int64_t changed = propagation.step();
    result.residual = static_cast<double>(changed) / static_cast<double>(graph.vertices);
    result.converged = changed == 0;
    progress("compute", ++result.iterations, params.max_iterations, result.residual);
  }
}

/// The label of each row is one of `ids`: that with the index at(row).
template <typename At>
void name_rows(const VertexIds& ids, int64_t rows, At&& at, Result& result) {
  const auto fill = [&](const auto& names, auto&& out) {
    parallel_ranges(rows, 1 << 14, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) out[static_cast<size_t>(row)] = names[at(row)];
    });
  };
  if (ids.strings()) {
    std::vector<std::string_view> names(static_cast<size_t>(rows));
    fill(ids.texts(), names);
    result.label = VertexIds(std::move(names));
  } else {
    const auto names = std::make_shared<Buffer<int64_t>>(static_cast<size_t>(rows));
    fill(ids.integers(), *names);
    result.label = VertexIds(names->span());
    result.keep = {names};
  }
}

/// Each rank knows all ids.
Result run_by_number(const Graph& graph, const Params& params, Comm& comm, const Progress& progress) {
  const KeptIds all = gather_ids(graph.ids, comm);
  const Buffer<uint32_t> places = places_of(all.ids);
  Buffer<uint32_t> first(static_cast<size_t>(graph.vertices), Content::kAnything);
  parallel_ranges(graph.vertices, 1 << 14, [&](int64_t begin, int64_t end) {
    std::iota(first.begin() + begin, first.begin() + end, static_cast<uint32_t>(begin));
  });
  Propagation<NumberLabels> propagation(graph, {graph.vertices, places.data()}, std::move(first), comm);
  Result result;
  result.keep = all.keep;
  propagate(propagation, graph, params, progress, result);
  name_rows(all.ids, graph.rows, [&](int64_t row) { return propagation.label(row); }, result);
  return result;
}

/// No rank knows more ids than it must.
template <typename Label>
Result run_by_place(const Graph& graph, const Params& params, Comm& comm, const Progress& progress) {
  const IdDirectory directory(graph.ids, comm);
  Buffer<Label> first(static_cast<size_t>(graph.ghosts.places()));
  for (int64_t row = 0; row < graph.rows; ++row)
    first[graph.ghosts.place(row)] = static_cast<Label>(directory.places()[static_cast<size_t>(row)]);
  graph.ghosts.bring(first.span(), comm);
  Propagation<PlaceLabels<Label>> propagation(graph, {}, std::move(first), comm);
  Result result;
  propagate(propagation, graph, params, progress, result);
  std::vector<int64_t> labels;
  for (int64_t row = 0; row < graph.rows; ++row) labels.push_back(static_cast<int64_t>(propagation.label(row)));
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  const KeptIds names = directory.ids_at(labels, comm);
  result.keep = names.keep;
  const auto at = [&](int64_t row) {
    const auto label = static_cast<int64_t>(propagation.label(row));
    return static_cast<size_t>(std::lower_bound(labels.begin(), labels.end(), label) - labels.begin());
  };
  name_rows(names.ids, graph.rows, at, result);
  return result;
}

}  // namespace

Result run(const Graph& graph, const Params& params, Comm& comm, const Progress& progress) {
  if (graph.ghosts.are_all()) return run_by_number(graph, params, comm, progress);
  if (graph.far) return run_by_place<uint64_t>(graph, params, comm, progress);
  return run_by_place<uint32_t>(graph, params, comm, progress);
}

const Spec kSpec{
    .name = "labelprop",
    .family = "graph",
    .summary =
        "Communities by label propagation: each vertex takes the label that most of its neighbours have, again and "
        "again.",
    .inputs = graph_inputs(),
    .parameters = {source_column(),
                   destination_column(),
                   directed_flag(),
                   {.name = "max_iterations",
                    .kind = Kind::kInt,
                    .fallback = int64_t{10},
                    .doc = "At most that many; fewer where nothing changes any more.",
                    .unit = "iterations",
                    .min = 0},
                   // Says which definition a caller relies on; there is nothing for run() to tell apart.
                   {.name = "variant",
                    .kind = Kind::kChoice,
                    .fallback = std::string("graphx"),
                    .doc = "Of equally frequent labels ldbc takes the smallest, as LDBC Graphalytics; GraphX takes "
                           "any, which is here the smallest, too.",
                    .choices = {"graphx", "ldbc"}}},
    .output = {{"id", "id"}, {.name = "label", .type = "id", .doc = "the id of a vertex"}},
    .match = "exact",
    .source =
        "Raghavan, Albert, Kumara 2007, Near Linear Time Algorithm to Detect Community Structures; LDBC Graphalytics "
        "specification, CDLP",
    .notes =
        "All vertices change at once, from label(v) = v. The two ends of an edge are each other's neighbours, whatever "
        "its direction; duplicates, edges both ways and self-loops count. Time O(edges * iterations). The same result "
        "for every ranks x threads.",
    .memory = graph_memory(Directions::kBoth, {.vertex = 10, .copy = 42, .name = 90, .character = 2}),
};

}  // namespace sparkgap::labelprop

namespace sparkgap {
namespace {

Output run_labelprop(const Inputs& inputs, const Values& values, Comm& comm, const Progress& progress) {
  const labelprop::Params params{get_int(values, "max_iterations")};
  Opened opened = open_graph(inputs, values, Directions::kBoth, comm, progress);
  const Stopwatch compute;
  auto result = std::make_shared<labelprop::Result>(labelprop::run(opened.graph, params, comm, progress));
  Output output = per_vertex(std::move(opened), {result->label.column("label")}, result);
  output.compute_s = compute.seconds();
  output.iterations = result->iterations;
  output.converged = result->converged;
  output.residual = result->residual;
  return output;
}

}  // namespace

const Kernel kKernel{labelprop::kSpec, run_labelprop};

}  // namespace sparkgap
