// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "cpd/factor_solve.h"

#include <algorithm>
#include <cmath>

#include "learn/symmetric_inverse.h"
#include "process/parallel.h"

namespace sparkgap {

void divide(const FactorRows& rows, const std::vector<double>& lengths) {
  std::vector<double> scale;
  for (const double length : lengths) scale.push_back(length > 0 ? 1 / length : 0);
  parallel_ranges(rows.rows, 2048, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      for (size_t r = 0; r < scale.size(); ++r) rows.row(i)[r] *= scale[r];
  });
}

std::vector<double> measure_columns(const FactorRows& mine, std::vector<double>& lengths, Comm& comm) {
  const auto rank = static_cast<size_t>(mine.rank), squares = rank * rank;
  // As many parts as there is room for, whatever the threads.
  const int64_t parts =
      std::clamp<int64_t>(std::min<int64_t>(mine.rows >> 8, (int64_t{1} << 20) / static_cast<int64_t>(squares)), 1, 64);
  std::vector<double> of_parts(static_cast<size_t>(parts) * squares);
  parallel_for(parts, [&](int64_t part) {
    double* gram = of_parts.data() + static_cast<size_t>(part) * squares;
    for (int64_t i = cut(mine.rows, parts, part), end = cut(mine.rows, parts, part + 1); i < end; ++i) {
      const double* row = mine.row(i);
      for (size_t r = 0; r < rank; ++r)
        for (size_t s = 0; s < rank; ++s) gram[r * rank + s] += row[r] * row[s];
    }
  });
  std::vector<double> gram(squares);
  for (size_t i = 0; i < of_parts.size(); ++i) gram[i % squares] += of_parts[i];
  comm.allreduce(std::span(gram));
  lengths.clear();
  for (size_t r = 0; r < rank; ++r) lengths.push_back(std::sqrt(gram[r * rank + r]));
  for (size_t i = 0; i < squares; ++i)
    if (const double both = lengths[i / rank] * lengths[i % rank]; both > 0) gram[i] /= both;
  return gram;
}

RowSolver::RowSolver(std::vector<double> v, size_t rank, bool non_negative)
    : rank_(rank), non_negative_(non_negative),
      matrix_(non_negative ? std::move(v) : symmetric_inverse(std::move(v), rank)) {}

void RowSolver::solve(const double* m, double* a) const {
  if (non_negative_) return solve_non_negative(m, a);
  std::fill_n(a, rank_, 0.0);
  for (size_t s = 0; s < rank_; ++s)
    for (size_t r = 0; r < rank_; ++r) a[r] += m[s] * matrix_[s * rank_ + r];
}

void RowSolver::solve_non_negative(const double* m, double* a) const {
  constexpr int kSweeps = 20;
  constexpr double kStill = 1e-9;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double moved = 0, most = 0;
    for (size_t r = 0; r < rank_; ++r) {
      const double* row = matrix_.data() + r * rank_;
      double slope = m[r];
      for (size_t s = 0; s < rank_; ++s) slope -= row[s] * a[s];
      const double next = row[r] > 0 ? std::max(0.0, a[r] + slope / row[r]) : 0;
      moved = std::max(moved, std::abs(next - a[r]));
      most = std::max(most, next);
      a[r] = next;
    }
    if (moved <= kStill * most) return;
  }
}

}  // namespace sparkgap
