// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <span>

#include "learn/feature_matrix.h"

namespace sparkgap {

/// The rows of a FeatureMatrix as points with weights, each scaled to length 1 where asked.
class WeightedPoints {
 public:
  /// `weights` of this rank's rows, finite and not negative; empty: each weighs 1. Collective.
  WeightedPoints(const FeatureMatrix& features, std::span<const double> weights, bool unit, Comm& comm)
      : features_(features), weights_(weights), unit_(unit), first_(comm.exscan(features.rows())) {}

  int64_t rows() const { return features_.rows(); }  ///< of this rank
  int64_t width() const { return features_.width(); }
  int64_t first() const { return first_; }  ///< the number of this rank's first row among all ranks' rows
  double weight(int64_t row) const { return weights_.empty() ? 1 : weights_[static_cast<size_t>(row)]; }
  bool is_weighted() const { return !weights_.empty(); }

  /// As FeatureMatrix::for_blocks. Errors: kData: a point of length 0 where lengths are to be 1
  template <typename Body>
  void for_blocks(int64_t begin, int64_t end, int64_t block, Body&& body) const {
    std::vector<double> scaled(unit_ ? static_cast<size_t>(block * width()) : 0);
    features_.for_blocks(begin, end, block, [&](int64_t row, int64_t n, const double* x) {
      if (!unit_) return body(row, n, x);
      for (int64_t i = 0; i < n; ++i) {
        double sum = 0;
        for (int64_t j = 0; j < width(); ++j) sum += x[i * width() + j] * x[i * width() + j];
        if (!(sum > 0))
          features_.refuse("vectors of some length for the cosine distance", "one of zeroes", row + i, "Drop it");
        for (int64_t j = 0; j < width(); ++j)
          scaled[static_cast<size_t>(i * width() + j)] = x[i * width() + j] / std::sqrt(sum);
      }
      body(row, n, scaled.data());
    });
  }

 private:
  const FeatureMatrix& features_;
  const std::span<const double> weights_;
  const bool unit_;
  const int64_t first_;
};

}  // namespace sparkgap
