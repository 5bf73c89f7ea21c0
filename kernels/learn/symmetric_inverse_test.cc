// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "learn/symmetric_inverse.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace sparkgap {
namespace {

using Matrix = std::vector<double>;

Matrix product(const Matrix& a, const Matrix& b, size_t n) {
  Matrix c(n * n);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t k = 0; k < n; ++k) c[i * n + j] += a[i * n + k] * b[k * n + j];
  return c;
}

/// X'X of `rows` random rows: its rank is the smaller of rows and n.
Matrix gram(size_t n, size_t rows, uint64_t seed) {
  std::mt19937_64 random(seed);
  Matrix a(n * n);
  for (size_t row = 0; row < rows; ++row) {
    std::vector<double> x;
    for (size_t i = 0; i < n; ++i) x.push_back(static_cast<double>(random() % 2001) / 1000 - 1);
    for (size_t i = 0; i < n * n; ++i) a[i] += x[i / n] * x[i % n];
  }
  return a;
}

void expect_near(const Matrix& a, const Matrix& b, double within) {
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], within) << i;
}

TEST(SymmetricInverse, InvertsWhatHasAnInverse) {
  for (const size_t n : {1, 2, 5, 17, 40}) {
    const Matrix a = gram(n, 3 * n, n);
    Matrix one(n * n);
    for (size_t i = 0; i < n; ++i) one[i * n + i] = 1;
    expect_near(product(a, symmetric_inverse(a, n), n), one, 1e-10);
  }
}

TEST(SymmetricInverse, IsMooreAndPenrosesWhereThereIsNone) {
  for (const size_t n : {2, 5, 17})
    for (const size_t rank : {size_t{0}, size_t{1}, n - 1}) {
      const Matrix a = gram(n, rank, n + rank), inverse = symmetric_inverse(a, n);
      expect_near(product(product(a, inverse, n), a, n), a, 1e-10);
      expect_near(product(product(inverse, a, n), inverse, n), inverse, 1e-7);
      for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) EXPECT_NEAR(inverse[i * n + j], inverse[j * n + i], 1e-9);
    }
}

TEST(SymmetricInverse, OfAlmostTheSameRows) {
  const Matrix a{1, 1 - 1e-9, 1 - 1e-9, 1}, inverse = symmetric_inverse(a, 2);
  EXPECT_NEAR(inverse[0] * 2e-9, 1, 1e-6);
  EXPECT_NEAR(inverse[1] * -2e-9, 1, 1e-6);
}

}  // namespace
}  // namespace sparkgap
