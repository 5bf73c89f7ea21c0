// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "buffers/buffer.h"

namespace sparkgap {

/// Strongly connected components of a graph that one thread walks through once, depth first.
///
/// Source     Tarjan 1972, "Depth-first search and linear graph algorithms"; Pearce 2016, "A space-efficient algorithm
///            for finding strongly connected components", of whom the infinite number of closed components is
/// Input      starts: int64[n + 1]; the arcs of vertex v go to ends[starts[v] .. starts[v + 1]), each < n; n < 2^32 - 1
/// Output     by vertex: one vertex of its component, the same for all of it
/// Cost       time O(n + arcs); memory 28 bytes per vertex
[[nodiscard]] Buffer<uint32_t> strong_components(std::span<const int64_t> starts, std::span<const uint32_t> ends);

}  // namespace sparkgap
