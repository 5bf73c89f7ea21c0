// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "graph/arcs.h"

namespace sparkgap {
namespace {

constexpr int64_t kWindow = int64_t{1} << 20;  // arcs sorted at a time

/// body(arc, number) with the number of its source for each arc in order. The table is larger than the caches next to
/// the core: what is looked up is asked for beforehand.
template <typename Record, typename Body>
void each_numbered(std::span<Record> arcs, SourceBits bits, const uint32_t* number_of, Body&& body) {
  constexpr size_t kAhead = 48;
  for (size_t i = 0; i < arcs.size(); ++i) {
    if (i + kAhead < arcs.size()) __builtin_prefetch(&number_of[arcs[i + kAhead].from(bits)]);
    body(arcs[i], number_of[arcs[i].from(bits)]);
  }
}

/// Stably sorts arcs by blocks of 4096 sources: rows that are filled from them read the sources' values nearly in
/// order, for a tenth of the cost of sorting every row.
template <typename Record>
class SourceSorter {
 public:
  SourceSorter(int64_t numbers, SourceBits bits)
      : bits_(bits), shift_(std::max(12, static_cast<int>(std::bit_width(static_cast<uint64_t>(numbers))) - 14)),
        at_(static_cast<size_t>(numbers >> shift_) + 2) {}

  /// Gathers a window, up to kWindow arcs at a time.
  void add(std::span<Record> arcs, const uint32_t* number_of) {
    const SourceBits bits = bits_;  // in a register
    if (number_of != nullptr)
      each_numbered(arcs, bits, number_of, [bits](Record& arc, uint32_t from) { arc.set_from(from, bits); });
    for (const Record& arc : arcs) ++at_[(arc.from(bits) >> shift_) + 1];
    parts_.push_back(arcs);
    size_ += arcs.size();
  }
  int64_t room() const { return kWindow - static_cast<int64_t>(size_); }
  /// The window, sorted; valid until the next add().
  std::span<const Record> sorted() {
    const SourceBits bits = bits_;
    if (window_.size() < size_) window_ = Buffer<Record>(std::bit_ceil(size_), Content::kAnything);
    for (size_t block = 1; block < at_.size(); ++block) at_[block] += at_[block - 1];
    for (const auto& part : parts_)
      for (const Record& arc : part) window_[at_[arc.from(bits) >> shift_]++] = arc;
    std::fill(at_.begin(), at_.end(), 0);
    parts_.clear();
    return window_.span().first(std::exchange(size_, 0));
  }

