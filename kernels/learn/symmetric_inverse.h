// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace sparkgap {

/// The inverse of a symmetric matrix without negative eigenvalues, n x n; where that is singular to working precision
/// its pseudo-inverse (Moore, Penrose): what has an eigenvalue below n * 2^-52 of the largest counts as not there.
///
/// Source     Cholesky; where a pivot falls below 1e-6 of its column, Jacobi's rotations
/// Cost       n^3 operations; the pseudo-inverse some 50 n^3
[[nodiscard]] std::vector<double> symmetric_inverse(std::vector<double> matrix, size_t n);

}  // namespace sparkgap
