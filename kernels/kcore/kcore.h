// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "buffers/buffer.h"
#include "graph/graph.h"
#include "mpi/comm.h"
#include "process/progress.h"
#include "spec/spec.h"

namespace sparkgap::kcore {

struct Params {};

struct Result {
  Buffer<int64_t> core;  ///< by row of the graph
  int64_t levels = 0;    ///< different values of all ranks
};

/// The core number of each vertex: how deep in the graph it is.
///
/// Equation   core(v) = the largest k for which a set of vertices has v in it, and each of them has k others of the set
///            at least as neighbours. Neighbours of v are the vertices other than v with an edge to or from it, each
///            once: direction, duplicates and self-loops are ignored
/// Source     Dasari, Desh, Zubair 2014, ParK: an efficient algorithm for k-core decomposition on multicore processors;
///            Kabir, Madduri 2017, Parallel k-core decomposition on multicore platforms (PKC); differs in that the arcs
///            stay as they are, duplicates being told by a mark, in its list of those left, and in the exchange between
///            ranks
/// Input      graph: both directions, dealt over ranks by vertex; duplicates and self-loops may be there, weights are
///            not looked at
/// Output     core: int64[rows], 0 for a vertex without neighbours, at most the number of its neighbours
/// Params     none
/// Cost       time O(arcs + sum of core numbers), each arc looked at twice from both its ends; memory 40 bytes per
///            vertex, 4 per place (rows and ghosts of a rank, ghosts.h) and thread, with several ranks 4 more;
///            messages: in each of at least as many rounds as there are values 8 bytes for each vertex of another
///            rank that lost neighbours, 8 per cut edge at most; with memory in common, a bit per vertex, only for
///            those that are still there
/// Parallel   collective over comm; all threads, one row by one of them; same result for any np x threads: bitwise,
///            integers
/// Errors     none of its own
[[nodiscard]] Result run(const Graph& graph, const Params& params, Comm& comm, const Progress& progress);

/// Name, inputs, parameters with their defaults, output.
extern const Spec kSpec;

}  // namespace sparkgap::kcore
