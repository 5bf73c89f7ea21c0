// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "learn/examples.h"

#include <cmath>

#include "process/error.h"
#include "process/parallel.h"

namespace sparkgap {

std::vector<InputSpec> data_input() { return {{.name = "data", .required = true, .doc = "One row per example."}}; }

Parameter features_columns() {
  return {.name = "features",
          .kind = Kind::kColumns,
          .fallback = std::vector<std::string>{"features"},
          .doc =
              "One column of vectors (sparse ones are read as they are) or of arrays of numbers, or several columns of "
              "numbers; all finite.",
          .of = "data",
          .accepts = "features"};
}

Parameter label_column() {
  return {.name = "label",
          .kind = Kind::kColumn,
          .fallback = std::string("label"),
          .doc = "Column of data with what is to be learnt, finite numbers.",
          .of = "data",
          .accepts = "number"};
}

Parameter weight_column_of_data() {
  return {.name = "weight",
          .kind = Kind::kColumn,
          .fallback = {},
          .doc = "Column of data with weights, finite and at least 0; without one every row weighs 1.",
          .of = "data",
          .accepts = "number"};
}

void NumberColumn::require_finite(std::optional<double> least) const {
  const auto refuse = [&](const std::string& found, int64_t row) {
    const std::string expected =
        least ? "finite numbers of at least " + std::to_string(static_cast<int>(*least)) : "finite numbers";
    throw Error(Exit::kData, table_.name + "." + table_.column_names[column_], expected,
                found + " in row " + std::to_string(row + 1), "Fill or drop them");
  };
  int64_t first = 0;
  for (const Batch& batch : table_.batches) {
    const ColumnView& column = batch.columns[column_];
    constexpr int64_t kBlock = 4096;
    parallel_for((batch.rows + kBlock - 1) / kBlock, [&](int64_t i) {
      const int64_t from = i * kBlock, n = std::min(kBlock, batch.rows - from);
      if (column.validity != nullptr)
        for (int64_t row = from; row < from + n; ++row)
          if (column.is_null(row)) refuse("a null", first + row);
      double values[kBlock];
      copy_numbers(column, from, n, values);
      for (int64_t j = 0; j < n; ++j) {
        if (!std::isfinite(values[j])) refuse(std::isnan(values[j]) ? "NaN" : "infinity", first + from + j);
        if (least && values[j] < *least) refuse(std::to_string(values[j]), first + from + j);
      }
    });
    first += batch.rows;
  }
}

Examples::Examples(const Table& table, size_t features, bool has_label, bool has_weight, Comm& comm)
    : table_(table), features_(table, 0, features, comm) {
  if (has_label) label_.emplace(table, features);
  if (has_weight) weight_.emplace(table, features + (has_label ? 1 : 0));
  for (const Batch& batch : table.batches) starts_.push_back(starts_.back() + batch.rows);
  if (label_) label_->require_finite(std::nullopt);
  if (weight_) weight_->require_finite(0.0);
}

Buffer<double> Examples::numbers(const std::optional<NumberColumn>& column) const {
  Buffer<double> all(column ? static_cast<size_t>(rows()) : 0, Content::kAnything);
  if (column)
    parallel_for(static_cast<int64_t>(table_.batches.size()), [&](int64_t i) {
      const auto batch = static_cast<size_t>(i);
      column->fill(batch, starts_[batch], starts_[batch], table_.batches[batch].rows, all.data() + starts_[batch]);
    });
  return all;
}

Examples Examples::of(const Inputs& inputs, const Values& values, Comm& comm) {
  const auto has = [&](const char* name) { return values.contains(name) && find_string(values, name).has_value(); };
  return Examples(inputs.at("data"), get_columns(values, "features").size(), has("label"), has("weight"), comm);
}

}  // namespace sparkgap
