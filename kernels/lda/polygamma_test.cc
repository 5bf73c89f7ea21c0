// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "lda/polygamma.h"

#include <gtest/gtest.h>

#include <numbers>

namespace sparkgap {
namespace {

constexpr double kPi = std::numbers::pi;

TEST(Polygamma, KnownValues) {
  EXPECT_NEAR(digamma(1), -std::numbers::egamma, 1e-14);
  EXPECT_NEAR(digamma(0.5), -std::numbers::egamma - 2 * std::log(2), 1e-14);
  EXPECT_NEAR(trigamma(1), kPi * kPi / 6, 1e-14);
  EXPECT_NEAR(trigamma(0.5), kPi * kPi / 2, 1e-13);
}

TEST(Polygamma, AreDerivativesOfLogGamma) {
  for (const double x : {0.01, 0.3, 2.5, 7.9, 8.1, 40.0, 1e4}) {
    const double h = 1e-4 * x;
    EXPECT_NEAR(digamma(x), (std::lgamma(x + h) - std::lgamma(x - h)) / (2 * h), 1e-6 * (1 + std::abs(digamma(x))));
    EXPECT_NEAR(trigamma(x), (digamma(x + h) - digamma(x - h)) / (2 * h), 1e-6 * trigamma(x));
    EXPECT_NEAR(digamma(x + 1), digamma(x) + 1 / x, 1e-13 * (1 + 1 / x));
    EXPECT_NEAR(trigamma(x + 1), trigamma(x) - 1 / (x * x), 1e-13 * (1 + 1 / (x * x)));
  }
}

}  // namespace
}  // namespace sparkgap
