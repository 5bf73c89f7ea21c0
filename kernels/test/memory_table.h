// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mpi/comm.h"
#include "process/parallel.h"
#include "table/table.h"

namespace sparkgap {

/// One column of a table made in a test; all ranks make the same.
struct MemoryColumn {
  std::string name;
  Type type;
  int64_t rows = 0;
  std::vector<char> values;
  std::vector<int32_t> offsets;  ///< strings only
  std::vector<uint8_t> validity;

  template <typename T>
  MemoryColumn(std::string name_in, Type type_in, const std::vector<T>& from)
      : name(std::move(name_in)), type(type_in), rows(static_cast<int64_t>(from.size())),
        values(from.size() * sizeof(T)) {
    if (!from.empty()) std::memcpy(values.data(), from.data(), values.size());
  }
  MemoryColumn(std::string name_in, const std::vector<std::string>& from)
      : name(std::move(name_in)), type(Type::kString), rows(static_cast<int64_t>(from.size())), offsets{0} {
    for (const std::string& text : from) {
      values.insert(values.end(), text.begin(), text.end());
      offsets.push_back(static_cast<int32_t>(values.size()));
    }
  }
  MemoryColumn&& with_nulls(const std::set<int64_t>& at) && {
    validity.assign(static_cast<size_t>(rows / 8 + 1), 0xff);
    for (const int64_t row : at) validity[static_cast<size_t>(row / 8)] &= static_cast<uint8_t>(~(1 << (row % 8)));
    return std::move(*this);
  }
};

inline MemoryColumn longs(const std::string& name, const std::vector<int64_t>& values) {
  return {name, Type::kInt64, values};
}
inline MemoryColumn doubles(const std::string& name, const std::vector<double>& values) {
  return {name, Type::kFloat64, values};
}

/// This rank's contiguous share of the rows, in small batches that begin in the middle of the buffers.
inline Table memory_table(const std::string& name, std::vector<MemoryColumn> columns, const Comm& comm,
                          int64_t batch_rows = 5) {
  auto kept = std::make_shared<std::vector<MemoryColumn>>(std::move(columns));
  Table table;
  table.name = name;
  table.mapping = kept;
  table.rows_global = kept->front().rows;
  const int64_t begin = cut(table.rows_global, comm.size(), comm.rank()),
                end = cut(table.rows_global, comm.size(), comm.rank() + 1);
  table.rows = end - begin;
  for (const MemoryColumn& column : *kept) {
    table.column_names.push_back(column.name);
    table.types.push_back(column.type);
  }
  for (int64_t row = begin; row < end; row += batch_rows) {
    Batch batch;
    batch.rows = std::min(batch_rows, end - row);
    for (const MemoryColumn& column : *kept)
      batch.columns.push_back({column.type, column.values.data(),
                               column.offsets.empty() ? nullptr : column.offsets.data(),
                               column.validity.empty() ? nullptr : column.validity.data(), row});
    table.batches.push_back(batch);
  }
  return table;
}

/// What all ranks put in, on every rank.
inline std::vector<std::pair<std::string, std::vector<double>>> gather_rows(
    const std::vector<std::pair<std::string, std::vector<double>>>& mine, Comm& comm) {
  std::vector<char> bytes;
  const auto append = [&](const void* from, size_t n) {
    bytes.insert(bytes.end(), static_cast<const char*>(from), static_cast<const char*>(from) + n);
  };
  for (const auto& [id, values] : mine) {
    const uint64_t sizes[2] = {id.size(), values.size()};
    append(sizes, sizeof sizes);
    append(id.data(), id.size());
    append(values.data(), values.size() * sizeof(double));
  }
  const std::vector<int64_t> counts = comm.allgather<int64_t>(static_cast<int64_t>(bytes.size()));
  int64_t total = 0, first = 0;
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (rank == comm.rank()) first = total;
    total += counts[static_cast<size_t>(rank)];
  }
  std::vector<char> all(static_cast<size_t>(total));
  std::copy(bytes.begin(), bytes.end(), all.begin() + first);
  comm.allgatherv(std::span<char>(all), counts);
  std::vector<std::pair<std::string, std::vector<double>>> rows;
  for (size_t at = 0; at < all.size();) {
    uint64_t sizes[2];
    std::memcpy(sizes, &all[at], sizeof sizes);
    at += sizeof sizes;
    rows.emplace_back(std::string(&all[at], sizes[0]), std::vector<double>(sizes[1]));
    at += sizes[0];
    std::memcpy(rows.back().second.data(), &all[at], sizes[1] * sizeof(double));
    at += sizes[1] * sizeof(double);
  }
  return rows;
}

}  // namespace sparkgap
