// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "logreg/quasi_newton.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sparkgap {
namespace {

const StopRule kExact{1000, 1e-15};
void nothing(int64_t, double) {}

/// sum of a_j (x_j - c_j)^2 / 2
Smooth bowl(std::vector<double> a, std::vector<double> c) {
  return [a, c](const std::vector<double>& x, std::vector<double>& gradient) {
    double value = 0;
    for (size_t j = 0; j < x.size(); ++j) {
      gradient[j] = a[j] * (x[j] - c[j]);
      value += gradient[j] * (x[j] - c[j]) / 2;
    }
    return value;
  };
}

TEST(QuasiNewton, FindsTheBottomOfABowl) {
  std::vector<double> a, c;
  for (int j = 0; j < 50; ++j) a.push_back(std::pow(10, j % 5)), c.push_back(j - 20);
  const Descent found = minimise(bowl(a, c), std::vector<double>(50), {}, kExact, nothing);
  EXPECT_TRUE(found.converged);
  for (size_t j = 0; j < 50; ++j) EXPECT_NEAR(found.x[j], c[j], 1e-7);
  EXPECT_TRUE(std::is_sorted(found.history.rbegin(), found.history.rend()));
}

TEST(QuasiNewton, FollowsRosenbrocksValley) {
  const Smooth rosenbrock = [](const std::vector<double>& x, std::vector<double>& gradient) {
    const double a = 1 - x[0], b = x[1] - x[0] * x[0];
    gradient = {-2 * a - 400 * x[0] * b, 200 * b};
    return a * a + 100 * b * b;
  };
  const Descent found = minimise(rosenbrock, {-1.2, 1}, {}, {1000, 1e-15}, nothing);
  EXPECT_NEAR(found.x[0], 1, 1e-6);
  EXPECT_NEAR(found.x[1], 1, 1e-6);
}

TEST(QuasiNewton, L1ShrinksEachCoordinate) {
  const std::vector<double> a{1, 2, 4, 1, 1}, c{3, -3, 0.1, 0, 2}, l1{1, 1, 1, 0.5, 0};
  const Descent found = minimise(bowl(a, c), {0, 0, 5, -1, 0}, l1, kExact, nothing);
  for (size_t j = 0; j < a.size(); ++j) {
    const double size = std::max(0.0, std::abs(c[j]) - l1[j] / a[j]);
    EXPECT_NEAR(found.x[j], std::copysign(size, c[j]), 1e-7) << j;
  }
  EXPECT_EQ(found.x[2], 0);
  EXPECT_EQ(found.x[3], 0);
}

TEST(QuasiNewton, StopsWhereItWasToldTo) {
  const Smooth f = bowl({1, 1000}, {1, 1});
  EXPECT_EQ(minimise(f, {0, 0}, {}, {3, 1e-15}, nothing).history.size(), 4);
  EXPECT_FALSE(minimise(f, {0, 0}, {}, {3, 1e-15}, nothing).converged);
  EXPECT_EQ(minimise(f, {1, 1}, {}, kExact, nothing).history.size(), 1);
  EXPECT_TRUE(minimise(f, {0, 0}, {}, {0, 1e9}, nothing).converged);
}

TEST(QuasiNewton, EndsWhereNothingIsBetter) {
  const Smooth uphill = [](const std::vector<double>&, std::vector<double>& gradient) {  // its gradient lies
    gradient[0] = 1;
    return 1.0;
  };
  const Descent found = minimise(uphill, {0}, {}, kExact, nothing);
  EXPECT_FALSE(found.converged);
  EXPECT_EQ(found.history.size(), 1);
}

}  // namespace
}  // namespace sparkgap
