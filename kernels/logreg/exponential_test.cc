// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "logreg/exponential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sparkgap {
namespace {

TEST(Exponential, AsTheLibrarysOne) {
  std::vector<double> x;
  for (double value = -708; value <= 709; value += 0.0917) x.push_back(value);
  for (const double value : {0.0, -0.0, 1e-300, -1e-17, std::log(2) / 2, -std::log(2) / 2, 1.0}) x.push_back(value);
  std::vector<double> found = x;
  exponentiate(found.data(), static_cast<int64_t>(found.size()));
  for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(found[i] / std::exp(x[i]), 1, 5e-16) << x[i];
}

TEST(Exponential, BeyondItsRange) {
  double x[] = {-1e308, -745, 1e308};
  exponentiate(x, 3);
  EXPECT_LT(x[0], 1e-307);
  EXPECT_LT(x[1], 1e-307);
  EXPECT_GT(x[2], 1e307);
  EXPECT_TRUE(std::isfinite(x[2]));
}

}  // namespace
}  // namespace sparkgap
