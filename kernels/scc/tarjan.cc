// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "scc/tarjan.h"

#include <algorithm>
#include <limits>

namespace sparkgap {
namespace {

constexpr uint32_t kClosed = std::numeric_limits<uint32_t>::max();

/// A vertex whose arcs are being followed.
struct Visit {
  int64_t arc;  ///< the next one
  uint32_t vertex;
  uint32_t number;  ///< which visit this is, from 1 on
};

}  // namespace

Buffer<uint32_t> strong_components(std::span<const int64_t> starts, std::span<const uint32_t> ends) {
  const size_t n = starts.size() - 1;
  Buffer<uint32_t> component(n, Content::kAnything), open(n, Content::kAnything);
  Buffer<uint32_t> low(n);  // 0: not visited; else the earliest visit that is known to be reached from it, or kClosed
  Buffer<Visit> visits(n, Content::kAnything);
  size_t depth = 0, opened = 0;
  uint32_t number = 0;
  const auto visit = [&](uint32_t vertex) {
    low[vertex] = ++number;
    visits[depth++] = {starts[vertex], vertex, number};
    open[opened++] = vertex;
  };
  for (uint32_t first = 0; first < n; ++first) {
    if (low[first] != 0) continue;
    visit(first);
    while (depth > 0) {
      Visit& here = visits[depth - 1];
      const int64_t end = starts[here.vertex + 1];
      uint32_t lowest = low[here.vertex];
      uint32_t fresh = kClosed;
      while (here.arc < end && fresh == kClosed) {
        const uint32_t other = ends[static_cast<size_t>(here.arc++)];
        if (low[other] == 0) fresh = other;
        else lowest = std::min(lowest, low[other]);
      }
      low[here.vertex] = lowest;
      if (fresh != kClosed) {
        visit(fresh);
        continue;
      }
      --depth;
      if (lowest < here.number) {  // its component is that of the one before it
        uint32_t& before = low[visits[depth - 1].vertex];
        before = std::min(before, lowest);
        continue;
      }
      uint32_t member;
      do {
        member = open[--opened];
        low[member] = kClosed;
        component[member] = here.vertex;
      } while (member != here.vertex);
    }
  }
  return component;
}

}  // namespace sparkgap
