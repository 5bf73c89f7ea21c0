// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "graph/arcs.h"

// Arcs (row, target) are read row by row, so in the order of their sources, and split by target twice without losing
// that order: first over partitions, then over the rows of each. A partition has every per_rank-th row of its rank,
// because rows stand in the order of falling degree and a contiguous part would hold all hubs.

namespace sparkgap {
namespace {

/// How rows are dealt to partitions.
struct DealtRows {
  const Graph& graph;
  const int64_t* firsts;
  Partitions partitions;
  uint32_t mask;  ///< per_rank is a power of two
  int shift;
  uint64_t ranks_per_number;  ///< times 2^64

  explicit DealtRows(const Graph& of)
      : graph(of), firsts(of.firsts.data()),
        partitions(Partitions::for_edges(of.arcs, static_cast<int>(of.counts.size()))),
        mask(static_cast<uint32_t>(partitions.per_rank) - 1), shift(std::popcount(mask)),
        ranks_per_number(~uint64_t{0} / static_cast<uint64_t>(std::max<int64_t>(of.firsts.back(), 1)) *
                         static_cast<uint64_t>(partitions.ranks)) {}

  struct Place {
    int partition;  ///< of all ranks
    uint32_t row;   ///< within it
  };
  /// Vertices are dealt evenly, so that what follows from the number is nearly always right: a search would guess wrong
  /// at every second arc.
  int rank_of(uint64_t vertex) const {
    auto rank = static_cast<int>(static_cast<unsigned __int128>(vertex) * ranks_per_number >> 64);
    while (static_cast<int64_t>(vertex) < firsts[rank]) --rank;
    while (static_cast<int64_t>(vertex) >= firsts[rank + 1]) ++rank;
    return rank;
  }
  Place place(uint64_t vertex) const {
    const int rank = partitions.ranks == 1 ? 0 : rank_of(vertex);
    const auto row = static_cast<uint32_t>(vertex - static_cast<uint64_t>(firsts[rank]));
    return {rank * partitions.per_rank + static_cast<int>(row & mask), row >> shift};
  }
  /// Rows of this rank's partition p.
  size_t rows(int64_t p) const { return static_cast<size_t>(std::max<int64_t>(0, (graph.rows - p + mask) >> shift)); }
  int64_t row(int64_t p, size_t i) const { return (static_cast<int64_t>(i) << shift) + p; }
  /// Bits that hold any row within a partition, of any rank.
  int bits() const {
    return std::bit_width(static_cast<uint64_t>(std::max<int64_t>(*std::ranges::max_element(graph.counts), 1) - 1) >>
                          shift);
  }
};

std::span<const uint32_t> numbers_of(const Adjacency& arcs, uint32_t) { return arcs.ends; }
std::span<const uint64_t> numbers_of(const Adjacency& arcs, uint64_t) { return arcs.far_ends; }

template <typename Record>
Partitioned<Record> split_by_target(const Graph& graph, const DealtRows& dealt, SourceBits source_bits, Comm& comm) {
  using Number = typename Record::Number;
  const int64_t arcs = graph.out.arcs(), groups = std::clamp<int64_t>(arcs >> 16, 1, 8 * threads());
  const std::span<const Number> ends = numbers_of(graph.out, Number());
  SplitPlan plan(groups, dealt.partitions.total());
  parallel_for(groups, [&](int64_t group) {
    const DealtRows own = dealt;  // in registers
    int64_t* counts = plan.row(group).data();
    for (int64_t k = cut(arcs, groups, group), end = cut(arcs, groups, group + 1); k < end; ++k)
      ++counts[own.place(ends[static_cast<size_t>(k)]).partition];
  });
  plan.finish();
  Buffer<Record> records(static_cast<size_t>(arcs), Content::kAnything);
  parallel_for(groups, [&](int64_t group) {
    const DealtRows own = dealt;
    const SourceBits bits = source_bits;
    Scatter<Record> scatter(records.data(), plan.row(group));
    const auto pen = scatter.pen();
    const int64_t begin = cut(arcs, groups, group), end = cut(arcs, groups, group + 1);
    auto row = static_cast<size_t>(std::upper_bound(graph.out.starts.begin(), graph.out.starts.end(), begin) -
                                   graph.out.starts.begin()) -
               1;
    for (int64_t k = begin; k < end; ++row) {
      const auto from = static_cast<Number>(graph.first + static_cast<int64_t>(row));
      for (const int64_t stop = std::min(end, graph.out.starts[row + 1]); k < stop; ++k) {
        const auto place = own.place(ends[static_cast<size_t>(k)]);
        Record record;
        record.set(place.row, from, bits);
        if constexpr (Record::kWeighted) record.weight = graph.out.weights[static_cast<size_t>(k)];
        pen(place.partition, record);
      }
    }
  });
  return exchange(std::move(records), plan, dealt.partitions, comm);
}

template <typename Record>
void turn_round(Graph& graph, const DealtRows& dealt, SourceBits bits, Comm& comm) {
  const auto arcs = split_by_target<Record>(graph, dealt, bits, comm);
  Buffer<int64_t> starts(static_cast<size_t>(graph.rows) + 1);
  int64_t* const degrees = starts.data() + 1;
  parallel_for(arcs.partitions, [&](int64_t p) {
    std::vector<int64_t> counts(dealt.rows(p));
    for (int rank = 0; rank < arcs.ranks; ++rank)
      for (const Record& arc : arcs.piece(static_cast<int>(p), rank)) ++counts[arc.to(bits)];
    for (size_t i = 0; i < counts.size(); ++i) degrees[dealt.row(p, i)] = counts[i];
  });
  for (size_t row = 0; row < static_cast<size_t>(graph.rows); ++row) starts[row + 1] += starts[row];
  Buffer<typename Record::Number> ends(arcs.records.size(), Content::kAnything);
  Buffer<double> weights(Record::kWeighted ? arcs.records.size() : 0, Content::kAnything);
  parallel_for(arcs.partitions, [&](int64_t p) {
    std::vector<int64_t> at(dealt.rows(p));  // next place of each row
    for (size_t i = 0; i < at.size(); ++i) at[i] = starts[static_cast<size_t>(dealt.row(p, i))];
    for (int rank = 0; rank < arcs.ranks; ++rank)
      for (const Record& arc : arcs.piece(static_cast<int>(p), rank)) {
        const auto to = static_cast<size_t>(at[arc.to(bits)]++);
        ends[to] = arc.from(bits);
        if constexpr (Record::kWeighted) weights[to] = arc.weight;
      }
  });
  graph.in = {.starts = graph.own(std::move(starts)), .ends = {}, .far_ends = {}, .weights = {}};
  set_ends(graph, graph.in, std::move(ends));
  if constexpr (Record::kWeighted) graph.in.weights = graph.own(std::move(weights));
}

template <bool kWeighted>
void turn_round(Graph& graph, Comm& comm) {
  const DealtRows dealt(graph);
  const SourceBits bits(graph.vertices);
  if (graph.far) turn_round<Arc<kWeighted, ThreeWords>>(graph, dealt, bits, comm);
  else if (bits.leave(dealt.bits())) turn_round<Arc<kWeighted, OneWord>>(graph, dealt, bits, comm);
  else turn_round<Arc<kWeighted, TwoWords>>(graph, dealt, bits, comm);
}

}  // namespace

void transpose(Graph& graph, Comm& comm) {
  if (graph.weighted) turn_round<true>(graph, comm);
  else turn_round<false>(graph, comm);
}

}  // namespace sparkgap
