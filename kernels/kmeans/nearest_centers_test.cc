// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "kmeans/nearest_centers.h"

#include <gtest/gtest.h>

#include <random>

namespace sparkgap {
namespace {

/// Point by point, center by center.
int32_t nearest(const double* x, const std::vector<double>& centers, int64_t width, double& squared) {
  int32_t found = -1;
  for (size_t c = 0; c * static_cast<size_t>(width) < centers.size(); ++c) {
    double sum = 0;
    for (int64_t j = 0; j < width; ++j)
      sum += (x[j] - centers[c * static_cast<size_t>(width) + static_cast<size_t>(j)]) *
             (x[j] - centers[c * static_cast<size_t>(width) + static_cast<size_t>(j)]);
    if (found >= 0 && !(sum < squared)) continue;
    found = static_cast<int32_t>(c);
    squared = sum;
  }
  return found;
}

std::vector<int> lanes() {
  std::vector<int> all;
  for (int n = 2; n <= vector_lanes(); n *= 2) all.push_back(n);
  return all;
}

TEST(NearestCenters, AsPlainLoopsFindThem) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (const int64_t width : {1, 3, 20, 131})
    for (const int64_t k : {1, 2, 7, 8, 9, 50})
      for (const double far : {0.0, 1e7}) {
        std::vector<double> x(static_cast<size_t>(width * 101)), centers(static_cast<size_t>(width * k));
        for (auto* all : {&x, &centers})
          for (double& value : *all) value = far + normal(random);
        for (const int n : lanes()) {
          std::vector<int32_t> found(101);
          std::vector<double> squared(101);
          NearestCenters(centers, width, n).find(x.data(), 101, found.data(), squared.data());
          for (size_t i = 0; i < found.size(); ++i) {
            double expected = 0;
            EXPECT_EQ(found[i], nearest(&x[i * static_cast<size_t>(width)], centers, width, expected))
                << width << " " << k << " " << n << " point " << i;
            EXPECT_NEAR(squared[i], expected, 1e-12 * expected);
          }
        }
      }
}

TEST(NearestCenters, TheFirstOfEqualOnes) {
  const std::vector<double> centers{1, 1, -1, -1, 1, 1, -1, -1}, x{1, 1, -2, -2, 0, 0};
  for (const int n : lanes()) {
    std::vector<int32_t> found(3);
    std::vector<double> squared(3);
    NearestCenters(centers, 2, n).find(x.data(), 3, found.data(), squared.data());
    EXPECT_EQ(found, (std::vector<int32_t>{0, 1, 0}));
    EXPECT_EQ(squared, (std::vector<double>{0, 2, 2}));
  }
}

}  // namespace
}  // namespace sparkgap
