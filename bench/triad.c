// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
// Memory bandwidth by a[i] = b[i] + s * c[i]: the best of several passes, 24 bytes counted per element, in GB/s.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const long n = 1L << 25;  // three arrays of 256 MB: far beyond any cache
  double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = malloc(n * sizeof *c), best = 1e300;
  if (!a || !b || !c) return 4;
#pragma omp parallel for schedule(static)
  for (long i = 0; i < n; ++i) a[i] = 0, b[i] = i, c[i] = 1;
  for (int pass = 0; pass < 12; ++pass) {
    const double start = omp_get_wtime();
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; ++i) a[i] = b[i] + 3.0 * c[i];
    const double took = omp_get_wtime() - start;
    if (took < best) best = took;
  }
  printf("%.3f\n", 24e-9 * n / best);
  return a[n / 2] < 0;
}
