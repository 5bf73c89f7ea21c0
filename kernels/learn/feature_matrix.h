// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "buffers/buffer.h"
#include "buffers/mapped_file.h"
#include "mpi/comm.h"
#include "table/table.h"

namespace sparkgap {

/// Numbers [from, from + n) of a column of numbers, as doubles, to out[0], out[stride], ... Nulls come as anything.
void copy_numbers(const ColumnView& column, int64_t from, int64_t n, double* out, int64_t stride = 1);

/// The features of a table's rows as a matrix, row by row: columns of numbers, one feature each, or one column of
/// arrays of numbers or of Spark's vectors, dense and sparse ones mixed as they come.
///
/// Rows of doubles that lie side by side in the mapped file are read there, or where they are read but once copied
/// block by block; others are converted block by block, and the matrix is never made. The table must outlive this.
class FeatureMatrix {
 public:
  /// The columns [first, end) of a table that were asked for as "features". Collective.
  ///
  /// Cost       for arrays 4, for vectors 17 bytes per row, for sparse ones their indices; no copy
  /// Errors     kData: a null, rows of unequal length, indices that do not ascend within the length
  FeatureMatrix(const Table& table, size_t first, size_t end, Comm& comm);

  int64_t rows() const { return starts_.back(); }  ///< of this rank
  int64_t width() const { return width_; }         ///< the same on every rank; 0 where no rank has a row

  /// Most features of this rank's rows are zeroes that sparse vectors leave out: for_rows() is faster than
  /// for_blocks().
  bool is_sparse() const { return 4 * stored_ < rows() * width(); }

  /// Whether rows are read again later.
  enum class Pass { kOneOfMany, kOnly };

  /// body(row, n, x) for the rows [begin, end), at most `block` at a time: x[i * width() + j] is feature j of row + i.
  /// For one thread.
  /// Errors     kData: NaN or an infinity
  template <typename Body>
  void for_blocks(int64_t begin, int64_t end, int64_t block, Body&& body, Pass pass = Pass::kOneOfMany) const {
    Buffer<double> made;
    FileStream stream;
    auto batch = static_cast<size_t>(std::upper_bound(starts_.begin(), starts_.end(), begin) - starts_.begin()) - 1;
    for (int64_t row = begin; row < end; ++batch) {
      for (const int64_t stop = std::min(end, starts_[batch + 1]); row < stop;) {
        const int64_t n = std::min(block, stop - row), from = row - starts_[batch];
        const double* x = in_place_[batch] == nullptr ? nullptr : in_place_[batch] + from * width_;
        const MappedFile* file = x == nullptr || pass == Pass::kOneOfMany ? nullptr : table_.batches[batch].file;
        if (x == nullptr || file != nullptr) {
          if (made.empty()) made = Buffer<double>(static_cast<size_t>(block * width_));
          if (file == nullptr) fill(batch, from, n, made.data());
          else stream.read(*file, x, static_cast<size_t>(n * width_) * sizeof(double), made.data());
          x = made.data();
        }
        require_finite(x, n * width_, width_, row);
        body(row, n, x);
        row += n;
      }
    }
  }

  /// body(row, n, index, value) for the rows [begin, end): feature index[i] is value[i] for 0 <= i < n and all others
  /// are zero; where index is nullptr, feature i is value[i] and n = width(). Sparse vectors are not filled. For one
  /// thread.
  /// Errors     kData: NaN or an infinity
  template <typename Body>
  void for_rows(int64_t begin, int64_t end, Body&& body) const {
    auto batch = static_cast<size_t>(std::upper_bound(starts_.begin(), starts_.end(), begin) - starts_.begin()) - 1;
    for (int64_t row = begin; row < end; ++batch) {
      const int64_t stop = std::min(end, starts_[batch + 1]);
      if (in_place_[batch] == nullptr && table_.types[first_] == Type::kStruct) {
        for (; row < stop; ++row) {
          const Entries entries = entries_of(batch, row - starts_[batch]);
          require_finite(entries.value, entries.n, entries.n, row);
          body(row, entries.n, entries.index, entries.value);
        }
        continue;
      }
      for_blocks(row, stop, 64, [&](int64_t first, int64_t n, const double* x) {
        for (int64_t i = 0; i < n; ++i) body(first + i, width_, static_cast<const int32_t*>(nullptr), x + i * width_);
      });
      row = stop;
    }
  }

  /// Says that a row of this rank is not as the kernel needs it. Throws Error(kData) that names the column and the row.
  [[noreturn]] void refuse(const std::string& expected, const std::string& found, int64_t row,
                           const std::string& action) const;

 private:
  /// A vector as it stands in the file.
  struct Entries {
    int64_t n;
    const int32_t* index;  ///< nullptr where dense
    const double* value;
  };
  Entries entries_of(size_t batch, int64_t row) const;
  int64_t length(const ColumnView& column, int64_t row) const;
  void check(const Batch& batch, int64_t begin);
  void check_column(const ColumnView& column, const Batch& batch, int64_t begin);
  void check_indices(const ColumnView& column, int64_t row, int64_t begin) const;
  void fill(size_t batch, int64_t from, int64_t n, double* out) const;
  /// x: `count` numbers, `width` of each row from `row` on.
  void require_finite(const double* x, int64_t count, int64_t width, int64_t row) const;

  const Table& table_;
  const size_t first_, end_;
  int64_t width_ = -1;
  int64_t stored_ = 0;                   ///< numbers, of all rows
  std::vector<int64_t> starts_{0};       ///< first row of each batch, and one more
  std::vector<const double*> in_place_;  ///< by batch: its first row where all lie side by side, else nullptr
};

}  // namespace sparkgap
