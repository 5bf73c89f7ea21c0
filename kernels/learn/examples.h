// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "learn/feature_matrix.h"
#include "spec/kernel.h"

// What all kernels that learn from rows say alike: the input `data`, its columns by the same words, and how they are
// read.

namespace sparkgap {

/// `data`, one row per example.
std::vector<InputSpec> data_input();
/// Columns of `data`. A Spec names them in this order; `label` and `weight` may be missing in it.
Parameter features_columns();
Parameter label_column();
Parameter weight_column_of_data();

/// One column of numbers, by the row of this rank.
class NumberColumn {
 public:
  NumberColumn(const Table& table, size_t column) : table_(table), column_(column) {}
  /// Rows [row, row + n) of the batch that begins at `first`.
  void fill(size_t batch, int64_t first, int64_t row, int64_t n, double* out) const {
    copy_numbers(table_.batches[batch].columns[column_], row - first, n, out);
  }
  /// Errors     kData: a null, NaN, an infinity, or where `least` is given a number below it. All rows of this rank;
  ///            all threads.
  void require_finite(std::optional<double> least) const;

 private:
  const Table& table_;
  size_t column_;
};

/// The rows of `data`: features, and where the table has them a label and a weight each.
class Examples {
 public:
  /// The first `features` columns of the table are features, then come label and weight where they are there.
  /// Collective.
  ///
  /// Cost       as FeatureMatrix, and one pass over label and weight
  /// Errors     kData: as FeatureMatrix; a label or weight that is null, NaN or infinite; a weight below 0
  Examples(const Table& table, size_t features, bool has_label, bool has_weight, Comm& comm);
  /// As a Spec's parameters `features`, `label` and `weight` say.
  static Examples of(const Inputs& inputs, const Values& values, Comm& comm);

  int64_t rows() const { return features_.rows(); }           ///< of this rank
  int64_t rows_global() const { return table_.rows_global; }  ///< of all ranks
  int64_t width() const { return features_.width(); }         ///< features of a row, the same on every rank
  bool has_weight() const { return weight_.has_value(); }
  const FeatureMatrix& features() const { return features_; }
  const Table& table() const { return table_; }
  Buffer<double> labels() const { return numbers(label_); }  ///< of this rank's rows; empty where there are none
  Buffer<double> weights() const { return numbers(weight_); }

  /// body(row, n, x, y, w) for the rows [begin, end), at most `block` at a time: x[i * width() + j] is feature j of row
  /// + i, y[i] its label and w[i] its weight, nullptr where there is none. For one thread. Errors: kData for features
  /// that are NaN or infinite.
  template <typename Body>
  void for_blocks(int64_t begin, int64_t end, int64_t block, Body&& body,
                  FeatureMatrix::Pass pass = FeatureMatrix::Pass::kOneOfMany) const {
    std::vector<double> y(label_ ? static_cast<size_t>(block) : 0), w(weight_ ? static_cast<size_t>(block) : 0);
    features_.for_blocks(
        begin, end, block,
        [&](int64_t row, int64_t n, const double* x) {
          const auto batch =
              static_cast<size_t>(std::upper_bound(starts_.begin(), starts_.end(), row) - starts_.begin()) - 1;
          if (label_) label_->fill(batch, starts_[batch], row, n, y.data());
          if (weight_) weight_->fill(batch, starts_[batch], row, n, w.data());
          body(row, n, x, label_ ? y.data() : nullptr, weight_ ? w.data() : nullptr);
        },
        pass);
  }

 private:
  Buffer<double> numbers(const std::optional<NumberColumn>& column) const;

  const Table& table_;
  FeatureMatrix features_;
  std::optional<NumberColumn> label_, weight_;
  std::vector<int64_t> starts_{0};  ///< first row of each batch, and one more
};

}  // namespace sparkgap
