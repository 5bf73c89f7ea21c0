// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "mpi/comm.h"

namespace sparkgap {

/// An id of the graph for each row.
struct ComponentNames {
  VertexIds names;
  std::vector<std::shared_ptr<const void>> keep;  ///< what they lie in, beside the graph
};

/// Names each component by the smallest id in it: integers by value, strings by bytes.
///
/// Input      roots: by row, a vertex of all ranks that stands for its component; common_root: that of the largest
///            component, as threads would otherwise wait for each other there
/// Cost       time O(vertices); memory 8 bytes per vertex, 4 (more than one rank: 8) per vertex of all ranks; strings
///            16 more per vertex; messages: one id, to all, for each component that a rank has part of and others too
/// Parallel   collective over comm; all threads; same result for any np x threads
[[nodiscard]] ComponentNames name_components(const Graph& graph, std::span<const uint32_t> roots, uint32_t common_root,
                                             Comm& comm);

}  // namespace sparkgap
