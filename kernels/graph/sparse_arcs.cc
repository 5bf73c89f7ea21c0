// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "graph/arcs.h"
#include "process/error.h"

// Arbitrary keys become numbers in two hops. A record goes to the owner of its destination, which has the hash table to
// number it, from there to the owner of its source, and back. At each stop the records of a partition are read twice:
// once to look keys up and count, once to move on. Every table lookup hits a table that fits the cache of one core.

namespace sparkgap {
namespace {

#pragma pack(push, 4)
template <bool kWeighted>
struct KeyArc : Weight<kWeighted> {
  int64_t from, to;  ///< keys; `to` is overwritten by the number within its partition
};
template <bool kWeighted>
struct HalfArc : Weight<kWeighted> {
  int64_t from;  ///< key, overwritten by the number within its partition
  uint32_t to;   ///< partition and number within it, see Code
};
#pragma pack(pop)

/// Partition of a rank and number within it in 32 bits.
struct Code {
  int bits;  ///< for the number
  explicit Code(const Partitions& partitions)
      : bits(32 - std::bit_width(static_cast<uint32_t>(partitions.per_rank) - 1)) {}
  uint32_t pack(int partition, uint32_t number) const {
    return static_cast<uint32_t>(static_cast<uint64_t>(partition) << bits) | number;
  }
  int partition(uint32_t code) const { return static_cast<int>(static_cast<uint64_t>(code) >> bits); }
  uint32_t number(uint32_t code) const { return code & static_cast<uint32_t>((uint64_t{1} << bits) - 1); }
  void check(size_t vertices) const {
    if (vertices > (uint64_t{1} << bits) - 1)
      throw Error(Exit::kData, "edges",
                  "fewer than " + std::to_string(uint64_t{1} << bits) + " vertices in each partition of a rank",
                  std::to_string(vertices), "Use more ranks");
  }
};

/// visit(run, record) numbers one end of each record and tells the destination of its next hop; all records of a
/// partition are visited in order by one thread. Returns where they go.
template <typename Record, typename Visit>
SplitPlan number_records(const Partitioned<Record>& in, const Runs& runs, int destinations, Visit&& visit) {
  SplitPlan plan(runs.groups, destinations);
  parallel_for(in.partitions, [&](int64_t p) {
    std::vector<int64_t> counts(static_cast<size_t>(destinations));
    int64_t group = -1;
    const auto hand_in = [&] {  // a group may be shared with partitions on other threads
      if (group < 0) return;
      const auto row = plan.row(group);
      for (size_t d = 0; d < counts.size(); ++d)
        if (counts[d] > 0)
          std::atomic_ref<int64_t>(row[d]).fetch_add(std::exchange(counts[d], 0), std::memory_order_relaxed);
    };
    for (const RecordRun& run : runs.of_partition(static_cast<int>(p))) {
      if (run.group != group) hand_in();
      group = run.group;
      int64_t* const to = counts.data();
      for (Record *record = in.records.data() + run.begin, *end = in.records.data() + run.end; record < end; ++record)
        ++to[visit(run, *record)];
    }
    hand_in();
  });
  plan.finish();
  return plan;
}

/// Makes the records of the next hop, and gives the old ones back before they are sent. move(run, record, pen) writes
/// one.
template <typename Next, typename Record, typename Move>
Partitioned<Next> move_records(Partitioned<Record> in, const Runs& runs, SplitPlan plan, Partitions partitions,
                               Comm& comm, Move&& move) {
  Buffer<Next> next(in.records.size(), Content::kAnything);
  parallel_for(runs.groups, [&](int64_t group) {
    Scatter<Next> scatter(next.data(), plan.row(group));
    const auto pen = scatter.pen();
    for (const RecordRun& run : runs.of_group(group))
      for (int64_t i = run.begin; i < run.end; ++i) move(run, in.records[static_cast<size_t>(i)], pen);
  });
  in.records.clear();
  return exchange(std::move(next), plan, partitions, comm);
}

template <bool kWeighted>
Partitioned<KeyArc<kWeighted>> split_by_destination(const GraphRows& rows, Partitions partitions, Comm& comm) {
  return split_rows<KeyArc<kWeighted>>(rows.edges, partitions, comm, [&](const KeyBlock& block, auto&& out) {
    for (int64_t i = 0; i < block.rows; ++i) {
      KeyArc<kWeighted> arc;
      arc.set_weight(block, i);
      arc.from = block.a[i], arc.to = block.b[i];
      out(partitions.of_hash(mix(arc.to)), arc);
      if (rows.directed) continue;
      std::swap(arc.from, arc.to);
      out(partitions.of_hash(mix(arc.to)), arc);
    }
  });
}

}  // namespace

template <bool kWeighted>
void build_sparse(Graph& graph, GraphRows& rows, const Numbering& numbering, Comm& comm) {
  const Partitions partitions = Partitions::for_edges(rows.arcs_global, comm.size());
  const Code code(partitions);
  std::vector<PartitionVertices> mine(static_cast<size_t>(partitions.per_rank));

  auto key_arcs = split_by_destination<kWeighted>(rows, partitions, comm);
  rows.edges.release();
  const Runs key_runs(key_arcs);
  SplitPlan to_source =
      number_records(key_arcs, key_runs, partitions.total(), [&](const RecordRun& run, KeyArc<kWeighted>& arc) {
        PartitionVertices& vertices = mine[static_cast<size_t>(run.partition)];
        const uint32_t number = vertices.number(arc.to);
        ++vertices.in_degree[number];
        arc.to = number;
        return partitions.of_hash(mix(arc.from));
      });
  for (const PartitionVertices& vertices : mine) code.check(vertices.table.size());
  auto half_arcs =
      move_records<HalfArc<kWeighted>>(std::move(key_arcs), key_runs, std::move(to_source), partitions, comm,
                                       [&](const RecordRun& run, const KeyArc<kWeighted>& arc, const auto& pen) {
                                         HalfArc<kWeighted> half;
                                         static_cast<Weight<kWeighted>&>(half) = arc;
                                         half.from = arc.from;
                                         half.to = code.pack(run.partition, static_cast<uint32_t>(arc.to));
                                         pen(partitions.of_hash(mix(arc.from)), half);
                                       });

  const Runs half_runs(half_arcs);
  const auto back = [&](const RecordRun& run, uint32_t to) {
    return run.rank * partitions.per_rank + code.partition(to);
  };
  SplitPlan to_destination =
      number_records(half_arcs, half_runs, partitions.total(), [&](const RecordRun& run, HalfArc<kWeighted>& arc) {
        PartitionVertices& vertices = mine[static_cast<size_t>(run.partition)];
        const uint32_t number = vertices.number(arc.from);
        ++vertices.out_degree[number];
        if constexpr (kWeighted)
          if (rows.sum_weights) vertices.add_weight(number, arc.weight);
        arc.from = number;
        return back(run, arc.to);
      });
  number_listed(rows, partitions, mine, comm);
  const Slots slots = sparse_slots(std::move(mine), rows.sum_weights);
  const DegreeOrder order = order_by_degree(slots, rows.turned ? slots.in_degree : slots.out_degree);
  graph.deal(order.rows, comm, numbering);
  const auto finish = [&]<typename Words>() {
    const SourceBits bits(graph.vertices);
    auto arcs = move_records<Arc<kWeighted, Words>>(
        std::move(half_arcs), half_runs, std::move(to_destination), partitions, comm,
        [&](const RecordRun& run, const HalfArc<kWeighted>& half, const auto& pen) {
          Arc<kWeighted, Words> arc;
          static_cast<Weight<kWeighted>&>(arc) = half;
          const int64_t slot = slots.starts[static_cast<size_t>(run.partition)] + half.from;
          using Number = typename Words::Number;
          arc.set(code.number(half.to),
                  static_cast<Number>(order.row_of_slot[static_cast<size_t>(slot)]) + static_cast<Number>(graph.first),
                  bits);
          pen(back(run, half.to), arc);
        });
    fill_rows(graph, rows, slots, order, std::move(arcs), bits, nullptr);
  };
  if (graph.far) finish.template operator()<ThreeWords>();
  else finish.template operator()<TwoWords>();
}

template void build_sparse<false>(Graph&, GraphRows&, const Numbering&, Comm&);
template void build_sparse<true>(Graph&, GraphRows&, const Numbering&, Comm&);

}  // namespace sparkgap
