// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "arithmetic/vector_lanes.h"
#include "buffers/buffer.h"

namespace sparkgap {

/// Sums of products of all pairs of columns over many rows, X'X. For one thread.
///
/// Rows are put side by side into a block that fits the cache; a full block is added tile by tile of the lower
/// triangle, each tile summed up in registers. For rows of a hundred numbers that is three times as fast as a BLAS that
/// is made for square matrices.
class Gram {
 public:
  static constexpr int64_t kBlock = 64;  ///< rows of a block

  /// `lanes` is another one in tests only.
  explicit Gram(int64_t width, int lanes = vector_lanes());

  /// Where row i of the block goes, 0 <= i < kBlock: width() numbers. What stands behind them stays zero.
  double* row(int64_t i) { return block_.data() + i * stride_; }
  int64_t width() const { return width_; }
  /// Adds the first n rows of the block.
  void add(int64_t n);

  /// The lower triangle, row by row: sum of column i times column j, j <= i, is at i * (i + 1) / 2 + j.
  std::vector<double> lower() const;
  /// Bytes of one of these.
  static int64_t bytes(int64_t width);

 private:
  int64_t width_, stride_;
  int lanes_;
  Buffer<double> block_, sums_;
};

}  // namespace sparkgap
