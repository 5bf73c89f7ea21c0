// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "rows/row_chunks.h"

#include <algorithm>

namespace sparkgap {

RowChunks::RowChunks(std::span<const int64_t> starts_of_rows) {
  const int64_t* starts = starts_of_rows.data();
  const auto rows = static_cast<int64_t>(starts_of_rows.size()) - 1;
  const int64_t share = std::max<int64_t>((starts[rows] - starts[0] + rows) / 512, int64_t{1} << 13);
  // The first row where rows and arcs since `from` make a share.
  const auto chunk_end = [&](int64_t from) {
    const int64_t goal = starts[from] + from + share;
    int64_t low = from, high = rows;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (starts[middle + 1] + middle + 1 >= goal) high = middle;
      else low = middle + 1;
    }
    return std::min(low + 1, rows);
  };
  for (int64_t row = 0; row < rows;) {
    const int64_t end = chunk_end(row), last = end - 1;
    // Only the last row of a chunk can be longer than a share.
    const bool is_long = starts[end] - starts[last] > 2 * share;
    if (const int64_t short_end = is_long ? last : end; short_end > row) chunks.push_back({row, short_end});
    if (is_long) {
      LongRow added{last, pieces.size(), 0};
      for (int64_t at = starts[last]; at < starts[end]; at += share)
        pieces.push_back({at, std::min(at + share, starts[end])});
      added.end_piece = pieces.size();
      long_rows.push_back(added);
    }
    row = end;
  }
}

std::vector<int64_t> rows_of(const std::vector<RowMark>& marks) {
  std::vector<int64_t> rows;
  for (const RowMark& mark : marks) rows.push_back(mark.row);
  return rows;
}

std::vector<RowChunk> RowChunks::of_whole_rows() const {
  std::vector<RowChunk> ranges;
  for (const LongRow& row : long_rows) ranges.push_back({row.row, row.row + 1});
  ranges.insert(ranges.end(), chunks.begin(), chunks.end());
  return ranges;
}

}  // namespace sparkgap
