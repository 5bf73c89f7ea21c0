// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "ids/keys.h"
#include "ids/string_ids.h"
#include "process/parallel.h"
#include "rows/split.h"

namespace sparkgap {

/// How a graph stands in tables: columns 0 and 1 of `edges` are source and destination, column 2 the weight if
/// `weighted`; column 0 of `vertices`, where there is one, lists ids that are vertices even without edges.
struct GraphTables {
  const Table* edges;
  const Table* vertices = nullptr;
  bool weighted = false;
  bool directed = true;  ///< false: each row also stands for its reverse
};

/// The rows of a graph, checked, with 64-bit keys for ids. An arc is a row, or one of the two directions of a row.
struct GraphRows {
  KeyRows edges;
  std::optional<KeyRows> vertices;
  std::shared_ptr<const StringIds> strings;  ///< nullptr for integers
  bool weighted, directed;
  bool turned = false;       ///< sources and destinations have changed places
  bool sum_weights = false;  ///< out_weight is wanted from the rows of edges: no arcs will stand by source
  int64_t arcs_global;

  /// Throws Error(kData) on every rank where the tables hold no graph. Collective. `hash` is another one in tests only.
  GraphRows(const GraphTables& tables, Comm& comm, StringHash hash = hash_string);
};

/// Sends a record for each end or arc of a table to the owner of its partition. emit(block, out) calls out(destination,
/// record) for the rows of a block in order; it runs twice, first to count. Collective.
template <typename T, typename Emit>
Partitioned<T> split_rows(const KeyRows& rows, Partitions partitions, Comm& comm, Emit&& emit) {
  const int64_t groups = std::clamp<int64_t>(rows.rows() >> 16, 1, 4 * threads());
  SplitPlan plan(groups, partitions.total());
  const auto each = [&](int64_t group, auto&& out) {
    rows.blocks<requires(T record) { record.weight; }>(cut(rows.rows(), groups, group),
                                                       cut(rows.rows(), groups, group + 1), [&](const KeyBlock& block) {
                                                         const auto own = out;  // in registers, see Scatter::Pen
                                                         emit(block, own);
                                                       });
  };
  parallel_for(groups, [&](int64_t group) {
    int64_t* counts = plan.row(group).data();
    each(group, [counts](int destination, const T&) { ++counts[destination]; });
  });
  plan.finish();
  Buffer<T> records(static_cast<size_t>(plan.records()), Content::kAnything);
  parallel_for(groups, [&](int64_t group) {
    Scatter<T> scatter(records.data(), plan.row(group));
    each(group, scatter.pen());
  });
  return exchange(std::move(records), plan, partitions, comm);
}

}  // namespace sparkgap
