// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "degree/degree.h"

#include "graph/graph_arguments.h"
#include "ids/vertex_slots.h"
#include "process/stopwatch.h"
#include "spec/kernel.h"

namespace sparkgap::degree {
namespace {

/// Both ends of the edges, one after the other, so that only one is in memory.
enum class End { kIn, kOut };

template <typename Out>
void for_end(const KeyBlock& block, End end, Out&& out) {
  const int64_t* ids = end == End::kIn ? block.b : block.a;
  for (int64_t i = 0; i < block.rows; ++i) out(ids[i]);
}

Slots count_dense(const GraphRows& rows, const DenseIds& ids, Comm& comm) {
  Slots slots = dense_slots(rows, ids, comm);
  for (const End end : {End::kIn, End::kOut}) {
    const auto ends = split_rows<uint32_t>(rows.edges, ids.partitions, comm, [&](const KeyBlock& block, auto&& out) {
      for_end(block, end, [&](int64_t id) {
        const auto place = ids.place(ids.offset(id));
        out(ids.partition(place), place.slot);
      });
    });
    int64_t* counts = (end == End::kIn ? slots.in_degree : slots.out_degree).data();
    parallel_for(ends.partitions, [&](int64_t p) {
      for (int rank = 0; rank < ends.ranks; ++rank)
        for (const uint32_t slot : ends.piece(static_cast<int>(p), rank)) ++counts[slot];
    });
  }
  return slots;
}

Slots count_sparse(const GraphRows& rows, Comm& comm) {
  const Partitions partitions = Partitions::for_edges(rows.arcs_global, comm.size());
  std::vector<PartitionVertices> mine(static_cast<size_t>(partitions.per_rank));
  for (const End end : {End::kIn, End::kOut}) {
    const auto ends = split_rows<int64_t>(rows.edges, partitions, comm, [&](const KeyBlock& block, auto&& out) {
      for_end(block, end, [&](int64_t key) { out(partitions.of_hash(mix(key)), key); });
    });
    parallel_for(ends.partitions, [&](int64_t p) {
      PartitionVertices& vertices = mine[static_cast<size_t>(p)];
      auto& counts = end == End::kIn ? vertices.in_degree : vertices.out_degree;
      for (int rank = 0; rank < ends.ranks; ++rank)
        for (const int64_t key : ends.piece(static_cast<int>(p), rank)) ++counts[vertices.number(key)];
    });
  }
  number_listed(rows, partitions, mine, comm);
  return sparse_slots(std::move(mine), false);
}

Result empty_result(size_t rows) {
  return {{}, Buffer<int64_t>(rows), Buffer<int64_t>(rows), Buffer<int64_t>(rows), {}};
}

void set_row(Result& result, size_t row, int64_t in, int64_t out, bool directed) {
  result.in_degree[row] = directed ? in : in + out;
  result.out_degree[row] = directed ? out : in + out;
  result.degree[row] = result.in_degree[row] + result.out_degree[row];
}

}  // namespace

Result of_graph(Graph graph) {
  Result result = empty_result(static_cast<size_t>(graph.rows));
  // Without direction a graph has both arcs of every edge already.
  for (int64_t row = 0; row < graph.rows; ++row)
    set_row(result, static_cast<size_t>(row), graph.in.degree(row), graph.out_degree[static_cast<size_t>(row)], true);
  result.ids = std::move(graph.ids);
  result.keep = std::move(graph.keep);
  return result;
}

Result run(const GraphTables& tables, const Params& params, Comm& comm, const Progress& progress) {
  progress("build");
  const GraphRows rows(tables, comm);
  progress("compute");
  const auto dense = DenseIds::find(rows, comm);
  const Slots slots = dense ? count_dense(rows, *dense, comm) : count_sparse(rows, comm);

  const auto n = static_cast<size_t>(slots.size());
  size_t vertices = 0;
  for (size_t slot = 0; slot < n; ++slot) vertices += slots.is_vertex(slot);
  Result result = empty_result(vertices);
  auto ids = std::make_shared<Buffer<int64_t>>(vertices);
  std::vector<std::string_view> texts(rows.strings ? vertices : 0);
  for (size_t slot = 0, row = 0; slot < n; ++slot) {
    if (!slots.is_vertex(slot)) continue;
    if (rows.strings) texts[row] = rows.strings->text(slots.id(slot));
    else (*ids)[row] = slots.id(slot);
    set_row(result, row++, slots.in_degree[slot], slots.out_degree[slot], params.directed);
  }
  if (rows.strings) result.ids = VertexIds(std::move(texts));
  else result.ids = VertexIds(ids->span());
  result.keep = {ids, rows.strings};
  return result;
}

const Spec kSpec{
    .name = "degree",
    .family = "graph",
    .summary = "In-degree, out-degree and their sum of every vertex.",
    .inputs = graph_inputs(),
    .parameters = {source_column(), destination_column(), directed_flag()},
    .output = {{"id", "id"},
               {"in_degree", "bigint"},
               {"out_degree", "bigint"},
               {.name = "degree", .type = "bigint", .doc = "their sum, a self-loop counts twice"}},
    .match = "exact",
    .source = "definition",
    .notes =
        "Duplicate edges and self-loops count; a vertex without edges has zeros. Time O(edges). The same result for "
        "every ranks x threads.",
    .memory = {.dense = {.arc = 3, .sent = 2, .vertex = 42},
               .sparse = {.arc = 8, .sent = 7, .vertex = 56, .text = 68, .name = 60, .character = 3},
               .stored = {.vertex = 42, .copy = 8, .name = 24, .character = 0.2}},
};

}  // namespace sparkgap::degree

namespace sparkgap {
namespace {

Output run_degree(const Inputs& inputs, const Values& values, Comm& comm, const Progress& progress) {
  const degree::Params params{get_bool(values, "directed")};
  const Stopwatch compute;
  const bool is_stored = inputs.contains("graph");
  auto result = std::make_shared<degree::Result>(
      is_stored ? degree::of_graph(open_graph(inputs, values, Directions::kIn, comm, progress).graph)
                : degree::run(graph_tables(inputs, values), params, comm, progress));
  Output output;
  output.compute_s = compute.seconds();
  output.rows = result->ids.rows();
  output.columns = {result->ids.column(),
                    {"in_degree", Type::kInt64, result->in_degree.data(), {}},
                    {"out_degree", Type::kInt64, result->out_degree.data(), {}},
                    {"degree", Type::kInt64, result->degree.data(), {}}};
  output.keep = result;
  return output;
}

}  // namespace

const Kernel kKernel{degree::kSpec, run_degree};

}  // namespace sparkgap
