// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "process/parallel.h"

namespace sparkgap {

/// Whole rows of about equal work, counted in arcs and rows.
struct RowChunk {
  int64_t begin, end;
};
/// A long row, whose pieces are summed on different threads; pieces are [first_piece, end_piece) of
/// RowChunks::pieces.
struct LongRow {
  int64_t row;
  size_t first_piece, end_piece;
};
struct RowPiece {
  int64_t begin, end;  ///< arcs
};

/// Where a part of the rows begins: the first row, chunk, long row and piece that are in it.
struct RowMark {
  int64_t row, chunk, long_row, piece;
};

/// The first rows of parts, and the end of the last.
std::vector<int64_t> rows_of(const std::vector<RowMark>& marks);

/// Rows of arcs cut up for threads. Depends on their lengths alone, so that sums come out the same for any number of
/// threads.
struct RowChunks {
  std::vector<RowChunk> chunks;
  std::vector<LongRow> long_rows;  ///< in no chunk
  std::vector<RowPiece> pieces;

  /// Of rows whose arcs are [starts[r], starts[r + 1]): Adjacency::starts.
  explicit RowChunks(std::span<const int64_t> starts_of_rows);

  /// All rows as ranges of whole ones, each for one thread: the long rows by themselves and first.
  std::vector<RowChunk> of_whole_rows() const;

  /// Where `parts` of about equal work begin, and where the last ends. rows_of(i): the rows of n chunks, or of what
  /// takes their place.
  template <typename RowsOf>
  std::vector<RowMark> marks(std::span<const int64_t> starts, int64_t parts, int64_t n, RowsOf&& rows_of) const {
    const auto rows = static_cast<int64_t>(starts.size()) - 1, work = starts.back() + rows;
    std::vector<RowMark> marks;
    int64_t chunk = 0;
    const auto first_row = [&] { return chunk < n ? rows_of(chunk).begin : rows; };
    for (int64_t part = 0; part <= parts; ++part) {
      while (chunk < n &&
             (part == parts || starts[static_cast<size_t>(first_row())] + first_row() < cut(work, parts, part)))
        ++chunk;
      const int64_t row = part == 0 ? 0 : first_row();
      const auto first_long =
          std::partition_point(long_rows.begin(), long_rows.end(), [&](const LongRow& one) { return one.row < row; });
      const size_t piece = first_long == long_rows.end() ? pieces.size() : first_long->first_piece;
      marks.push_back({row, chunk, first_long - long_rows.begin(), static_cast<int64_t>(piece)});
    }
    return marks;
  }
};

}  // namespace sparkgap
