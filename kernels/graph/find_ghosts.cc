// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <stdexcept>

#include "buffers/counted_bits.h"
#include "graph/graph.h"
#include "process/error.h"
#include "rows/split.h"

namespace sparkgap {
namespace {

template <typename Number>
using Ends = std::vector<std::span<const Number>>;

/// body(number, row) for the ends in [begin, end), with the row that a number would be among this rank's: theirs are
/// below graph.rows.
template <typename Number, typename Body>
void each_end(const Graph& graph, std::span<const Number> ends, int64_t begin, int64_t end, Body&& body) {
  const auto first = static_cast<uint64_t>(graph.first);
  for (auto k = static_cast<size_t>(begin); k < static_cast<size_t>(end); ++k) body(ends[k], uint64_t{ends[k]} - first);
}

/// The vertices of other ranks that arcs name, as a bit for each number there is.
class MarkedGhosts : public CountedBits {
 public:
  template <typename Number>
  MarkedGhosts(const Graph& graph, const Ends<Number>& arcs) : CountedBits(graph.firsts.back()) {
    const auto rows = static_cast<uint64_t>(graph.rows);
    for (const auto& ends : arcs)
      parallel_ranges(static_cast<int64_t>(ends.size()), 1 << 16, [&](int64_t begin, int64_t end) {
        each_end(graph, ends, begin, end, [&](Number number, uint64_t row) {
          if (row >= rows) add(number);
        });
      });
    count();
  }
};

/// The same as a sorted list, for few arcs among many vertices.
class ListedGhosts {
 public:
  template <typename Number>
  ListedGhosts(const Graph& graph, const Ends<Number>& arcs) {
    const int bits = std::bit_width(static_cast<uint64_t>(graph.firsts.back()));
    shift_ = std::max(0, bits - 10);
    const int buckets = static_cast<int>(static_cast<uint64_t>(graph.firsts.back()) >> shift_) + 1;
    int64_t all = 0;
    for (const auto& ends : arcs) all += static_cast<int64_t>(ends.size());
    const int64_t in_group = 1 << 16, groups = 1 + all / in_group;
    const auto rows = static_cast<uint64_t>(graph.rows);
    const auto each = [&](int64_t group, auto&& body) {
      int64_t before = 0;
      for (const auto& ends : arcs) {
        const auto length = static_cast<int64_t>(ends.size());
        const int64_t begin = std::clamp(cut(all, groups, group) - before, int64_t{0}, length),
                      end = std::clamp(cut(all, groups, group + 1) - before, int64_t{0}, length);
        each_end(graph, ends, begin, end, [&](Number number, uint64_t row) {
          if (row >= rows) body(bucket(number), uint64_t{number});
        });
        before += length;
      }
    };
    SplitPlan plan(groups, buckets);
    parallel_for(groups, [&](int64_t group) {
      const auto counts = plan.row(group);
      each(group, [&](size_t to, uint64_t) { ++counts[to]; });
    });
    plan.finish();
    Buffer<uint64_t> sorted(static_cast<size_t>(plan.records()), Content::kAnything);
    parallel_for(groups, [&](int64_t group) {
      Scatter<uint64_t> scatter(sorted.data(), plan.row(group));
      each(group, [pen = scatter.pen()](size_t to, uint64_t number) { pen(static_cast<int>(to), number); });
    });
    std::vector<std::span<uint64_t>> distinct(static_cast<size_t>(buckets));
    parallel_for(buckets, [&](int64_t b) {
      uint64_t* const begin = sorted.data() + plan.start(static_cast<int>(b));
      uint64_t* const end = sorted.data() + plan.start(static_cast<int>(b) + 1);
      std::sort(begin, end);
      distinct[static_cast<size_t>(b)] = {begin, std::unique(begin, end)};
    });
    for (const auto& some : distinct) starts_.push_back(starts_.back() + static_cast<int64_t>(some.size()));
    numbers_ = Buffer<uint64_t>(static_cast<size_t>(starts_.back()), Content::kAnything);
    for (size_t b = 0; b < distinct.size(); ++b) std::ranges::copy(distinct[b], numbers_.begin() + starts_[b]);
  }

  uint32_t size() const { return static_cast<uint32_t>(numbers_.size()); }
  uint32_t before(uint64_t number) const {
    if (bucket(number) + 1 >= starts_.size()) return size();
    const uint64_t *const begin = numbers_.data() + starts_[bucket(number)], *const end = numbers_.data() +
                                                                                          starts_[bucket(number) + 1];
    return static_cast<uint32_t>(std::lower_bound(begin, end, number) - numbers_.data());
  }
  template <typename Body>
  void each(Body&& body) const {
    std::ranges::for_each(numbers_, body);
  }

