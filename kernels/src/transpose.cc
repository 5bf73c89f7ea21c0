// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "graph.h"

#include "split.h"

// Arcs (source, row) are read row by row, so in the order of their targets, and split by source twice without losing that order:
// first over partitions, then over the rows of each. A partition has every per_rank-th row of its rank, because rows stand in the
// order of falling degree and a contiguous part would hold all hubs.

namespace sparkgap {
namespace {

#pragma pack(push, 4)
template <bool kWeighted>
struct Turned {
  uint32_t from;  ///< number of the source
  uint32_t to;    ///< number of the target
};
template <>
struct Turned<true> {
  uint32_t from, to;
  double weight;
};
#pragma pack(pop)

template <bool kWeighted>
Partitioned<Turned<kWeighted>> split_by_source(const Graph& graph, Partitions partitions, Comm& comm) {
  using Record = Turned<kWeighted>;
  const int64_t arcs = graph.in.arcs(), groups = std::clamp<int64_t>(arcs >> 16, 1, 8 * threads());
  const auto per_rank = static_cast<uint32_t>(partitions.per_rank);  // a power of two
  const auto destination = [&](uint32_t source) {
    if (partitions.ranks == 1) return static_cast<int>(source & (per_rank - 1));
    const int rank = graph.rank_of(source);
    return rank * partitions.per_rank + static_cast<int>((source - static_cast<uint32_t>(graph.firsts[static_cast<size_t>(rank)])) & (per_rank - 1));
  };
  SplitPlan plan(groups, partitions.total());
  parallel_for(groups, [&](int64_t group) {
    int64_t* counts = plan.row(group).data();
    for (int64_t k = cut(arcs, groups, group), end = cut(arcs, groups, group + 1); k < end; ++k) ++counts[destination(graph.in.ends[static_cast<size_t>(k)])];
  });
  plan.finish();
  Buffer<Record> records(static_cast<size_t>(arcs), Content::kAnything);
  parallel_for(groups, [&](int64_t group) {
    Scatter<Record> scatter(records.data(), plan.row(group));
    const int64_t begin = cut(arcs, groups, group), end = cut(arcs, groups, group + 1);
    auto row = static_cast<size_t>(std::upper_bound(graph.in.starts.begin(), graph.in.starts.end(), begin) - graph.in.starts.begin()) - 1;
    for (int64_t k = begin; k < end; ++row) {
      Record record;
      record.to = static_cast<uint32_t>(graph.first + static_cast<int64_t>(row));
      for (const int64_t stop = std::min(end, graph.in.starts[row + 1]); k < stop; ++k) {
        record.from = graph.in.ends[static_cast<size_t>(k)];
        if constexpr (kWeighted) record.weight = graph.in.weights[static_cast<size_t>(k)];
        scatter.push(destination(record.from), record);
      }
    }
  });
  return exchange(std::move(records), plan, partitions, comm);
}

template <bool kWeighted>
void turn_round(Graph& graph, Comm& comm) {
  const Partitions partitions = Partitions::for_edges(graph.arcs, comm.size());
  const auto arcs = split_by_source<kWeighted>(graph, partitions, comm);
  Buffer<int64_t> starts(static_cast<size_t>(graph.rows) + 1);
  for (size_t row = 0; row < static_cast<size_t>(graph.rows); ++row) starts[row + 1] = starts[row] + graph.out_degree[row];
  Buffer<uint32_t> ends(arcs.records.size(), Content::kAnything);
  Buffer<double> weights(kWeighted ? arcs.records.size() : 0, Content::kAnything);
  const int shift = std::countr_zero(static_cast<uint32_t>(partitions.per_rank));
  parallel_for(arcs.partitions, [&](int64_t p) {
    std::vector<int64_t> at;  // next place of each row of the partition
    for (int64_t row = p; row < graph.rows; row += partitions.per_rank) at.push_back(starts[static_cast<size_t>(row)]);
    for (int rank = 0; rank < arcs.ranks; ++rank)
      for (const Turned<kWeighted>& arc : arcs.piece(static_cast<int>(p), rank)) {
        const auto to = static_cast<size_t>(at[(arc.from - static_cast<uint32_t>(graph.first)) >> shift]++);
        ends[to] = arc.to;
        if constexpr (kWeighted) weights[to] = arc.weight;
      }
  });
  graph.out = {graph.own(std::move(starts)), graph.own(std::move(ends)), {}};
  if constexpr (kWeighted) graph.out.weights = graph.own(std::move(weights));
}

}  // namespace

void transpose(Graph& graph, Comm& comm) {
  if (!graph.out.empty()) return;
  if (!graph.directed) {
    graph.out = graph.in;
  } else if (graph.weighted) {
    turn_round<true>(graph, comm);
  } else {
    turn_round<false>(graph, comm);
  }
}

}  // namespace sparkgap
