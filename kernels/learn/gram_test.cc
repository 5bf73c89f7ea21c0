// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "learn/gram.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sparkgap {
namespace {

double value(int64_t row, int64_t column) {
  return static_cast<double>((row * 37 + column * 11) % 19) - 9 + 0.25 * static_cast<double>(column % 3);
}

TEST(Gram, SumsOfProductsForEveryWidthOfVectorsAndColumns) {
  std::vector<int> lanes{2};
  if (vector_lanes() >= 4) lanes.push_back(4);
  if (vector_lanes() >= 8) lanes.push_back(8);
  for (const int lane : lanes)
    for (const int64_t width : {1, 2, 7, 8, 9, 23, 24, 25, 49, 102}) {
      Gram gram(width, lane);
      int64_t rows = 0;
      for (const int64_t n : {Gram::kBlock, int64_t{3}, int64_t{0}, int64_t{1}}) {
        for (int64_t i = 0; i < n; ++i)
          for (int64_t j = 0; j < width; ++j) gram.row(i)[j] = value(rows + i, j);
        gram.add(n);
        rows += n;
      }
      const std::vector<double> lower = gram.lower();
      ASSERT_EQ(lower.size(), static_cast<size_t>(width * (width + 1) / 2));
      for (int64_t i = 0; i < width; ++i)
        for (int64_t j = 0; j <= i; ++j) {
          double sum = 0;
          for (int64_t row = 0; row < rows; ++row) sum += value(row, i) * value(row, j);
          EXPECT_EQ(lower[static_cast<size_t>(i * (i + 1) / 2 + j)], sum)
              << lane << " lanes, " << i << ", " << j << " of " << width;
        }
    }
}

}  // namespace
}  // namespace sparkgap