 private:
  SourceBits bits_;
  int shift_;
  std::vector<uint32_t> at_;  ///< by block: counts one place up, then places
  std::vector<std::span<Record>> parts_;
  Buffer<Record> window_;
  size_t size_ = 0;
};

Buffer<int64_t> start_rows(const Slots& slots, const DegreeOrder& order) {
  Buffer<int64_t> starts(static_cast<size_t>(order.rows) + 1);
  parallel_ranges(slots.size(), 1 << 16, [&](int64_t begin, int64_t end) {
    for (auto slot = static_cast<size_t>(begin); slot < static_cast<size_t>(end); ++slot)
      if (const uint32_t row = order.row_of_slot[slot]; row != kNoRow) starts[size_t{row} + 1] = slots.in_degree[slot];
  });
  for (size_t row = 0; row < static_cast<size_t>(order.rows); ++row) starts[row + 1] += starts[row];
  return starts;
}

void describe_rows(Graph& graph, const GraphRows& from, const Slots& slots, const DegreeOrder& order) {
  const auto rows = static_cast<size_t>(order.rows);
  Buffer<int64_t> ids(rows), out_degree(rows);
  Buffer<double> out_weight(slots.weight_sum.empty() ? 0 : rows);
  std::vector<std::string_view> texts(from.strings ? rows : 0);
  parallel_ranges(slots.size(), 1 << 16, [&](int64_t begin, int64_t end) {
    for (auto slot = static_cast<size_t>(begin); slot < static_cast<size_t>(end); ++slot) {
      const uint32_t row = order.row_of_slot[slot];
      if (row == kNoRow) continue;
      if (from.strings) texts[row] = from.strings->text(slots.id(slot));
      else ids[row] = slots.id(slot);
      out_degree[row] = from.turned ? slots.in_degree[slot] : slots.out_degree[slot];
      if (!out_weight.empty()) out_weight[row] = slots.weight_sum[slot].value();
    }
  });
  graph.out_degree = graph.own(std::move(out_degree));
  if (!out_weight.empty()) graph.out_weight = graph.own(std::move(out_weight));
  if (from.strings) {
    graph.ids = VertexIds(std::move(texts));
    graph.keep.push_back(from.strings);
  } else {
    graph.ids = VertexIds(graph.own(std::move(ids)));
  }
}

}  // namespace

template <typename Record>
void fill_rows(Graph& graph, const GraphRows& rows, const Slots& slots, const DegreeOrder& order,
               Partitioned<Record> arcs, SourceBits bits, const uint32_t* number_of) {
  constexpr bool kWeighted = Record::kWeighted;
  Buffer<int64_t> starts = start_rows(slots, order);
  Buffer<typename Record::Number> ends(arcs.records.size(), Content::kAnything);
  Buffer<double> weights(kWeighted ? arcs.records.size() : 0, Content::kAnything);
  std::vector<std::unique_ptr<SourceSorter<Record>>> sorters(static_cast<size_t>(threads()));
  parallel_for(arcs.partitions, [&](int64_t p) {
    auto& sorter = sorters[static_cast<size_t>(omp_get_thread_num())];
    if (!sorter && !rows.turned) sorter = std::make_unique<SourceSorter<Record>>(graph.firsts.back(), bits);
    const auto first = static_cast<size_t>(slots.starts[static_cast<size_t>(p)]),
               end = static_cast<size_t>(slots.starts[static_cast<size_t>(p) + 1]);
    std::vector<int64_t> at(end - first);  // next place of each slot's row
    for (size_t slot = first; slot < end; ++slot)
      if (const uint32_t row = order.row_of_slot[slot]; row != kNoRow) at[slot - first] = starts[row];
    const auto place = [&](const Record& arc, typename Record::Number from) {
      const auto to = static_cast<size_t>(at[arc.to(bits)]++);
      ends[to] = from;
      if constexpr (kWeighted) weights[to] = arc.weight;
    };
    if (rows.turned) {  // as they came, see Directions
      for (int rank = 0; rank < arcs.ranks; ++rank)
        if (const auto piece = arcs.piece(static_cast<int>(p), rank); number_of != nullptr)
          each_numbered(piece, bits, number_of, place);
        else
          for (const Record& arc : piece) place(arc, arc.from(bits));
      return;
    }
    const auto place_sorted = [&] {
      for (const Record& arc : sorter->sorted()) place(arc, arc.from(bits));
    };
    for (int rank = 0; rank < arcs.ranks; ++rank)
      for (auto left = arcs.piece(static_cast<int>(p), rank); !left.empty();) {
        const size_t n = std::min(left.size(), static_cast<size_t>(sorter->room()));
        sorter->add(left.first(n), number_of);
        left = left.subspan(n);
        if (sorter->room() == 0) place_sorted();
      }
    place_sorted();
  });
  arcs.records.clear();
  Adjacency& filled = rows.turned ? graph.out : graph.in;
  filled = {.starts = graph.own(std::move(starts)), .ends = {}, .far_ends = {}, .weights = {}};
  set_ends(graph, filled, std::move(ends));
  if constexpr (kWeighted) filled.weights = graph.own(std::move(weights));
  describe_rows(graph, rows, slots, order);
}

#define SPARKGAP_FILL_ROWS(weighted, Ends)                                            \
  template void fill_rows(Graph&, const GraphRows&, const Slots&, const DegreeOrder&, \
                          Partitioned<Arc<weighted, Ends>>, SourceBits, const uint32_t*);
SPARKGAP_FILL_ROWS(false, OneWord)
SPARKGAP_FILL_ROWS(false, TwoWords)
SPARKGAP_FILL_ROWS(false, ThreeWords)
SPARKGAP_FILL_ROWS(true, OneWord)
SPARKGAP_FILL_ROWS(true, TwoWords)
SPARKGAP_FILL_ROWS(true, ThreeWords)
#undef SPARKGAP_FILL_ROWS

}  // namespace sparkgap
