// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph/graph.h"

namespace sparkgap {

/// Sends a record for each of some vertices of other ranks to the rank that has it, and gives what the others sent
/// here, in the order of ranks. each(visit) calls visit(vertex) for all of them; it runs twice, first to count.
/// Collective.
template <typename Record, typename Each, typename RecordOf>
std::vector<Record> tell_owners(const Graph& graph, Comm& comm, Each&& each, RecordOf&& record_of) {
  std::vector<int64_t> counts(static_cast<size_t>(comm.size())), places(counts.size()), received;
  const auto owner = [&](uint32_t vertex) { return static_cast<size_t>(graph.rank_of(vertex)); };
  each([&](uint32_t vertex) { ++counts[owner(vertex)]; });
  for (size_t rank = 1; rank < counts.size(); ++rank) places[rank] = places[rank - 1] + counts[rank - 1];
  std::vector<Record> send(static_cast<size_t>(places.back() + counts.back()));
  each([&](uint32_t vertex) { send[static_cast<size_t>(places[owner(vertex)]++)] = record_of(vertex); });
  return comm.alltoallv<Record>(send, counts, received);
}

}  // namespace sparkgap
