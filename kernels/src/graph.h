// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "buffer.h"
#include "comm.h"
#include "graph_rows.h"
#include "progress.h"

namespace sparkgap {

/// A graph dealt out over the ranks by vertex: each rank has the arcs into its vertices. Vertices are numbered 0 .. vertices-1
/// over all ranks, rank by rank, on a rank by falling out-degree, so that a rank's vertices without outgoing arcs come last.
struct Graph {
  int64_t vertices = 0, arcs = 0;  ///< of all ranks
  std::vector<int64_t> counts;     ///< vertices of each rank
  int64_t first = 0;               ///< number of this rank's row 0
  int64_t rows = 0;                ///< counts[rank]
  int64_t rows_with_out_arcs = 0;  ///< they come first

  Buffer<int64_t> row_starts;      ///< rows + 1; the arcs into a row's vertex
  Buffer<uint32_t> sources;        ///< the vertex at the other end, nearly sorted within a row
  Buffer<double> weights;          ///< like sources; empty without weights

  Buffer<int64_t> out_degree;      ///< by row
  Buffer<double> weight_sum;       ///< by row, of outgoing arcs; empty without weights
  Buffer<int64_t> ids;             ///< by row: the id, or the key of a string
  std::shared_ptr<const StringIds> strings;  ///< nullptr for integer ids

  int64_t local_arcs() const { return row_starts[static_cast<size_t>(rows)]; }
};

/// Rows of tables become a graph.
///
/// Input      as GraphTables says: any integers or strings, in any order, with duplicates and self-loops, which are kept
/// Cost       dense integer ids: 4 reads of the input and 12 to 20 bytes per arc at the peak; others: 2 reads and 28 bytes
///            (weights: 44), beside 20 to 40 bytes per vertex; over ranks 12 and 36 bytes per arc are sent
/// Parallel   collective over comm; all threads; the same arcs in the same order for any number of threads
/// Errors     kData: no rows at all, nulls, weights that are no finite number >= 0, mixed kinds of ids, 2^32 - 1 vertices or more
[[nodiscard]] Graph build_graph(const GraphTables& tables, Comm& comm, const Progress& progress, StringHash hash = hash_string);

}  // namespace sparkgap
