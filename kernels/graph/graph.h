// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "buffers/buffer.h"
#include "ghosts/ghosts.h"
#include "graph/adjacency.h"
#include "ids/graph_rows.h"
#include "ids/vertex_ids.h"
#include "mpi/comm.h"
#include "process/progress.h"

namespace sparkgap {

/// How vertices are numbered. Tests change it, to have numbers beyond 32 bits in small graphs.
struct Numbering {
  int64_t most_near = (int64_t{1} << 32) - 2;  ///< up to so many vertices, numbers take 32 bits
  int64_t apart = 0;                           ///< numbers that no vertex has, between those of two ranks
};

/// A graph dealt out over the ranks by vertex: each rank has the arcs of its vertices. Vertices are numbered 0 ..
/// vertices-1 over all ranks, rank by rank; on the rank that built them by falling out-degree. Kernels, which see a
/// graph that has its ghosts, know them by their places on the rank (Ghosts). Views: `keep` holds what they look at,
/// memory of this process or the mapped files of a stored graph.
struct Graph {
  int64_t vertices = 0, arcs = 0;  ///< of all ranks; without direction each edge is two arcs
  bool directed = true, weighted = false;
  std::vector<int64_t> counts;  ///< vertices of each rank
  std::vector<int64_t> firsts;  ///< number of each rank's row 0, and what follows the last number
  int64_t first = 0;            ///< firsts[rank]
  int64_t rows = 0;             ///< counts[rank]
  bool far = false;             ///< whether numbers take 64 bits
  Ghosts ghosts;                ///< after find_ghosts()

  Adjacency in;   ///< arcs into the rows' vertices; where asked for
  Adjacency out;  ///< arcs that leave them; where asked for. Without direction both are there, and the same

  std::span<const int64_t> out_degree;  ///< by row
  std::span<const double>
      out_weight;  ///< by row: sum over outgoing arcs; empty without weights, and where only `out` was asked for
  VertexIds ids;   ///< by row
  std::vector<std::shared_ptr<const void>> keep;
  std::vector<std::shared_ptr<const void>> keep_numbers;  ///< what far_ends look at
  bool ends_are_own = false;                              ///< nobody else sees them: places are written over numbers

  /// The rank that has the vertex of this number.
  int rank_of(int64_t number) const {
    return static_cast<int>(std::upper_bound(firsts.begin() + 1, firsts.end() - 1, number) - firsts.begin()) - 1;
  }
  /// Sets counts, firsts, first, rows, vertices and far from this rank's number of rows. Throws kData where there are
  /// too many. Collective.
  void deal(int64_t rows_here, Comm& comm, const Numbering& numbering = {});
  /// Finds the ghosts and makes the ends of all arcs places.
  ///
  /// Cost       with few ranks none. Else two reads of the arcs; 1/4 byte per vertex of all ranks for the time, or 8
  ///            per arc where that is less; 4 per arc stay where numbers took 64 bits or lie in a mapped file
  /// Parallel   collective over comm; all threads; the same for any number of threads
  void find_ghosts(Comm& comm);
  /// Takes a buffer over and gives the view of it.
  template <typename T>
  std::span<T> own(Buffer<T> buffer) {
    const auto kept = std::make_shared<Buffer<T>>(std::move(buffer));
    keep.push_back(kept);
    return kept->span();
  }
};

/// Which arcs are wanted. Both cost twice the time and memory of one. Incoming arcs are nearly sorted within a row, by
/// blocks of 4096 and more sources, and fully where both are wanted. With direction the outgoing ones stand as the
/// input has them, which saves a fifth of the time: a search meets each row once or twice.
enum class Directions { kIn, kOut, kBoth };

/// Rows of tables become a graph, with numbers for ends: find_ghosts() comes after it.
///
/// Input      as GraphTables says: any integers or strings, in any order, with duplicates and self-loops, which are
///            kept
/// Cost       dense integer ids: 4 reads of the input and 8 (weights: 24) bytes per arc at the peak, 12 (28) where its
///            ends do not fit 32 bits (arcs.h); others: 2 reads and 28 (44) bytes; beside 20 to 40 bytes per vertex;
///            over ranks at most 12 and 36 bytes per arc are sent; see transpose() for kBoth
/// Parallel   collective over comm; all threads; the same arcs in the same order for any number of threads
/// Errors     kData: no rows at all, nulls, weights that are no finite number >= 0, mixed kinds of ids, 2^32 - 1
///            vertices or more on one rank
[[nodiscard]] Graph build_graph(const GraphTables& tables, Directions directions, Comm& comm, const Progress& progress,
                                StringHash hash = hash_string, const Numbering& numbering = {});

/// The arcs of `graph.out`, turned round and dealt to the owners of their targets, as graph.in. Its rows are fully
/// sorted.
///
/// Cost       2 reads of `out` and 4 (weights: 12) bytes per arc of temporary memory, 8 (16) where its ends do not fit
///            32 bits, beside the 4 (12) that stay
/// Parallel   collective over comm; all threads; the same result for any number of threads
void transpose(Graph& graph, Comm& comm);

}  // namespace sparkgap
