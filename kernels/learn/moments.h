// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "learn/examples.h"
#include "mpi/comm.h"
#include "process/progress.h"

namespace sparkgap {

/// First and second moments of the features and the label (column width(), the last) of weighted rows, all that least
/// squares need.
struct Moments {
  int64_t columns = 0;  ///< features and the label
  double weight = 0, weight_squares = 0;
  std::vector<double> mean;        ///< of each column
  std::vector<double> covariance;  ///< of each pair, by weight, not by weight less one; row by row, both triangles

  double of(int64_t i, int64_t j) const { return covariance[static_cast<size_t>(i * columns + j)]; }
};

/// The moments of all ranks' rows, on every rank. Collective.
///
/// Equation   mean_i = sum w x_i / sum w; covariance_ij = sum w (x_i - mean_i)(x_j - mean_j) / sum w
/// Cost       width^2 additions and multiplications per row, one pass; memory 8 bytes * width^2 for each of at most 64
///            parts, 256 MiB in all unless four take more; one message of 4 * width^2 bytes
/// Parallel   the same for any number of threads: bitwise; for any number of ranks to rounding
/// Errors     kData: no row, no weight above 0, no features, features that are NaN or infinite
[[nodiscard]] Moments moments(const Examples& examples, Comm& comm, const Progress& progress);
/// What a rank takes for them at most.
double moments_bytes(const LearningJob& job);

}  // namespace sparkgap
