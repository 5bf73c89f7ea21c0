// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "buffers/buffer.h"
#include "mpi/comm.h"
#include "table/table.h"

namespace sparkgap {

/// Consecutive rows with ids as 64-bit keys and weights as doubles; b is nullptr for a single id column, weight without
/// one.
struct KeyBlock {
  const int64_t* a = nullptr;
  const int64_t* b = nullptr;
  const double* weight = nullptr;
  int64_t rows = 0;
};

/// The rows of a table as keys: 64-bit integers where they are, narrower ones and weights widened block by block into
/// the caller's cache, strings as the hashes that StringIds made of them. Refers to the table.
class KeyRows {
 public:
  /// One or two id columns, and a column of weights or -1, by their place in the table.
  KeyRows(const Table& table, const std::vector<int>& id_columns, int weight_column);

  int64_t rows() const { return starts_.back(); }
  const Table& table() const { return *table_; }
  const std::vector<int>& id_columns() const { return id_columns_; }
  bool strings() const;
  /// Keys in place of the table's column id_columns()[which].
  void replace(int which, Buffer<int64_t> keys) { replaced_[static_cast<size_t>(which)] = std::move(keys); }
  /// Exchanges the two id columns.
  void turn() {
    std::swap(id_columns_[0], id_columns_[1]);
    std::swap(replaced_[0], replaced_[1]);
  }
  /// Gives replaced keys back; blocks() must not be called after.
  void release() { replaced_ = {}; }

  /// body(const KeyBlock&) over the rows [begin, end) in order. Weights are nullptr where they are not wanted, so they
  /// need no widening.
  template <bool kWithWeight = true, typename Body>
  void blocks(int64_t begin, int64_t end, Body&& body) const {
    Widened widened;
    for (int64_t row = begin; row < end;) {
      const KeyBlock block = block_at(row, end, kWithWeight, widened);
      body(block);
      row += block.rows;
    }
  }

  /// body(row, text) over the rows [begin, end) of the id column `which`, which holds strings.
  template <typename Body>
  void texts(int which, int64_t begin, int64_t end, Body&& body) const {
    for (int64_t row = begin; row < end;) {
      const size_t at = batch_of(row);
      const Batch& batch = table_->batches[at];
      const ColumnView& column = batch.columns[static_cast<size_t>(id_columns_[static_cast<size_t>(which)])];
      for (const int64_t first = starts_[at], stop = std::min(end, first + batch.rows); row < stop; ++row)
        body(row, column.string(row - first));
    }
  }

  /// Throws on every rank where any has nulls, ids of both kinds or a weight that is no finite number >= 0. Collective.
  void check(Comm& comm) const;

 private:
  static constexpr int64_t kBlockRows = 1024;
  struct Widened {
    std::array<int64_t, kBlockRows> a, b;
    std::array<double, kBlockRows> weight;
  };
  size_t batch_of(int64_t row) const {
    return static_cast<size_t>(std::upper_bound(starts_.begin(), starts_.end(), row) - starts_.begin()) - 1;
  }
  KeyBlock block_at(int64_t row, int64_t end, bool with_weight, Widened& widened) const;

  const Table* table_;
  std::vector<int> id_columns_;
  int weight_column_;
  std::vector<int64_t> starts_;  ///< first row of each batch, and their number
  std::array<Buffer<int64_t>, 2> replaced_;
};

/// `name.column` as the user typed it.
std::string column_name(const Table& table, int column);

}  // namespace sparkgap
