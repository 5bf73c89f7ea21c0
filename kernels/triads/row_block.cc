// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "triads/row_block.h"

#include "process/parallel.h"

namespace sparkgap {
namespace {

/// Words per neighbour up to which a row gets a bitmap, or its two: 16 bytes beside the 4 or 5 that its list takes.
constexpr int64_t kWordsPerEnd = 2;

/// One array from every rank to the next; all know the lengths.
template <typename T>
Buffer<T> shift(const Buffer<T>& mine, int64_t length_before, Comm& comm) {
  const auto ranks = static_cast<size_t>(comm.size()), rank = static_cast<size_t>(comm.rank());
  std::vector<int64_t> send(ranks), receive(ranks);
  send[(rank + 1) % ranks] = static_cast<int64_t>(mine.size());
  receive[(rank + ranks - 1) % ranks] = length_before;
  Buffer<T> got(static_cast<size_t>(length_before));
  comm.alltoallv<T>(mine.span(), send, got.span(), receive);
  return got;
}

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

OrientedRows pass_on(const OrientedRows& rows, bool mutual, int of, int64_t vertices, std::span<const int64_t> edges,
                     Comm& comm) {
  const int before = (of + comm.size() - 1) % comm.size();
  const int64_t edges_before = edges[static_cast<size_t>(before)];
  OrientedRows got;
  got.rows = OrientedRows::count(vertices, comm.size(), before);
  got.first = static_cast<uint32_t>(before);
  got.stride = static_cast<uint32_t>(comm.size());
  got.starts = shift(rows.starts, got.rows + 1, comm);
  got.ends = shift(rows.ends, edges_before, comm);
  if (mutual) got.mutual = shift(rows.mutual, edges_before, comm);
  return got;
}

}  // namespace sparkgap
