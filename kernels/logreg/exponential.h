// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace sparkgap {

/// x[i] = e^x[i], in a form that compilers turn into vector instructions in whatever function it is inlined into:
/// within 2e-16 relative. Below -708 it is e^-708 = 3e-308.
inline void exponentiate(double* x, int64_t n) {
  // x = k ln 2 + r, |r| <= ln 2 / 2; e^r by its series, 2^k by its exponent. Adding 1.5 * 2^52 rounds to a whole
  // number.
  constexpr double kRound = 6755399441055744.0, kHigh = 6.93147180369123816490e-01, kLow = 1.90821492927058770002e-10;
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const double value = std::min(std::max(x[i], -708.0), 709.0), rounded = value * 1.4426950408889634074 + kRound;
    const double k = rounded - kRound, r = (value - k * kHigh) - k * kLow;
    double sum = 1.0 / 6227020800 * r + 1.0 / 479001600;
    sum = (sum * r + 1.0 / 39916800) * r + 1.0 / 3628800;
    sum = (sum * r + 1.0 / 362880) * r + 1.0 / 40320;
    sum = (sum * r + 1.0 / 5040) * r + 1.0 / 720;
    sum = (sum * r + 1.0 / 120) * r + 1.0 / 24;
    sum = (sum * r + 1.0 / 6) * r + 1.0 / 2;
    sum = (sum * r + 1) * r + 1;
    uint64_t bits;
    std::memcpy(&bits, &rounded, sizeof bits);
    bits = (bits << 52) + (uint64_t{1023} << 52);
    double scale;
    std::memcpy(&scale, &bits, sizeof scale);
    x[i] = sum * scale;
  }
}

}  // namespace sparkgap
