// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace sparkgap {

/// The derivative of log gamma at x > 0, within 1e-14 or so: the recurrence up to 8, then the asymptotic series
/// (Abramowitz, Stegun 6.3).
inline double digamma(double x) {
  double sum = 0;
  for (; x < 8; ++x) sum -= 1 / x;
  const double s = 1 / (x * x);
  return sum + std::log(x) - 0.5 / x -
         s * (1.0 / 12 -
              s * (1.0 / 120 - s * (1.0 / 252 - s * (1.0 / 240 - s * (1.0 / 132 - s * (691.0 / 32760 - s / 12))))));
}

/// The second derivative of log gamma at x > 0, likewise.
inline double trigamma(double x) {
  double sum = 0;
  for (; x < 8; ++x) sum += 1 / (x * x);
  const double s = 1 / (x * x);
  return sum + 1 / x + s / 2 +
         s / x *
             (1.0 / 6 -
              s * (1.0 / 30 - s * (1.0 / 42 - s * (1.0 / 30 - s * (5.0 / 66 - s * (691.0 / 2730 - s * 7 / 6))))));
}

}  // namespace sparkgap
