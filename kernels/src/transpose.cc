// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "graph.h"

#include "split.h"

// Arcs (row, target) are read row by row, so in the order of their sources, and split by target twice without losing that order:
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
Partitioned<Turned<kWeighted>> split_by_target(const Graph& graph, Partitions partitions, Comm& comm) {
  using Record = Turned<kWeighted>;
  const int64_t arcs = graph.out.arcs(), groups = std::clamp<int64_t>(arcs >> 16, 1, 8 * threads());
  const auto per_rank = static_cast<uint32_t>(partitions.per_rank);  // a power of two
  const auto destination = [&](uint32_t target) {
    if (partitions.ranks == 1) return static_cast<int>(target & (per_rank - 1));
    const int rank = graph.rank_of(target);
    return rank * partitions.per_rank + static_cast<int>((target - static_cast<uint32_t>(graph.firsts[static_cast<size_t>(rank)])) & (per_rank - 1));
  };
  SplitPlan plan(groups, partitions.total());
  parallel_for(groups, [&](int64_t group) {
    int64_t* counts = plan.row(group).data();
    for (int64_t k = cut(arcs, groups, group), end = cut(arcs, groups, group + 1); k < end; ++k) ++counts[destination(graph.out.ends[static_cast<size_t>(k)])];
  });
  plan.finish();
  Buffer<Record> records(static_cast<size_t>(arcs), Content::kAnything);
  parallel_for(groups, [&](int64_t group) {
    Scatter<Record> scatter(records.data(), plan.row(group));
    const auto pen = scatter.pen();
    const int64_t begin = cut(arcs, groups, group), end = cut(arcs, groups, group + 1);
    auto row = static_cast<size_t>(std::upper_bound(graph.out.starts.begin(), graph.out.starts.end(), begin) - graph.out.starts.begin()) - 1;
    for (int64_t k = begin; k < end; ++row) {
      Record record;
      record.from = static_cast<uint32_t>(graph.first + static_cast<int64_t>(row));
      for (const int64_t stop = std::min(end, graph.out.starts[row + 1]); k < stop; ++k) {
        record.to = graph.out.ends[static_cast<size_t>(k)];
        if constexpr (kWeighted) record.weight = graph.out.weights[static_cast<size_t>(k)];
        pen(destination(record.to), record);
      }
    }
  });
  return exchange(std::move(records), plan, partitions, comm);
}

template <bool kWeighted>
void turn_round(Graph& graph, Comm& comm) {
  const Partitions partitions = Partitions::for_edges(graph.arcs, comm.size());
  const auto arcs = split_by_target<kWeighted>(graph, partitions, comm);
  const int shift = std::countr_zero(static_cast<uint32_t>(partitions.per_rank));
  const auto row_in_partition = [&](const Turned<kWeighted>& arc) { return (arc.to - static_cast<uint32_t>(graph.first)) >> shift; };
  const auto rows_of = [&](int64_t p) { return static_cast<size_t>(std::max<int64_t>(0, (graph.rows - p + partitions.per_rank - 1) >> shift)); };
  Buffer<int64_t> starts(static_cast<size_t>(graph.rows) + 1);
  int64_t* const degrees = starts.data() + 1;
  parallel_for(arcs.partitions, [&](int64_t p) {
    std::vector<int64_t> counts(rows_of(p));
    for (int rank = 0; rank < arcs.ranks; ++rank)
      for (const Turned<kWeighted>& arc : arcs.piece(static_cast<int>(p), rank)) ++counts[row_in_partition(arc)];
    for (size_t i = 0; i < counts.size(); ++i) degrees[(static_cast<int64_t>(i) << shift) + p] = counts[i];
  });
  for (size_t row = 0; row < static_cast<size_t>(graph.rows); ++row) starts[row + 1] += starts[row];
  Buffer<uint32_t> ends(arcs.records.size(), Content::kAnything);
  Buffer<double> weights(kWeighted ? arcs.records.size() : 0, Content::kAnything);
  parallel_for(arcs.partitions, [&](int64_t p) {
    std::vector<int64_t> at(rows_of(p));  // next place of each row
    for (size_t i = 0; i < at.size(); ++i) at[i] = starts[static_cast<size_t>((static_cast<int64_t>(i) << shift) + p)];
    for (int rank = 0; rank < arcs.ranks; ++rank)
      for (const Turned<kWeighted>& arc : arcs.piece(static_cast<int>(p), rank)) {
        const auto to = static_cast<size_t>(at[row_in_partition(arc)]++);
        ends[to] = arc.from;
        if constexpr (kWeighted) weights[to] = arc.weight;
      }
  });
  graph.in = {graph.own(std::move(starts)), graph.own(std::move(ends)), {}};
  if constexpr (kWeighted) graph.in.weights = graph.own(std::move(weights));
}

}  // namespace

void transpose(Graph& graph, Comm& comm) {
  if (graph.weighted) turn_round<true>(graph, comm);
  else turn_round<false>(graph, comm);
}

}  // namespace sparkgap
