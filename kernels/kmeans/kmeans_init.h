// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kmeans/weighted_points.h"
#include "mpi/comm.h"

namespace sparkgap {

/// Up to k different points, drawn without replacement, each time in proportion to weight: row by row, the same on
/// every rank. A draw depends on the seed and the rows' numbers alone, not on ranks and threads. Collective.
std::vector<double> random_centers(const WeightedPoints& points, int64_t k, uint64_t seed, Comm& comm);

/// Up to k centers by k-means||: from one random point on, each step draws about 2k points in proportion to weight
/// times squared distance to those drawn before; each then stands for the points that it is nearest to, and k-means++
/// and up to 30 Lloyd iterations on these make k of them. Fewer than k where no more than k different points were
/// drawn. Collective.
///
/// Source     Bahmani, Moseley, Vattani, Kumar, Vassilvitskii, Scalable K-Means++, VLDB 2012; Apache Spark MLlib, which
///            weights no draw
/// Cost       time O(rows * width * 2k * steps), memory 12 bytes per row
std::vector<double> parallel_centers(const WeightedPoints& points, int64_t k, int64_t steps, uint64_t seed, Comm& comm);

}  // namespace sparkgap