 private:
  size_t bucket(uint64_t number) const { return static_cast<size_t>(number >> shift_); }

  int shift_ = 0;
  std::vector<int64_t> starts_{0};  ///< of each bucket, and the number of ghosts
  Buffer<uint64_t> numbers_;
};

/// Places in the room of the numbers, where those are this process's and as long.
Buffer<uint32_t> room_for(const Graph& graph, std::span<const uint32_t> numbers, uint32_t*& places) {
  if (graph.ends_are_own) {
    places = const_cast<uint32_t*>(numbers.data());
    return {};
  }
  Buffer<uint32_t> made(numbers.size(), Content::kAnything);
  places = made.data();
  return made;
}
Buffer<uint32_t> room_for(const Graph&, std::span<const uint64_t> numbers, uint32_t*& places) {
  Buffer<uint32_t> made(numbers.size(), Content::kAnything);
  places = made.data();
  return made;
}

template <typename Found, typename Number>
void take_places(Graph& graph, const std::vector<Adjacency*>& arcs, const Ends<Number>& numbers, Comm& comm) {
  const Found found(graph, numbers);
  if (graph.rows + int64_t{found.size()} > (int64_t{1} << 32) - 2)
    throw Error(Exit::kData, "edges", "at most 4294967294 vertices that a rank has or its edges name",
                std::to_string(graph.rows + int64_t{found.size()}), "Use more ranks");
  std::vector<int64_t> counts(graph.counts.size());
  Buffer<uint32_t> ghosts(found.size(), Content::kAnything);
  size_t at = 0;
  found.each([&](uint64_t number) {
    const auto rank = static_cast<size_t>(graph.rank_of(static_cast<int64_t>(number)));
    ++counts[rank];
    ghosts[at++] = static_cast<uint32_t>(static_cast<int64_t>(number) - graph.firsts[rank]);
  });
  const auto rows = static_cast<uint64_t>(graph.rows), first = static_cast<uint64_t>(graph.first);
  const uint64_t own = found.before(first);
  for (size_t i = 0; i < arcs.size(); ++i) {
    uint32_t* places = nullptr;
    Buffer<uint32_t> made = room_for(graph, numbers[i], places);
    parallel_ranges(static_cast<int64_t>(numbers[i].size()), 1 << 16, [&](int64_t begin, int64_t end) {
      uint32_t* place = places + begin;
      each_end(graph, numbers[i], begin, end, [&](Number number, uint64_t row) {
        *place++ = static_cast<uint32_t>(row < rows ? own + row : found.before(number) + (number > first ? rows : 0));
      });
    });
    if (!made.empty()) arcs[i]->ends = graph.own(std::move(made));
    arcs[i]->far_ends = {};
  }
  graph.ghosts = Ghosts(std::move(ghosts), std::move(counts), graph.firsts, graph.rows, comm);
}

template <typename Number, typename EndsOf>
void take_places(Graph& graph, EndsOf&& ends_of, Comm& comm) {
  std::vector<Adjacency*> arcs{&graph.in};
  const bool same = ends_of(graph.out).data() == ends_of(graph.in).data();  // without direction
  if (!same) arcs.push_back(&graph.out);
  Ends<Number> numbers;
  int64_t all = 0;
  for (const Adjacency* one : arcs) {
    numbers.push_back(ends_of(*one));
    all += one->arcs();
  }
  // A bit for each number and what counts them, or a word for each arc.
  if (graph.firsts.back() / 4 <= 8 * all) take_places<MarkedGhosts>(graph, arcs, numbers, comm);
  else take_places<ListedGhosts>(graph, arcs, numbers, comm);
  if (same && !graph.out.empty()) graph.out.ends = graph.in.ends, graph.out.far_ends = {};
}

}  // namespace

void Graph::find_ghosts(Comm& comm) {
  if (ghosts.are_found()) throw std::logic_error("find_ghosts: the ends of arcs are places already");
  if (comm.size() <= Ghosts::kFewRanks && !far) {
    ghosts = Ghosts(firsts, comm.rank());
    return;
  }
  if (far) take_places<uint64_t>(*this, [](const Adjacency& arcs) { return arcs.far_ends; }, comm);
  else take_places<uint32_t>(*this, [](const Adjacency& arcs) { return arcs.ends; }, comm);
  keep_numbers.clear();
}

}  // namespace sparkgap
