// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "learn/feature_scales.h"

#include <algorithm>
#include <cmath>

#include "arithmetic/wide.h"
#include "process/parallel.h"

namespace sparkgap {
namespace {

/// Moments of some rows.
struct Moments {
  double weight = 0, weight_squares = 0;
  std::vector<double> mean, squares;  ///< squares: sum w (x - mean)^2

  /// Chan, Golub, LeVeque 1979
  void merge(const Moments& other) {
    if (!(other.weight > 0)) return;
    const double all = weight + other.weight;
    for (size_t j = 0; j < mean.size(); ++j) {
      const double apart = other.mean[j] - mean[j];
      mean[j] += apart * (other.weight / all);
      squares[j] += other.squares[j] + apart * apart * (weight / all * other.weight);
    }
    weight = all;
    weight_squares += other.weight_squares;
  }
};

SPARKGAP_WIDE void add_rows(const double* x, int64_t n, int64_t width, const double* weights, const double* origin,
                            double* sums, double* squares) {
  for (int64_t i = 0; i < n; ++i, x += width) {
    const double weight = weights == nullptr ? 1 : weights[i];
    for (int64_t j = 0; j < width; ++j) {
      const double moved = x[j] - origin[j];
      sums[j] += weight * moved;
      squares[j] += weight * moved * moved;
    }
  }
}

Moments of_range(const FeatureMatrix& features, std::span<const double> weights, int64_t begin, int64_t end) {
  const auto width = static_cast<size_t>(features.width());
  Moments part{0, 0, std::vector<double>(width), std::vector<double>(width)};
  for (int64_t row = begin; row < end; ++row) {
    const double weight = weights.empty() ? 1 : weights[static_cast<size_t>(row)];
    part.weight += weight;
    part.weight_squares += weight * weight;
  }
  std::vector<double> origin(width);
  if (features.is_sparse()) {  // round zero, which most of the numbers are
    features.for_rows(begin, end, [&](int64_t row, int64_t n, const int32_t* index, const double* value) {
      const double weight = weights.empty() ? 1 : weights[static_cast<size_t>(row)];
      for (int64_t i = 0; i < n; ++i) {
        const auto j = static_cast<size_t>(index == nullptr ? i : index[i]);
        part.mean[j] += weight * value[i];
        part.squares[j] += weight * value[i] * value[i];
      }
    });
  } else {
    const int64_t block = std::clamp<int64_t>(4096 / std::max<int64_t>(features.width(), 1), 1, 256);
    features.for_blocks(begin, end, block, [&](int64_t row, int64_t n, const double* x) {
      if (row == begin) origin.assign(x, x + width);
      add_rows(x, n, features.width(), weights.empty() ? nullptr : weights.data() + row, origin.data(),
               part.mean.data(), part.squares.data());
    });
  }
  for (size_t j = 0; part.weight > 0 && j < width; ++j) {
    const double apart = part.mean[j] / part.weight;
    part.squares[j] = std::max(0.0, part.squares[j] - part.mean[j] * apart);
    part.mean[j] = origin[j] + apart;
  }
  return part;
}

int64_t parts_of(int64_t rows) { return std::clamp<int64_t>(rows / 4096, 1, 64); }

}  // namespace

double feature_scales_bytes(const LearningJob& job) {
  const auto parts = static_cast<double>(parts_of(static_cast<int64_t>(std::ceil(job.rows / job.ranks))));
  return 8 * job.width * (2 * parts + job.threads + 2 * job.ranks + 6);
}

FeatureScales feature_scales(const FeatureMatrix& features, std::span<const double> weights, Comm& comm) {
  const auto width = static_cast<size_t>(features.width());
  const int64_t parts = parts_of(features.rows());
  std::vector<Moments> of_part(static_cast<size_t>(parts));
  parallel_for(parts, [&](int64_t part) {
    of_part[static_cast<size_t>(part)] =
        of_range(features, weights, cut(features.rows(), parts, part), cut(features.rows(), parts, part + 1));
  });
  Moments mine = std::move(of_part[0]);
  for (size_t part = 1; part < of_part.size(); ++part) mine.merge(of_part[part]);
  mine.mean.resize(width);
  mine.squares.resize(width);

  // Each rank's moments to all, merged in the ranks' order.
  const size_t length = 2 + 2 * width;
  std::vector<double> all(length * static_cast<size_t>(comm.size()));
  double* here = &all[length * static_cast<size_t>(comm.rank())];
  here[0] = mine.weight;
  here[1] = mine.weight_squares;
  std::copy(mine.mean.begin(), mine.mean.end(), here + 2);
  std::copy(mine.squares.begin(), mine.squares.end(), here + 2 + width);
  comm.allgatherv(std::span<double>(all),
                  std::vector<int64_t>(static_cast<size_t>(comm.size()), static_cast<int64_t>(length)));
  Moments total{0, 0, std::vector<double>(width), std::vector<double>(width)};
  for (size_t at = 0; at < all.size(); at += length) {
    const auto from = all.begin() + static_cast<int64_t>(at) + 2, middle = from + static_cast<int64_t>(width);
    total.merge({all[at], all[at + 1], {from, middle}, {middle, middle + static_cast<int64_t>(width)}});
  }
  FeatureScales scales{total.weight, total.mean, std::vector<double>(width)};
  const double freedom = total.weight - total.weight_squares / total.weight;
  for (size_t j = 0; freedom > 0 && j < width; ++j) scales.deviation[j] = std::sqrt(total.squares[j] / freedom);
  return scales;
}

}  // namespace sparkgap
