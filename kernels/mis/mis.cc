// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "mis/mis.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "arithmetic/counter_hash.h"
#include "ghosts/vertex_bits.h"
#include "graph/graph_arguments.h"
#include "process/parallel.h"
#include "process/stopwatch.h"
#include "spec/kernel.h"

namespace sparkgap::mis {
namespace {

constexpr int64_t kGrain = 1 << 10;

uint64_t priority_of(int64_t id, uint64_t seed) { return counter_hash(seed, static_cast<uint64_t>(id)); }

uint64_t priority_of(std::string_view id, uint64_t seed) {
  for (size_t at = 0; at < id.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, id.data() + at, std::min<size_t>(8, id.size() - at));
    seed = counter_hash(seed, word);
  }
  return counter_hash(seed, id.size());
}

/// The priorities of the vertices, by place.
Buffer<uint64_t> priorities(const Graph& graph, uint64_t seed, Comm& comm) {
  Buffer<uint64_t> all(static_cast<size_t>(graph.ghosts.places()));
  uint64_t* const mine = all.data() + graph.ghosts.own();
  parallel_ranges(graph.rows, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const auto at = static_cast<size_t>(row);
      mine[row] =
          graph.ids.strings() ? priority_of(graph.ids.texts()[at], seed) : priority_of(graph.ids.integers()[at], seed);
    }
  });
  graph.ghosts.bring(all.span(), comm);
  return all;
}

enum class State : uint8_t { kOpen, kSelected, kOut };

/// What is to be decided in rounds: a round reads what the rounds before it decided, of all ranks, and nothing else.
class Selection {
 public:
  Selection(const Graph& graph, uint64_t seed, Comm& comm)
      : graph_(graph), comm_(comm), priority_(priorities(graph, seed, comm)), selected_(graph.ghosts),
        out_(graph.ghosts) {
    open_.resize(static_cast<size_t>(graph.rows));
    for (size_t row = 0; row < open_.size(); ++row) open_[row] = static_cast<uint32_t>(row);
  }

  /// One round; whether any vertex of any rank is still open.
  bool decide() {
    std::vector<State> states(open_.size());
    const auto n = static_cast<int64_t>(open_.size());
    parallel_ranges(n, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) states[static_cast<size_t>(i)] = state(open_[static_cast<size_t>(i)]);
    });
    size_t kept = 0;
    for (size_t i = 0; i < open_.size(); ++i) {
      const uint32_t vertex = graph_.ghosts.place(open_[i]);
      if (states[i] == State::kSelected) selected_.claim(vertex);
      if (states[i] == State::kOut) out_.claim(vertex);
      if (states[i] == State::kOpen) open_[kept++] = open_[i];
    }
    open_.resize(kept);
    selected_.share(graph_.ghosts, comm_);
    out_.share(graph_.ghosts, comm_);
    return comm_.allreduce(static_cast<int64_t>(kept)) > 0;
  }

  bool is_selected(int64_t row) const { return selected_.has(graph_.ghosts.place(row)); }

 private:
  bool comes_before(uint32_t a, uint32_t b) const {
    return priority_[a] != priority_[b] ? priority_[a] > priority_[b] : a < b;
  }

  /// What a row can know: out where a neighbour is in the set, in it where no neighbour that comes before is open.
  State state(uint32_t row) const {
    const uint32_t vertex = graph_.ghosts.place(row);
    bool waits = false;
    for (const Adjacency* arcs : {&graph_.in, &graph_.out}) {
      if (arcs == &graph_.out && !graph_.directed) break;  // the same arcs
      for (const uint32_t other : arcs->of(row)) {
        if (selected_.has(other)) return State::kOut;  // the vertex itself is open, so it does not count
        waits = waits || (other != vertex && !out_.has(other) && comes_before(other, vertex));
      }
    }
    return waits ? State::kOpen : State::kSelected;
  }

  const Graph& graph_;
  Comm& comm_;
  const Buffer<uint64_t> priority_;  ///< by place, like the vertices here
  VertexBits selected_, out_;
  std::vector<uint32_t> open_;  ///< rows that are neither
};

}  // namespace

Result run(const Graph& graph, const Params& params, Comm& comm, const Progress& progress) {
  Selection selection(graph, static_cast<uint64_t>(params.seed), comm);
  Result result;
  for (bool open = graph.vertices > 0; open;) {
    open = selection.decide();
    progress("compute", ++result.rounds);
  }
  result.selected = Buffer<uint8_t>(static_cast<size_t>(graph.rows));
  parallel_ranges(graph.rows, 1 << 14, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) result.selected[static_cast<size_t>(row)] = selection.is_selected(row);
  });
  return result;
}

const Spec kSpec{
    .name = "mis",
    .family = "graph",
    .summary =
        "A maximal independent set by seed: no two of its vertices are neighbours, and every other vertex has one in "
        "it.",
    .inputs = graph_inputs(),
    .parameters = {source_column(),
                   destination_column(),
                   directed_flag(),
                   {.name = "seed",
                    .kind = Kind::kInt,
                    .fallback = int64_t{0},
                    .doc = "Another seed, another set.",
                    .min = -9223372036854775808.0,
                    .max = 9223372036854774784.0}},
    .output = {{"id", "id"}, {.name = "selected", .type = "boolean", .doc = "whether the vertex is in the set"}},
    .match = "exact",
    .source =
        "Luby 1986, A Simple Parallel Algorithm for the Maximal Independent Set Problem; Blelloch, Fineman, Shun 2012, "
        "Greedy Sequential Maximal Independent Set and Matching Are Parallel on Average",
    .notes =
        "Each vertex has a priority, a hash of seed and id; a vertex is in the set if no neighbour of a higher "
        "priority is. Directions do not count, nor self-loops, nor how many edges join a pair; a vertex without "
        "neighbours is in the set. The set is maximal, not the largest. Time O(edges * rounds), of which O(log^2 "
        "vertices) are likely. The same set for every ranks x threads.",
    .memory = graph_memory(Directions::kBoth, {.copy = 6}),
};

}  // namespace sparkgap::mis

namespace sparkgap {
namespace {

Output run_mis(const Inputs& inputs, const Values& values, Comm& comm, const Progress& progress) {
  Opened opened = open_graph(inputs, values, Directions::kBoth, comm, progress);
  const Stopwatch compute;
  auto result = std::make_shared<mis::Result>(mis::run(opened.graph, {get_int(values, "seed")}, comm, progress));
  const int64_t rounds = result->rounds;
  Output output = per_vertex(std::move(opened), {{"selected", Type::kBool, result->selected.data(), {}}}, result);
  output.compute_s = compute.seconds();
  output.iterations = rounds;
  return output;
}

}  // namespace

const Kernel kKernel{mis::kSpec, run_mis};

}  // namespace sparkgap
