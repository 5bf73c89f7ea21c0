// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "learn/moments.h"

namespace sparkgap {

/// min over c:  1/2 c'A c - b'c + sum_j l1_j |c_j|, A symmetric without negative eigenvalues, its ridge (L2) already on
///              the diagonal.
struct Quadratic {
  int64_t size = 0;
  std::vector<double> a;  ///< row by row
  std::vector<double> b;
  std::vector<double> l1;  ///< empty: none
  double value(const std::vector<double>& c) const;
};

struct Minimum {
  std::vector<double> c;
  std::vector<double> history;  ///< value() before the first and after each iteration
  bool converged = true;
};

/// A = L L', in the lower triangle. False, with `a` spoiled, where A is singular: where what a column has beyond those
/// before it is less than `least` of its own.
[[nodiscard]] bool cholesky(std::vector<double>& a, int64_t size, double least = 1e-13);
/// Solves L L' x = b in place.
void cholesky_solve(const std::vector<double>& l, std::vector<double>& b);
/// The diagonal of (L L')^-1.
[[nodiscard]] std::vector<double> inverse_diagonal(const std::vector<double>& l, int64_t size);

/// Without L1, where A is singular: conjugate gradients from zero. Of all minima they find the shortest, as any method
/// that only follows gradients from zero does. Ends when the gradient is below `tolerance` of b.
[[nodiscard]] Minimum conjugate_gradients(const Quadratic& problem, int64_t max_iterations, double tolerance);

/// With L1: an iteration is ten sweeps over the coordinates, each set to its best, then one solve for those that are
/// not zero, taken where it changes no sign. Ends when no optimality condition is off by more than `tolerance` of the
/// largest b.
[[nodiscard]] Minimum coordinate_descent(const Quadratic& problem, int64_t max_iterations, double tolerance);

}  // namespace sparkgap
