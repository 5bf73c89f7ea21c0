// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace sparkgap {

/// The arcs of a rank's rows in one direction: those of row r are [starts[r], starts[r + 1]) of ends and weights.
struct Adjacency {
  std::span<const int64_t> starts;  ///< rows + 1; empty where this direction was not built
  /// The vertex at the other end: its number, and once the graph has its ghosts its place. Order as Directions says.
  std::span<const uint32_t> ends;
  std::span<const uint64_t> far_ends;  ///< instead, where numbers take 64 bits and the graph has no ghosts yet
  std::span<const double> weights;     ///< like ends; empty without weights

  bool empty() const { return starts.empty(); }
  int64_t arcs() const { return starts.empty() ? 0 : starts.back(); }
  int64_t degree(int64_t row) const { return starts[static_cast<size_t>(row) + 1] - starts[static_cast<size_t>(row)]; }
  std::span<const uint32_t> of(int64_t row) const {
    return ends.subspan(static_cast<size_t>(starts[static_cast<size_t>(row)]), static_cast<size_t>(degree(row)));
  }
};

}  // namespace sparkgap
