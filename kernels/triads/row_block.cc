// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "triads/row_block.h"

#include "process/parallel.h"

namespace sparkgap {
namespace {

/// Words per neighbour up to which a row gets a bitmap, or its two: 16 bytes beside the 4 or 5 that its list takes.
constexpr int64_t kWordsPerEnd = 2;

}  // namespace

RowBlock::RowBlock(const OrientedRows& rows, bool mutual)
    : rows_(rows), first_(rows.first), stride_(rows.stride), places_(static_cast<size_t>(rows_.rows)) {
  const int64_t planes = mutual ? 2 : 1;
  int64_t words = 0;
  for (int64_t row = 0; row < rows_.rows; ++row) {
    const int64_t own = (int64_t{rows_.label(row)} + 63) / 64, degree = rows_.degree(row);
    const bool dense = degree > 0 && own * planes <= kWordsPerEnd * degree;
    places_[static_cast<size_t>(row)] = {dense ? words : rows_.starts[static_cast<size_t>(row)],
                                         static_cast<uint32_t>(degree), dense};
    if (dense) words += own * planes;
  }
  bitmaps_ = Buffer<uint64_t>(static_cast<size_t>(words));
  parallel_ranges(rows_.rows, 1 << 10, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const Place& place = places_[static_cast<size_t>(row)];
      if (!place.dense) continue;
      uint64_t* bitmap = bitmaps_.data() + place.at;
      for (int64_t k = rows_.starts[static_cast<size_t>(row)]; k < rows_.starts[static_cast<size_t>(row) + 1]; ++k) {
        const uint32_t end_label = rows_.ends[static_cast<size_t>(k)];
        uint64_t* word = bitmap + end_label / 64 * planes;
        word[0] |= uint64_t{1} << end_label % 64;
        if (planes == 2) word[1] |= uint64_t{rows_.mutual[static_cast<size_t>(k)]} << end_label % 64;
      }
    }
  });
}

}  // namespace sparkgap
