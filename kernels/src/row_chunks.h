// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph.h"

namespace sparkgap {

/// Whole rows of about equal work, counted in arcs and rows.
struct RowChunk {
  int64_t begin, end;
};
/// A row with so many arcs that its pieces are summed on different threads; pieces are [first_piece, end_piece) of RowChunks::pieces.
struct LongRow {
  int64_t row;
  size_t first_piece, end_piece;
};
struct RowPiece {
  int64_t begin, end;  ///< arcs
};

/// The rows of a graph cut up for threads. Depends on the graph alone, so that sums come out the same for any number of threads.
struct RowChunks {
  std::vector<RowChunk> chunks;
  std::vector<LongRow> long_rows;  ///< in no chunk
  std::vector<RowPiece> pieces;

  explicit RowChunks(const Graph& graph);
};

}  // namespace sparkgap
