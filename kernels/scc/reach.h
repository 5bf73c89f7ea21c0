// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "ghosts/vertex_bits.h"
#include "graph/graph.h"

namespace sparkgap {

/// The vertices to which paths lead from one, by arcs of one direction, through vertices of `within` alone.
///
/// Source     Beamer, Asanovic, Patterson 2012, Direction-Optimizing Breadth-First Search; differs from it in that
///            there are no levels: a vertex that looks for a reached one among those before it takes any, also one that
///            was reached in the same pass
/// Input      along: the arcs to follow, by row; against: the same ones the other way; start: its row, on the rank that
///            has it; in `within`, which is shared; most_exchanges: how often ranks may tell each other of
///            a few vertices, as they do for each step of a path from rank to rank
/// Output     shared bits by place; nothing where it would take more exchanges
/// Cost       time O(arcs) at most, usually a fraction of them; memory 1/8 byte per place, 8 per vertex
///            that is reached at once; messages per pass: the bits, or 4 bytes for each vertex of another rank that
///            this rank sees first; and two numbers
/// Parallel   collective over comm; all threads; same result for any np x threads
[[nodiscard]] std::optional<VertexBits> reach(const Graph& graph, const Adjacency& along, const Adjacency& against,
                                              std::optional<uint32_t> start, const VertexBits& within,
                                              int64_t most_exchanges, Comm& comm);

}  // namespace sparkgap
