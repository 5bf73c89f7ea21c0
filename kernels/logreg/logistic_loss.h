// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learn/feature_matrix.h"
#include "mpi/comm.h"

namespace sparkgap {

/// The rows with their labels and weights, and how features are scaled while they are read: (x_j - center_j) * scale_j.
struct ScaledRows {
  const FeatureMatrix& features;
  std::span<const double> labels;
  std::span<const double> weights;  ///< empty: each 1
  double weight;                    ///< of all rows of all ranks
  std::vector<double> center, scale;
};

/// Mean logistic loss of linear scores, and its gradient, in one pass over the rows.
///
/// Equation   `outputs` = 1: score s, loss = log(1 + e^s) - y s, y in {0, 1}; else: scores s_k, loss = log(sum_k
///            e^(s_k)) - s_y
/// Method     Blocks of rows that fit the first cache are read once: scores, then what each row adds to the gradient,
///            which is summed up block by block. Scaling is done on the coefficients and the gradient, never on the
///            rows. Sparse rows are read as they are
class LogisticLoss {
 public:
  LogisticLoss(const ScaledRows& rows, int64_t outputs, bool intercept, Comm& comm)
      : rows_(rows), outputs_(outputs), intercept_(intercept), comm_(comm) {}

  int64_t outputs() const { return outputs_; }
  /// Coefficients of each output, one after the other, each followed by its intercept where there is one.
  size_t stride() const { return static_cast<size_t>(rows_.features.width()) + (intercept_ ? 1 : 0); }
  size_t length() const { return static_cast<size_t>(outputs_) * stride(); }

  /// How many sums of that many numbers a call makes, each of a part of this rank's rows.
  static int64_t parts_of(int64_t rows, int64_t numbers);

  /// Collective.
  double operator()(const std::vector<double>& at, std::vector<double>& gradient) const;

 private:
  struct Sums;
  void add(int64_t begin, int64_t end, const std::vector<double>& coefficients, const std::vector<double>& offsets,
           Sums& sums) const;

  const ScaledRows& rows_;
  const int64_t outputs_;
  const bool intercept_;
  Comm& comm_;
};

}  // namespace sparkgap
