// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "learn/least_squares.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "process/parallel.h"

namespace sparkgap {
namespace {

double dot(const double* x, const double* y, int64_t n) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

std::vector<double> times(const Quadratic& problem, const std::vector<double>& c) {
  std::vector<double> product(c.size());
  parallel_ranges(problem.size, 64, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      product[static_cast<size_t>(i)] = dot(problem.a.data() + i * problem.size, c.data(), problem.size);
  });
  return product;
}

double shrunk(double x, double by) { return x > by ? x - by : x < -by ? x + by : 0; }

/// One sweep; `gradient` is A c - b and stays so.
void sweep(const Quadratic& problem, std::vector<double>& c, std::vector<double>& gradient) {
  const int64_t n = problem.size;
  for (int64_t j = 0; j < n; ++j) {
    const auto at = static_cast<size_t>(j);
    const double* column = problem.a.data() + j * n;
    const double step =
        (column[j] > 0 ? shrunk(column[j] * c[at] - gradient[at], problem.l1[at]) / column[j] : 0) - c[at];
    if (step == 0) continue;
    c[at] += step;
    double* g = gradient.data();
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) g[i] += step * column[i];
  }
}

/// How far the worst coordinate is from optimal.
double violation(const Quadratic& problem, const std::vector<double>& c, const std::vector<double>& gradient) {
  double worst = 0;
  for (size_t j = 0; j < c.size(); ++j)
    worst = std::max(worst, c[j] == 0 ? std::abs(gradient[j]) - problem.l1[j]
                                      : std::abs(gradient[j] + std::copysign(problem.l1[j], c[j])));
  return worst;
}

/// The minimum if no coordinate changes its sign, solved for directly; false where it does, or cannot be solved.
bool solve_signs(const Quadratic& problem, std::vector<double>& c) {
  std::vector<size_t> active;
  for (size_t j = 0; j < c.size(); ++j)
    if (c[j] != 0) active.push_back(j);
  const size_t n = active.size();
  std::vector<double> a(n * n), b(n);
  for (size_t i = 0; i < n; ++i) {
    b[i] = problem.b[active[i]] - std::copysign(problem.l1[active[i]], c[active[i]]);
    for (size_t j = 0; j < n; ++j) a[i * n + j] = problem.a[active[i] * c.size() + active[j]];
  }
  if (!cholesky(a, static_cast<int64_t>(n))) return false;
  cholesky_solve(a, b);
  for (size_t i = 0; i < n; ++i)
    if (b[i] == 0 || std::signbit(b[i]) != std::signbit(c[active[i]])) return false;
  for (size_t i = 0; i < n; ++i) c[active[i]] = b[i];
  return true;
}

}  // namespace

double Quadratic::value(const std::vector<double>& c) const {
  const std::vector<double> product = times(*this, c);
  double sum = dot(product.data(), c.data(), size) / 2 - dot(b.data(), c.data(), size);
  for (size_t j = 0; j < l1.size(); ++j) sum += l1[j] * std::abs(c[j]);
  return sum;
}

bool cholesky(std::vector<double>& a, int64_t size, double least) {
  for (int64_t j = 0; j < size; ++j) {
    double* row = a.data() + j * size;
    const double rest = row[j] - dot(row, row, j);
    if (!(rest > least * row[j])) return false;
    row[j] = std::sqrt(rest);
    parallel_ranges(size - j - 1, 256, [&](int64_t begin, int64_t end) {
      for (int64_t i = j + 1 + begin; i < j + 1 + end; ++i) {
        double* other = a.data() + i * size;
        other[j] = (other[j] - dot(other, row, j)) / row[j];
      }
    });
  }
  return true;
}

void cholesky_solve(const std::vector<double>& l, std::vector<double>& b) {
  const auto n = static_cast<int64_t>(b.size());
  for (int64_t i = 0; i < n; ++i)
    b[static_cast<size_t>(i)] =
        (b[static_cast<size_t>(i)] - dot(l.data() + i * n, b.data(), i)) / l[static_cast<size_t>(i * n + i)];
  for (int64_t i = n - 1; i >= 0; --i) {
    const double* row = l.data() + i * n;
    const double x = b[static_cast<size_t>(i)] /= row[i];
    for (int64_t j = 0; j < i; ++j) b[static_cast<size_t>(j)] -= row[j] * x;
  }
}

std::vector<double> inverse_diagonal(const std::vector<double>& l, int64_t size) {
  std::vector<double> diagonal(static_cast<size_t>(size));
  // Column k of L^-1, squared and summed into its own place: (L L')^-1 = L^-T L^-1.
  parallel_for(size, [&](int64_t k) {
    std::vector<double> column(static_cast<size_t>(size));
    double sum = 0;
    for (int64_t i = k; i < size; ++i) {
      const double right = (i == k ? 1 : 0) - dot(l.data() + i * size + k, column.data() + k, i - k);
      column[static_cast<size_t>(i)] = right / l[static_cast<size_t>(i * size + i)];
      sum += column[static_cast<size_t>(i)] * column[static_cast<size_t>(i)];
    }
    diagonal[static_cast<size_t>(k)] = sum;
  });
  return diagonal;
}

Minimum conjugate_gradients(const Quadratic& problem, int64_t max_iterations, double tolerance) {
  const int64_t n = problem.size;
  Minimum found{std::vector<double>(static_cast<size_t>(n)), {0}, true};
  std::vector<double> residual = problem.b, way = residual;
  double square = dot(residual.data(), residual.data(), n);
  const double enough = square * tolerance * tolerance;
  for (int64_t iteration = 0; square > enough; ++iteration) {
    const std::vector<double> turned = times(problem, way);
    const double bend = dot(way.data(), turned.data(), n);
    if (iteration == max_iterations || !(bend > 0)) {
      found.converged = false;
      break;
    }
    const double step = square / bend;
    for (int64_t i = 0; i < n; ++i) {
      found.c[static_cast<size_t>(i)] += step * way[static_cast<size_t>(i)];
      residual[static_cast<size_t>(i)] -= step * turned[static_cast<size_t>(i)];
    }
    const double next = dot(residual.data(), residual.data(), n);
    for (int64_t i = 0; i < n; ++i)
      way[static_cast<size_t>(i)] = residual[static_cast<size_t>(i)] + next / square * way[static_cast<size_t>(i)];
    square = next;
    found.history.push_back(problem.value(found.c));
  }
  return found;
}

Minimum coordinate_descent(const Quadratic& problem, int64_t max_iterations, double tolerance) {
  constexpr int kSweeps = 10;
  Minimum found{std::vector<double>(static_cast<size_t>(problem.size)), {0}, false};
  std::vector<double> gradient(problem.b.size());
  std::transform(problem.b.begin(), problem.b.end(), gradient.begin(), std::negate<>());
  double largest = 0;
  for (const double b : problem.b) largest = std::max(largest, std::abs(b));
  for (int64_t iteration = 0;; ++iteration) {
    found.converged = violation(problem, found.c, gradient) <= tolerance * largest;
    if (found.converged || iteration == max_iterations) return found;
    for (int i = 0; i < kSweeps; ++i) sweep(problem, found.c, gradient);
    solve_signs(problem, found.c);
    gradient = times(problem, found.c);
    for (size_t j = 0; j < gradient.size(); ++j) gradient[j] -= problem.b[j];
    found.history.push_back(problem.value(found.c));
  }
}

}  // namespace sparkgap
