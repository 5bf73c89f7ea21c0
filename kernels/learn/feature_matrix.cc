// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "learn/feature_matrix.h"

#include <atomic>
#include <cmath>
#include <cstring>

#include "arithmetic/wide.h"
#include "process/error.h"
#include "process/parallel.h"

namespace sparkgap {
namespace {

enum VectorField { kForm, kSize, kIndices, kValues };
constexpr int8_t kSparse = 0, kDense = 1;

template <typename T>
void copy_as(const ColumnView& column, int64_t from, int64_t n, double* out, int64_t stride) {
  const T* values = column.data<T>() + from;
  for (int64_t i = 0; i < n; ++i) out[i * stride] = static_cast<double>(values[i]);
}

const int32_t* offsets(const ColumnView& column) { return column.offsets + column.offset; }

bool has_null(const ColumnView& column, int64_t from, int64_t to) {
  bool found = false;
  if (column.validity != nullptr)
    for (int64_t i = from; i < to; ++i) found |= column.is_null(i);
  return found;
}

SPARKGAP_WIDE bool all_finite(const double* x, int64_t n) {
  constexpr uint64_t kExponent = 0x7ff0000000000000;
  uint64_t odd = 0;
  for (int64_t i = 0; i < n; ++i) {
    uint64_t bits;
    std::memcpy(&bits, x + i, sizeof bits);
    odd |= static_cast<uint64_t>((bits & kExponent) == kExponent);
  }
  return odd == 0;
}

}  // namespace

void copy_numbers(const ColumnView& column, int64_t from, int64_t n, double* out, int64_t stride) {
  switch (column.type) {
    case Type::kInt8:
      return copy_as<int8_t>(column, from, n, out, stride);
    case Type::kInt16:
      return copy_as<int16_t>(column, from, n, out, stride);
    case Type::kInt32:
      return copy_as<int32_t>(column, from, n, out, stride);
    case Type::kInt64:
      return copy_as<int64_t>(column, from, n, out, stride);
    case Type::kFloat32:
      return copy_as<float>(column, from, n, out, stride);
    case Type::kFloat64:
      return copy_as<double>(column, from, n, out, stride);
    default:
      throw Error(Exit::kBug, "copy_numbers", "a column of numbers", type_name(column.type), "Do report it");
  }
}

FeatureMatrix::FeatureMatrix(const Table& table, size_t first, size_t end, Comm& comm)
    : table_(table), first_(first), end_(end) {
  const auto lists = [&](size_t c) { return table.types[c] == Type::kArray || table.types[c] == Type::kStruct; };
  for (size_t c = first; c < end && end - first > 1; ++c)
    if (lists(c))
      throw Error(Exit::kData, table.name + "." + table.column_names[c],
                  "numbers, as there are several columns of features", type_name(table.types[c]),
                  "Name it alone, or columns of numbers");
  for (const Batch& batch : table.batches) {
    check(batch, starts_.back());
    starts_.push_back(starts_.back() + batch.rows);
  }
  const int64_t longest = comm.allreduce(width_, Reduce::kMax),
                shortest = -comm.allreduce(width_ < 0 ? -INT64_MAX : -width_, Reduce::kMax);
  if (longest >= 0 && shortest != longest)
    throw Error(Exit::kData, table.name + "." + table.column_names[first], "features of one length in all rows",
                std::to_string(shortest) + " and " + std::to_string(longest), "Make them equally long");
  width_ = std::max<int64_t>(longest, 0);
}

void FeatureMatrix::refuse(const std::string& expected, const std::string& found, int64_t row,
                           const std::string& action) const {
  throw Error(Exit::kData, table_.name + "." + table_.column_names[first_], expected,
              found + " in row " + std::to_string(row + 1), action);
}

int64_t FeatureMatrix::length(const ColumnView& column, int64_t row) const {
  const bool is_sparse = column.type == Type::kStruct && column.children[kForm].data<int8_t>()[row] == kSparse;
  if (is_sparse) return column.children[kSize].data<int32_t>()[row];
  const int32_t* at = offsets(column.type == Type::kStruct ? column.children[kValues] : column) + row;
  return at[1] - at[0];
}

void FeatureMatrix::check(const Batch& batch, int64_t begin) {
  in_place_.push_back(nullptr);
  for (size_t c = first_; c < end_; ++c)
    for (int64_t row = 0; has_null(batch.columns[c], 0, batch.rows) && row < batch.rows; ++row)
      if (batch.columns[c].is_null(row)) refuse("no nulls", "one", begin + row, "Fill or drop them");
  const ColumnView& column = batch.columns[first_];
  if (column.type == Type::kArray || column.type == Type::kStruct) check_column(column, batch, begin);
  else stored_ += batch.rows * (width_ = static_cast<int64_t>(end_ - first_));
}

void FeatureMatrix::check_column(const ColumnView& column, const Batch& batch, int64_t begin) {
  const ColumnView& lists = column.type == Type::kStruct ? column.children[kValues] : column;
  std::atomic<bool> dense{lists.children[0].type == Type::kFloat64};
  if (width_ < 0) width_ = length(column, 0);
  parallel_ranges(batch.rows, 4096, [&](int64_t from, int64_t to) {
    bool all_dense = true;
    for (int64_t row = from; row < to; ++row) {
      if (column.type == Type::kStruct) {
        const int8_t form = column.children[kForm].data<int8_t>()[row];
        if (form != kSparse && form != kDense)
          refuse("vectors", "something else", begin + row, "Name a column of vectors");
        if (form == kSparse) check_indices(column, row, begin);
        all_dense &= form == kDense;
      }
      const int64_t n = length(column, row);
      if (n != width_)
        refuse(std::to_string(width_) + " features as in the rows before", std::to_string(n), begin + row,
               "Make them equally long");
    }
    if (!all_dense) dense = false;
  });
  const int64_t from = offsets(lists)[0], to = offsets(lists)[batch.rows];
  stored_ += to - from;
  if (has_null(lists.children[0], from, to))
    refuse("no nulls", "one among the features from here on", begin, "Fill or drop them");
  // All of one length and none null: they lie side by side.
  if (dense) in_place_.back() = lists.children[0].data<double>() + from;
}

void FeatureMatrix::check_indices(const ColumnView& column, int64_t row, int64_t begin) const {
  const int32_t *at = offsets(column.children[kIndices]) + row, *values_at = offsets(column.children[kValues]) + row;
  const int64_t size = column.children[kSize].data<int32_t>()[row], n = at[1] - at[0];
  const int32_t* indices = column.children[kIndices].children[0].data<int32_t>() + at[0];
  bool sound = size >= 0 && values_at[1] - values_at[0] == n;
  for (int64_t i = 0; i < n; ++i)
    sound &= indices[i] >= 0 && indices[i] < size && (i == 0 || indices[i - 1] < indices[i]);
  if (!sound)
    refuse("indices of a sparse vector that ascend within its size", "others", begin + row, "Make the vector anew");
}

void FeatureMatrix::fill(size_t batch, int64_t from, int64_t n, double* out) const {
  const std::vector<ColumnView>& columns = table_.batches[batch].columns;
  const ColumnView& column = columns[first_];
  if (column.type == Type::kArray) return copy_numbers(column.children[0], offsets(column)[from], n * width_, out);
  if (column.type != Type::kStruct) {
    for (size_t c = first_; c < end_; ++c) copy_numbers(columns[c], from, n, out + (c - first_), width_);
    return;
  }
  for (int64_t row = from; row < from + n; ++row, out += width_) {
    const Entries entries = entries_of(batch, row);
    if (entries.index == nullptr) {
      std::memcpy(out, entries.value, static_cast<size_t>(width_) * sizeof(double));
      continue;
    }
    std::fill_n(out, width_, 0.0);
    for (int64_t i = 0; i < entries.n; ++i) out[entries.index[i]] = entries.value[i];
  }
}

FeatureMatrix::Entries FeatureMatrix::entries_of(size_t batch, int64_t row) const {
  const ColumnView& column = table_.batches[batch].columns[first_];
  const ColumnView &indices = column.children[kIndices], &values = column.children[kValues];
  const double* value = values.children[0].data<double>() + offsets(values)[row];
  if (column.children[kForm].data<int8_t>()[row] == kDense) return {width_, nullptr, value};
  return {offsets(indices)[row + 1] - offsets(indices)[row],
          indices.children[0].data<int32_t>() + offsets(indices)[row], value};
}

void FeatureMatrix::require_finite(const double* x, int64_t count, int64_t width, int64_t row) const {
  if (all_finite(x, count)) return;
  const double* at = std::find_if(x, x + count, [](double value) { return !std::isfinite(value); });
  refuse("finite numbers", std::isnan(*at) ? "NaN" : "infinity", row + (at - x) / width, "Fill or drop them");
}

}  // namespace sparkgap
