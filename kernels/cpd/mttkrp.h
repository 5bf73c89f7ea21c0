// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "cpd/sparse_tensor.h"

namespace sparkgap {

/// Some rows of a factor matrix, one after the other.
struct FactorRows {
  double* first;
  int64_t rows, rank, stride;

  double* row(int64_t i) const { return first + i * stride; }
};

/// A factor matrix: a row of `stride` doubles per place, of which those from `rank` on are 0. Rows begin at multiples
/// of 16 bytes.
struct FactorMatrix {
  Buffer<double> values;
  int64_t rows = 0, rank = 0;

  FactorMatrix(int64_t rows_in, int64_t rank_in)
      : values(static_cast<size_t>(rows_in * (rank_in + rank_in % 2))), rows(rows_in), rank(rank_in) {}
  int64_t stride() const { return rank + rank % 2; }
  double* row(int64_t i) const { return values.data() + i * stride(); }
  FactorRows all() const { return some(0, rows); }
  FactorRows some(int64_t begin, int64_t count) const { return {row(begin), count, rank, stride()}; }
};

/// Matricised tensor times Khatri-Rao product: row i of `sums` is the sum, over the entries of place i, of the value
/// times the product of the other modes' rows, component by component. `sums` has a row for each place of the copy of
/// this mode; those from one mark to another are made. Meanwhile what the ranks have begun to send goes on.
///
/// Cost       modes * rank multiplications per entry; bound by fetching modes - 1 rows of 8 * rank bytes from anywhere
/// Parallel   all threads, each row by one of them (long rows in pieces that are added in order): the same for any
///            number
template <typename Packed>
void mttkrp(const TensorCopy<Packed>& copy, const std::vector<PlaceBits>& layout, size_t mode,
            const std::vector<FactorMatrix>& factors, const RowChunks& chunks, const RowMark& begin, const RowMark& end,
            double* sums, Comm& comm);

}  // namespace sparkgap
