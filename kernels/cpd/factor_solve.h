// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "cpd/mttkrp.h"

namespace sparkgap {

/// The lengths of the columns of a factor, of which each rank has some rows. Returns the products of all pairs of
/// columns, rank x rank, where each is divided by its length. Collective; all threads; the same for any number of them.
[[nodiscard]] std::vector<double> measure_columns(const FactorRows& mine, std::vector<double>& lengths, Comm& comm);

/// Divides each column by its length; by 0: makes it 0. All threads.
void divide(const FactorRows& rows, const std::vector<double>& lengths);

/// Rows a that minimise 1/2 a V a' - m a' for given rows m and one symmetric V without negative eigenvalues.
class RowSolver {
 public:
  RowSolver(std::vector<double> v, size_t rank, bool non_negative);
  /// m: rank numbers. non_negative: a >= 0, by coordinates from the a that is there, never to a larger value; else a is
  /// written only.
  void solve(const double* m, double* a) const;

 private:
  void solve_non_negative(const double* m, double* a) const;

  size_t rank_;
  bool non_negative_;
  std::vector<double> matrix_;  ///< non_negative: V, else its inverse
};

}  // namespace sparkgap
