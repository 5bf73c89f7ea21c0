// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "buffers/shared_bits.h"
#include "graph/arcs.h"

namespace sparkgap {
namespace {

#pragma pack(push, 4)
template <bool kWeighted>
struct OutEnd : Weight<kWeighted> {
  uint32_t slot;
};
#pragma pack(pop)

template <bool kWeighted>
void count_out_arcs(Slots& slots, const GraphRows& rows, const DenseIds& ids, Comm& comm) {
  using End = OutEnd<kWeighted>;
  const auto ends = split_rows<End>(rows.edges, ids.partitions, comm, [&](const KeyBlock& block, auto&& out) {
    const DenseIds own = ids;  // in registers
    for (int64_t i = 0; i < block.rows; ++i) {
      const auto one_way = [&](int64_t from) {
        const auto place = own.place(own.offset(from));
        End end;
        end.slot = place.slot;
        end.set_weight(block, i);
        out(own.partition(place), end);
      };
      one_way(block.a[i]);
      if (!rows.directed) one_way(block.b[i]);
    }
  });
  parallel_for(ends.partitions, [&](int64_t p) {
    for (int rank = 0; rank < ends.ranks; ++rank)
      for (const End& end : ends.piece(static_cast<int>(p), rank)) {
        ++slots.out_degree[end.slot];
        if constexpr (kWeighted) slots.weight_sum[end.slot].add(end.weight);
      }
  });
}

template <typename Record>
Partitioned<Record> split_arcs(const GraphRows& rows, const DenseIds& ids, SourceBits source_bits, Comm& comm) {
  const uint32_t in_partition = (uint32_t{1} << ids.shift) - 1;
  return split_rows<Record>(rows.edges, ids.partitions, comm, [&](const KeyBlock& block, auto&& out) {
    const DenseIds own = ids;  // in registers
    const SourceBits bits = source_bits;
    for (int64_t i = 0; i < block.rows; ++i) {
      const auto one_way = [&](int64_t from, int64_t to) {
        const auto place = own.place(own.offset(to));
        Record arc;
        arc.set(place.slot & in_partition, own.flat(own.place(own.offset(from))), bits);
        arc.set_weight(block, i);
        out(own.partition(place), arc);
      };
      one_way(block.a[i], block.b[i]);
      if (!rows.directed) one_way(block.b[i], block.a[i]);
    }
  });
}

/// Slots of all ranks that arcs have at their far end, a bit for each. Threads have copies of their own as long as few
/// bytes go into them: those that set bits of one cache line wait for each other.
class FarEnds {
 public:
  FarEnds(const DenseIds& ids, bool wanted, const Comm& comm)
      : words_(wanted ? static_cast<size_t>(ids.stride() / 64 * comm.size()) : 0),
        copies_(static_cast<size_t>(std::clamp(kCopies / comm.size(), 1, threads()))) {
    for (auto& copy : copies_) copy = Buffer<uint64_t>(words_);
  }

  /// This thread's copy: a bit for each slot as DenseIds::flat counts them.
  uint64_t* mine() const { return copies_[static_cast<size_t>(omp_get_thread_num()) % copies_.size()].data(); }
  /// Marks those of this rank that any rank has met. Collective.
  void mark(Slots& slots, Comm& comm) const {
    for (size_t copy = 1; copy < copies_.size(); ++copy)
      for (size_t word = 0; word < words_; ++word) copies_[0][word] |= copies_[copy][word];
    const size_t own = words_ / static_cast<size_t>(comm.size());
    const std::vector<int64_t> counts(static_cast<size_t>(comm.size()), static_cast<int64_t>(own));
    std::vector<int64_t> received;
    const auto words = comm.alltoallv<uint64_t>(copies_[0].span(), counts, received);
    parallel_ranges(slots.size(), 1 << 16, [&](int64_t begin, int64_t end) {
      for (auto slot = static_cast<size_t>(begin); slot < static_cast<size_t>(end); ++slot)
        for (size_t from = slot / 64; from < words.size(); from += own)
          slots.marked[slot] |= words[from] >> slot % 64 & 1;
    });
  }

 private:
  static constexpr int kCopies = 8;  // of all ranks, up to 1.3 bytes for an arc

  size_t words_;
  std::vector<Buffer<uint64_t>> copies_;
};

template <typename Record>
void count_in_arcs(Slots& slots, const GraphRows& rows, const DenseIds& ids, const Partitioned<Record>& arcs,
                   SourceBits bits, Comm& comm) {
  FarEnds far_ends(ids, rows.turned, comm);
  parallel_for(arcs.partitions, [&](int64_t p) {
    int64_t* in_degree = slots.in_degree.data() + slots.starts[static_cast<size_t>(p)];
    uint64_t* const met = far_ends.mine();
    for (int rank = 0; rank < arcs.ranks; ++rank)
      for (const Record& arc : arcs.piece(static_cast<int>(p), rank)) {
        ++in_degree[arc.to(bits)];
        if (rows.turned) claim_bit(met, arc.from(bits));
      }
  });
  if (rows.turned) far_ends.mark(slots, comm);
}

template <typename Record>
void build(Graph& graph, const GraphRows& rows, const DenseIds& ids, SourceBits bits, Comm& comm) {
  Slots slots = dense_slots(rows, ids, comm);
  if (rows.sum_weights) count_out_arcs<true>(slots, rows, ids, comm);
  else if (!rows.turned) count_out_arcs<false>(slots, rows, ids, comm);
  auto arcs = split_arcs<Record>(rows, ids, bits, comm);
  count_in_arcs(slots, rows, ids, arcs, bits, comm);

  const DegreeOrder order = order_by_degree(slots, rows.turned ? slots.in_degree : slots.out_degree);
  graph.deal(order.rows, comm);
  Buffer<uint32_t> number_of(static_cast<size_t>(ids.stride() * comm.size()));
  uint32_t* mine = number_of.data() + ids.stride() * comm.rank();
  parallel_ranges(ids.slots, 1 << 16, [&](int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s)
      mine[s] = order.row_of_slot[static_cast<size_t>(s)] + static_cast<uint32_t>(graph.first);
  });
  comm.allgatherv(number_of.span(), std::vector<int64_t>(static_cast<size_t>(comm.size()), ids.stride()));
  fill_rows(graph, rows, slots, order, std::move(arcs), bits, number_of.data());
}

}  // namespace

template <bool kWeighted>
void build_dense(Graph& graph, GraphRows& rows, const DenseIds& ids, Comm& comm) {
  const SourceBits bits(ids.stride() * comm.size());
  if (bits.leave(ids.shift)) build<Arc<kWeighted, OneWord>>(graph, rows, ids, bits, comm);
  else build<Arc<kWeighted, TwoWords>>(graph, rows, ids, bits, comm);
}

template void build_dense<false>(Graph&, GraphRows&, const DenseIds&, Comm&);
template void build_dense<true>(Graph&, GraphRows&, const DenseIds&, Comm&);

}  // namespace sparkgap
