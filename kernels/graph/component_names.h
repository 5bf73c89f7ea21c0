// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "ids/vertex_ids.h"

namespace sparkgap {

/// An id of the graph for each row.
struct ComponentNames {
  VertexIds names;
  std::vector<std::shared_ptr<const void>> keep;  ///< what they lie in, beside the graph
};

/// The vertex that stands for each component, the same on all ranks and one of the component: its own row has it, too.
struct ComponentRoots {
  std::span<const uint32_t> of_row;         ///< a place, or behind the places the position of a number in `strangers`
  std::span<const int64_t> strangers = {};  ///< distinct numbers of vertices that have no place on this rank
  /// That of the largest component, as threads would otherwise wait for each other there; any other value where this
  /// rank has nothing of it.
  uint32_t common = 0xffffffff;
};

/// Names each component by the smallest id in it: integers by value, strings by bytes.
///
/// Cost       time O(vertices); memory 8 bytes per vertex and 4 per place; strings 16 more per vertex; messages: an id
///            and 4 bytes for each component that a rank has part of whose root is another's, and an id back
/// Parallel   collective over comm; all threads; same result for any np x threads
[[nodiscard]] ComponentNames name_components(const Graph& graph, const ComponentRoots& roots, Comm& comm);

}  // namespace sparkgap
