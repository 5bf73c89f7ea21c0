// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "learn/symmetric_inverse.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "learn/least_squares.h"

namespace sparkgap {
namespace {

/// Below it another method is more exact.
constexpr double kLeastPivot = 1e-6;

/// The inverse of L L', column by column.
std::vector<double> inverse_of(const std::vector<double>& l, size_t n) {
  std::vector<double> inverse(n * n), x(n);
  for (size_t column = 0; column < n; ++column) {
    std::fill(x.begin(), x.end(), 0.0);
    x[column] = 1;
    cholesky_solve(l, x);
    for (size_t i = 0; i < n; ++i) inverse[i * n + column] = x[i];
  }
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < i; ++j)
      inverse[i * n + j] = inverse[j * n + i] = (inverse[i * n + j] + inverse[j * n + i]) / 2;
  return inverse;
}

/// Rotates p and q so that a[p, q] becomes 0.
void rotate(std::vector<double>& a, std::vector<double>& vectors, size_t n, size_t p, size_t q) {
  const double off = a[p * n + q];
  const double theta = (a[q * n + q] - a[p * n + p]) / (2 * off);
  const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
  const double c = 1 / std::sqrt(t * t + 1), s = t * c;
  const auto turn = [&](double& x, double& y) { x = std::exchange(y, s * x + c * y) * -s + c * x; };
  for (size_t k = 0; k < n; ++k) turn(a[k * n + p], a[k * n + q]);
  for (size_t k = 0; k < n; ++k) turn(a[p * n + k], a[q * n + k]);
  for (size_t k = 0; k < n; ++k) turn(vectors[k * n + p], vectors[k * n + q]);
}

std::vector<double> pseudo_inverse(std::vector<double> a, size_t n) {
  constexpr int kSweeps = 60;
  constexpr double kEpsilon = 2.220446049250313e-16;
  std::vector<double> vectors(n * n);
  for (size_t i = 0; i < n; ++i) vectors[i * n + i] = 1;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool turned = false;
    double largest = 0;
    for (size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(a[i * n + i]));
    for (size_t p = 0; p < n; ++p)
      for (size_t q = p + 1; q < n; ++q)
        if (std::abs(a[p * n + q]) > kEpsilon / 16 * largest) {
          rotate(a, vectors, n, p, q);
          turned = true;
        }
    if (!turned) break;
  }
  double largest = 0;
  for (size_t i = 0; i < n; ++i) largest = std::max(largest, a[i * n + i]);
  std::vector<double> inverse(n * n);
  for (size_t e = 0; e < n; ++e) {
    const double value = a[e * n + e];
    if (!(value > static_cast<double>(n) * kEpsilon * largest)) continue;
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j) inverse[i * n + j] += vectors[i * n + e] * vectors[j * n + e] / value;
  }
  return inverse;
}

}  // namespace

std::vector<double> symmetric_inverse(std::vector<double> matrix, size_t n) {
  std::vector<double> l = matrix;
  return cholesky(l, static_cast<int64_t>(n), kLeastPivot) ? inverse_of(l, n) : pseudo_inverse(std::move(matrix), n);
}

}  // namespace sparkgap
