// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
// Products of some rows of a sparse matrix of ones with a vector. Row r has its columns at columns[begins[r]] to
// columns[begins[r + 1] - 1].
#include <stdint.h>

// The usual product: sums.
void sparkgap_sums(int32_t rows, const int64_t* begins, const int32_t* columns, const double* x, double* y) {
  for (int32_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (int64_t k = begins[r]; k < begins[r + 1]; ++k) sum += x[columns[k]];
    y[r] = sum;
  }
}

// That of the semiring (min, +) with ones as weights; INT32_MAX is infinity.
void sparkgap_nearest(int32_t rows, const int64_t* begins, const int32_t* columns, const int32_t* x, int32_t* y) {
  for (int32_t r = 0; r < rows; ++r) {
    int32_t least = INT32_MAX;
    for (int64_t k = begins[r]; k < begins[r + 1]; ++k) {
      if (x[columns[k]] < least) least = x[columns[k]];
    }
    y[r] = least == INT32_MAX ? least : least + 1;
  }
}
