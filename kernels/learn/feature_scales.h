// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "learn/feature_matrix.h"
#include "mpi/comm.h"
#include "spec/spec.h"

namespace sparkgap {

/// Mean and deviation of each feature over the rows of all ranks.
struct FeatureScales {
  double weight = 0;  ///< of all rows
  std::vector<double> mean;
  std::vector<double> deviation;  ///< the root of sum w (x - mean)^2 / (sum w - sum w^2 / sum w), MLlib's unbiased one
};

/// In one pass, round each part's first row, so that values far from zero keep their digits. weights empty: each 1.
/// Collective.
/// Errors     kData: NaN or infinity
[[nodiscard]] FeatureScales feature_scales(const FeatureMatrix& features, std::span<const double> weights, Comm& comm);
/// What a rank takes for it at most.
double feature_scales_bytes(const LearningJob& job);

}  // namespace sparkgap
