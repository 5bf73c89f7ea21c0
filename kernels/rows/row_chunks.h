// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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
};

}  // namespace sparkgap
