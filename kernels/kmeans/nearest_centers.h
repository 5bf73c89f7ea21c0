// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arithmetic/vector_lanes.h"

namespace sparkgap {

/// Finds, for many points, which of some centers is nearest by Euclidean distance.
///
/// |x - c|^2 / 2 = |x|^2 / 2 + (|c|^2 / 2 - x.c): the bracket decides. Points are turned over into a block that fits
/// the cache, so that each lane of a vector register is a point, and a tile of centers is accumulated in registers: no
/// sum over lanes, no branch. Points and centers are moved by the centers' mean first, or data far from zero would
/// cancel. The distance is then taken exactly, to the one center that was found. Of centers equally near, the first
/// counts, up to rounding.
class NearestCenters {
 public:
  /// centers[c * width + j]; `lanes` is another one in tests only.
  NearestCenters(std::span<const double> centers, int64_t width, int lanes = vector_lanes());

  int64_t size() const { return size_; }
  const double* center(int64_t c) const { return centers_.data() + c * width_; }

  /// For the points x[i * width + j], 0 <= i < n: nearest[i], and the square of the distance to it. For one thread.
  void find(const double* x, int64_t n, int32_t* nearest, double* squared) const;

  static constexpr int64_t kAtOnce = 24;  ///< points that find() turns over at once, so many copies it makes
  /// How many points are best handed to find() at once: a few hundred, fewer where they are long.
  static int64_t block(int64_t width);

 private:
  friend struct NearestBlocks;

  const int64_t width_, size_;
  const int lanes_;
  std::vector<double> centers_, shift_;
  std::vector<double> tiles_;  ///< moved centers, eight at a time: tiles_[(c / 8 * width + j) * 8 + c % 8]
  std::vector<double> half_;   ///< |c|^2 / 2 of moved centers; the last eight are filled up with what is never nearest
};

}  // namespace sparkgap
