// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learn/feature_matrix.h"
#include "mpi/comm.h"
#include "process/progress.h"
#include "spec/spec.h"

namespace sparkgap::kmeans {

enum class Init { kParallel, kRandom };
enum class Distance { kEuclidean, kCosine };

struct Params {
  int64_t k;
  int64_t max_iterations;
  double tolerance;
  Init init;
  int64_t init_steps;
  uint64_t seed;
  Distance distance;
};

/// The same on every rank.
struct Result {
  std::vector<double> centers;  ///< row by row; at most k rows
  int64_t width = 0;
  double cost = 0;  ///< to these centers
  double training_cost =
      0;  ///< to the centers before the last iteration, which is what MLlib's summary calls trainingCost
  int64_t iterations = 0;
  bool converged = false;
  double movement = 0;  ///< the longest way of a center in the last iteration
};

/// Centers of k clusters such that points are near to the center of their own.
///
/// Equation   Lloyd: each point x goes to the nearest center, each center becomes the mean of its points, sum w x / sum
///            w; cost = sum w d(x, nearest). euclidean: d = |x - c|^2; cosine: d = 1 - x.c / (|x| |c|), every point
///            counts as x / |x| and every center is scaled to length 1. A center without points (or, cosine, whose
///            points cancel) stays.
/// Source     Lloyd 1982; Apache Spark MLlib KMeans; starts as kmeans_init.h says, or from random points
/// Input      features: a vector per row; weights: one per row, or none: each 1
/// Output     up to k centers: fewer where there are fewer different points, or where the start drew fewer
/// Params     k >= 2, default 2; max_iterations >= 0, default 20; tolerance >= 0, default 1e-4: ends when no center
///            moves by more (cosine: by more cosine distance); init_steps >= 1, default 2; seed
/// Cost       time O(rows * width * k) per iteration, plus 4k * width * rows for the start; memory 12 bytes per row
///            and, for the sums, at most 64 MiB; messages per iteration: 8 k (width + 1) bytes
/// Parallel   collective over comm; all threads; the same for any number of threads: bitwise; for any np to rounding
/// Errors     kData: no rows, no weight above 0, a weight that is negative or not finite; cosine: a vector of zeroes
[[nodiscard]] Result run(const FeatureMatrix& features, std::span<const double> weights, const Params& params,
                         Comm& comm, const Progress& progress);

/// Name, inputs, parameters with their defaults, output.
extern const Spec kSpec;

}  // namespace sparkgap::kmeans
