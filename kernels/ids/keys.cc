// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "ids/keys.h"

#include <string>

#include "process/error.h"
#include "process/parallel.h"

namespace sparkgap {
namespace {

template <typename From, typename To>
const To* widen(const ColumnView& column, int64_t row, int64_t rows, To* to) {
  const From* from = column.data<From>() + row;
  for (int64_t i = 0; i < rows; ++i) to[i] = static_cast<To>(from[i]);
  return to;
}

const int64_t* keys_at(const ColumnView& column, int64_t row, int64_t rows, int64_t* to) {
  switch (column.type) {
    case Type::kInt64:
      return column.data<int64_t>() + row;
    case Type::kInt32:
      return widen<int32_t>(column, row, rows, to);
    case Type::kInt16:
      return widen<int16_t>(column, row, rows, to);
    default:
      return widen<int8_t>(column, row, rows, to);
  }
}

const double* weights_at(const ColumnView& column, int64_t row, int64_t rows, double* to) {
  switch (column.type) {
    case Type::kFloat64:
      return column.data<double>() + row;
    case Type::kFloat32:
      return widen<float>(column, row, rows, to);
    case Type::kInt64:
      return widen<int64_t>(column, row, rows, to);
    case Type::kInt32:
      return widen<int32_t>(column, row, rows, to);
    case Type::kInt16:
      return widen<int16_t>(column, row, rows, to);
    default:
      return widen<int8_t>(column, row, rows, to);
  }
}

int64_t count_nulls(const ColumnView& column, int64_t rows) {
  if (column.validity == nullptr) return 0;
  int64_t nulls = 0;
  for (int64_t row = 0; row < rows; ++row) nulls += column.is_null(row);
  return nulls;
}

int64_t count_nulls(const Table& table, int column) {
  return parallel_sum<int64_t>(static_cast<int64_t>(table.batches.size()), 1, [&](int64_t begin, int64_t end) {
    int64_t nulls = 0;
    for (int64_t b = begin; b < end; ++b) {
      const Batch& batch = table.batches[static_cast<size_t>(b)];
      nulls += count_nulls(batch.columns[static_cast<size_t>(column)], batch.rows);
    }
    return nulls;
  });
}

Type type_of(const Table& table, int column) { return table.types[static_cast<size_t>(column)]; }

}  // namespace

std::string column_name(const Table& table, int column) {
  return table.name + "." + table.column_names[static_cast<size_t>(column)];
}

KeyRows::KeyRows(const Table& table, const std::vector<int>& id_columns, int weight_column)
    : table_(&table), id_columns_(id_columns), weight_column_(weight_column) {
  starts_.reserve(table.batches.size() + 1);
  starts_.push_back(0);
  for (const Batch& batch : table.batches) starts_.push_back(starts_.back() + batch.rows);
}

bool KeyRows::strings() const { return type_of(*table_, id_columns_[0]) == Type::kString; }

KeyBlock KeyRows::block_at(int64_t row, int64_t end, bool with_weight, Widened& widened) const {
  const size_t at = batch_of(row);
  const Batch& batch = table_->batches[at];
  const int64_t first = row - starts_[at];
  KeyBlock block;
  block.rows = std::min({kBlockRows, end - row, batch.rows - first});
  const auto keys = [&](size_t which, int64_t* to) {
    if (!replaced_[which].empty()) return static_cast<const int64_t*>(replaced_[which].data() + row);
    return keys_at(batch.columns[static_cast<size_t>(id_columns_[which])], first, block.rows, to);
  };
  block.a = keys(0, widened.a.data());
  if (id_columns_.size() > 1) block.b = keys(1, widened.b.data());
  if (with_weight && weight_column_ >= 0)
    block.weight =
        weights_at(batch.columns[static_cast<size_t>(weight_column_)], first, block.rows, widened.weight.data());
  return block;
}

void KeyRows::check(Comm& comm) const {
  const int first = id_columns_[0], last = id_columns_.back();
  // A rank without rows still knows its types from the manifest, so these agree everywhere.
  if (strings() != (type_of(*table_, last) == Type::kString))
    throw Error(Exit::kData, column_name(*table_, last),
                std::string(strings() ? "strings" : "integers") + " like " + column_name(*table_, first),
                type_name(type_of(*table_, last)), "Cast one of the two columns");

  std::vector<int> columns = id_columns_;
  if (weight_column_ >= 0) columns.push_back(weight_column_);
  std::vector<int64_t> bad(columns.size() + 1);  // nulls of each column, then bad weights
  for (size_t c = 0; c < columns.size(); ++c) bad[c] = count_nulls(*table_, columns[c]);
  if (weight_column_ >= 0 && bad[columns.size() - 1] == 0)
    bad.back() = parallel_sum<int64_t>(rows(), 1 << 16, [&](int64_t begin, int64_t end) {
      int64_t n = 0;
      blocks(begin, end, [&](const KeyBlock& block) {
        for (int64_t i = 0; i < block.rows; ++i)
          n += !(block.weight[i] >= 0 && block.weight[i] <= 1.7976931348623157e308);
      });
      return n;
    });
  comm.allreduce(std::span<int64_t>(bad));
  for (size_t c = 0; c < columns.size(); ++c)
    if (bad[c] > 0)
      throw Error(Exit::kData, column_name(*table_, columns[c]), "no nulls", std::to_string(bad[c]),
                  "Filter them out before the call");
  if (bad.back() > 0)
    throw Error(Exit::kData, column_name(*table_, weight_column_), "finite numbers >= 0",
                std::to_string(bad.back()) + " that are negative, NaN or infinite",
                "Filter them out or replace them before the call");
}

}  // namespace sparkgap
