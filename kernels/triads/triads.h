// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "buffers/buffer.h"
#include "graph/graph.h"
#include "mpi/comm.h"
#include "process/progress.h"
#include "spec/spec.h"

namespace sparkgap {

/// What a triangle adds to each of its corners: one, or the number of arcs (1 or 2) between the other two.
enum class CornerValue { kOne, kArcs };

struct Triads {
  Buffer<int64_t> sums;        ///< by row of the graph: what its triangles add
  Buffer<int64_t> neighbours;  ///< by row: distinct vertices at the other end of its arcs, without itself; empty where
                               ///< not asked for
};

/// Finds every triangle of the graph, taken as simple and without direction, once.
///
/// Method     orient() leaves every triangle to its corner u with the highest label: two neighbours v > w in u's row
///            with w in v's row. Rows that are dense below their label also stand as bitmaps, and u's row meets them 64
///            labels at a time: the bits in common, counted along a word, are v's and u's triangles, counted across
///            words by carry-save adders w's. The other rows are looked up in a bitmap of u's row, or, where they are
///            much longer, u's neighbours in them.
///            With the least memory, a part of the rows stands ready at a time and the others are read from the graph
///            once for each part (graphs with the arcs of both directions alone).
/// Cost       time O(sum over edges (u, v) of the shortest of: u's words, v's row), at most O(arcs^1.5); memory: what
///            orient() says, then per edge 4 (kArcs: 5) bytes and at most 16 for bitmaps, per vertex 24, per vertex of
///            which the rank has a sum 8 (its own and those next to them; with few ranks: all), per vertex of all ranks
///            1/4, of all ranks and per thread 3/16, and 1/2 MiB per thread; with P ranks a rank holds two parts of P
///            of the edges, one of bitmaps, and about sqrt(P) packed ones (1.3 to 5 bytes per edge). With the least
///            memory: 2 bytes per arc, and about 10 reads of the arcs of both directions, with P ranks 10 P
/// Parallel   collective over comm; all threads; ranks stand in about sqrt(P) rows and columns, and the rows of a rank
///            go, packed, to those of its row and its column alone, in about 2 sqrt(P) steps; in the end 12 (24) bytes
///            per sum and 12 (24) per vertex; exact for any number of threads and ranks
[[nodiscard]] Triads count_triads(const Graph& graph, CornerValue value, bool neighbours, Comm& comm,
                                  const Progress& progress);

/// What a kernel takes that counts triads, and takes `own` beside the graph. A part of it makes calls on stored graphs
/// faster and may be missing.
MemoryNeed triads_memory(const MemoryUse& own);

}  // namespace sparkgap
