// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "scc/scc.h"

#include <numeric>
#include <optional>
#include <unordered_map>

#include "graph/component_names.h"
#include "graph/graph_arguments.h"
#include "process/error.h"
#include "process/stopwatch.h"
#include "scc/reach.h"
#include "scc/tarjan.h"
#include "spec/kernel.h"

namespace sparkgap::scc {
namespace {

constexpr int64_t kGrain = 1 << 12;

/// The components as they are found: each of this rank's rows has a root, as ComponentRoots says, at first itself.
class Parts {
 public:
  Parts(const Graph& graph, Comm& comm)
      : graph_(graph), comm_(comm), roots_(static_cast<size_t>(graph.rows)), live_(graph.ghosts) {
    // A vertex without arcs in or without arcs out is alone; where there is one of both only a look at it would tell.
    each_row([&](int64_t row) {
      roots_[static_cast<size_t>(row)] = vertex_of(row);
      if (graph.in.degree(row) > 0 && graph.out.degree(row) > 0) live_.claim(vertex_of(row));
    });
    live_.share(graph.ghosts, comm);
  }

  /// The component of the vertex with the most pairs of an arc in and one out: the largest one, where there is a giant.
  /// Nothing where it is so deep that the ranks would wait for each other more than the first one works if it gets all.
  void take_largest() {
    constexpr int64_t kExchanges = 256;
    const std::optional<int64_t> pivot = busiest();
    if (!pivot) return;
    const std::optional<uint32_t> row = row_of(*pivot);
    auto found = reach(graph_, graph_.out, graph_.in, row, live_, kExchanges, comm_);
    // What leads to the pivot without leaving what comes after it is all that does both.
    if (found && graph_.directed) found = reach(graph_, graph_.in, graph_.out, row, *found, kExchanges, comm_);
    if (!found) return;
    largest_ = root_of(*pivot);
    take(*found, largest_);
  }

  /// Vertices whose arcs in, or out, all come from or go to vertices that are done or the vertex itself are alone. Goes
  /// on while that takes a good part of what is left.
  void trim() {
    int64_t before = count_live();
    while (before > 0) {
      each_row([&](int64_t row) {
        const uint32_t vertex = vertex_of(row);
        if (live_.has(vertex) && !(is_live(graph_.in.of(row), vertex) && is_live(graph_.out.of(row), vertex)))
          live_.clear(vertex);
      });
      live_.share(graph_.ghosts, comm_);
      const int64_t left = count_live();
      if (before - left <= before / 16) break;
      before = left;
    }
  }

  /// All others, by one thread of the first rank, which gets the arcs between them.
  void take_rest() {
    std::vector<uint32_t> rows;
    for (int64_t row = 0; row < graph_.rows; ++row)
      if (live_.has(vertex_of(row))) rows.push_back(static_cast<uint32_t>(row));
    const std::vector<int64_t> counts = comm_.allgather(static_cast<int64_t>(rows.size()));
    const int64_t all = std::accumulate(counts.begin(), counts.end(), int64_t{0});
    if (all == 0) return;
    constexpr int64_t kMost = (int64_t{1} << 32) - 2;
    if (all > kMost)
      throw Error(Exit::kData, "edges",
                  "at most " + std::to_string(kMost) + " vertices that are neither in the largest component nor alone",
                  std::to_string(all), "Split the graph");
    // The live vertices of all ranks numbered without gaps.
    const Buffer<uint32_t> numbers(static_cast<size_t>(graph_.ghosts.places()));
    auto number = static_cast<uint32_t>(std::accumulate(counts.begin(), counts.begin() + comm_.rank(), int64_t{0}));
    for (const uint32_t row : rows) numbers[vertex_of(row)] = number++;
    graph_.ghosts.bring(numbers.span(), comm_);
    Buffer<int64_t> starts(rows.size() + 1);
    const Buffer<uint32_t> ends = arcs_between(rows, numbers, starts);
    if (comm_.size() == 1) {
      const Buffer<uint32_t> found = strong_components(starts.span(), ends.span());
      for (size_t i = 0; i < rows.size(); ++i) roots_[rows[i]] = rows[found[i]];
      return;
    }
    const auto ranks = static_cast<size_t>(comm_.size());
    std::vector<int64_t> send(ranks), received;
    send[0] = static_cast<int64_t>(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) starts[i] = starts[i + 1] - starts[i];  // degrees travel
    const std::vector<int64_t> degrees = comm_.alltoallv<int64_t>(starts.span().first(rows.size()), send, received);
    const std::vector<uint32_t> all_rows = comm_.alltoallv<uint32_t>(rows, send, received);
    send[0] = static_cast<int64_t>(ends.size());
    const std::vector<uint32_t> all_ends = comm_.alltoallv<uint32_t>(ends.span(), send, received);
    std::vector<int64_t> vertices;  // numbers in the graph, and of what was found
    send.assign(ranks, 0);
    if (comm_.rank() == 0) {
      Buffer<int64_t> all_starts(degrees.size() + 1);
      std::partial_sum(degrees.begin(), degrees.end(), all_starts.begin() + 1);
      const Buffer<uint32_t> found = strong_components(all_starts.span(), all_ends);
      std::vector<int64_t> of_live;
      for (size_t rank = 0; rank < ranks; ++rank)
        for (int64_t i = 0; i < counts[rank]; ++i) of_live.push_back(graph_.firsts[rank] + all_rows[of_live.size()]);
      for (const uint32_t root : found) vertices.push_back(of_live[root]);
      send = counts;
    }
    const std::vector<int64_t> roots = comm_.alltoallv<int64_t>(vertices, send, received);
    for (size_t i = 0; i < rows.size(); ++i) roots_[rows[i]] = root_of(roots[i]);
  }

  ComponentNames names() const { return name_components(graph_, {roots_.span(), strangers_, largest_}, comm_); }

 private:
  template <typename Body>
  void each_row(Body&& body) const {
    parallel_ranges(graph_.rows, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) body(row);
    });
  }
  uint32_t vertex_of(int64_t row) const { return graph_.ghosts.place(row); }
  std::optional<uint32_t> row_of(int64_t number) const {
    const int64_t row = number - graph_.first;
    if (row < 0 || row >= graph_.rows) return std::nullopt;
    return static_cast<uint32_t>(row);
  }
  bool is_live(std::span<const uint32_t> ends, uint32_t vertex) const {
    return std::any_of(ends.begin(), ends.end(), [&](uint32_t other) { return other != vertex && live_.has(other); });
  }

  int64_t count_live() const {
    return comm_.allreduce(parallel_sum<int64_t>(graph_.rows, kGrain, [&](int64_t begin, int64_t end) {
      int64_t live = 0;
      for (int64_t row = begin; row < end; ++row) live += live_.has(vertex_of(row));
      return live;
    }));
  }
  /// Of the vertex with this number, as ComponentRoots has it.
  uint32_t root_of(int64_t number) {
    if (const auto place = graph_.ghosts.find(number)) return *place;
    const auto next = static_cast<uint32_t>(graph_.ghosts.places() + static_cast<int64_t>(strangers_.size()));
    const auto [known, is_new] = stranger_.try_emplace(number, next);
    if (is_new) strangers_.push_back(number);
    return known->second;
  }

  /// The number of the live vertex with the most pairs; nothing where none is live.
  std::optional<int64_t> busiest() const {
    struct Best {
      double pairs = -1;
      int64_t number = 0;
      Best& operator+=(const Best& other) { return other.pairs > pairs ? *this = other : *this; }
    };
    const Best here = parallel_sum<Best>(graph_.rows, kGrain, [&](int64_t begin, int64_t end) {
      Best best;
      for (int64_t row = begin; row < end; ++row)
        if (live_.has(vertex_of(row)))
          best += {static_cast<double>(graph_.in.degree(row)) * static_cast<double>(graph_.out.degree(row)),
                   graph_.first + row};
      return best;
    });
    Best best;
    const std::vector<double> pairs = comm_.allgather(here.pairs);
    const std::vector<int64_t> numbers = comm_.allgather(here.number);
    for (size_t rank = 0; rank < pairs.size(); ++rank) best += {pairs[rank], numbers[rank]};
    if (best.pairs < 0) return std::nullopt;
    return best.number;
  }

  void take(const VertexBits& component, uint32_t root) {
    each_row([&](int64_t row) {
      if (!component.has(vertex_of(row))) return;
      roots_[static_cast<size_t>(row)] = root;
      live_.clear(vertex_of(row));
    });
    live_.share(graph_.ghosts, comm_);
  }

  /// The arcs from these live rows to other live vertices, by their numbers; `starts` gets where each row's begin.
  Buffer<uint32_t> arcs_between(const std::vector<uint32_t>& rows, const Buffer<uint32_t>& numbers,
                                const Buffer<int64_t>& starts) const {
    const auto each_arc = [&](size_t i, auto&& body) {
      uint32_t last = vertex_of(rows[i]);  // and most of those that are there twice stand side by side
      const uint32_t own = last;
      for (const uint32_t other : graph_.out.of(rows[i]))
        if (other != last && other != own && live_.has(other)) body(numbers[last = other]);
    };
    const auto each_range = [&](auto&& body) {
      parallel_ranges(static_cast<int64_t>(rows.size()), kGrain, [&](int64_t begin, int64_t end) {
        for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) body(i);
      });
    };
    each_range([&](size_t i) { each_arc(i, [&](uint32_t) { ++starts[i + 1]; }); });
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    Buffer<uint32_t> ends(static_cast<size_t>(starts[rows.size()]), Content::kAnything);
    each_range([&](size_t i) {
      uint32_t* to = ends.data() + starts[i];
      each_arc(i, [&](uint32_t number) { *to++ = number; });
    });
    return ends;
  }

  const Graph& graph_;
  Comm& comm_;
  Buffer<uint32_t> roots_;
  VertexBits live_;                                 ///< not known yet; shared
  uint32_t largest_ = 0xffffffff;                   ///< the root of the pivot
  std::vector<int64_t> strangers_;                  ///< see ComponentRoots
  std::unordered_map<int64_t, uint32_t> stranger_;  ///< their roots
};

}  // namespace

Result run(const Graph& graph, const Params&, Comm& comm, const Progress& progress) {
  progress("compute");
  Parts parts(graph, comm);
  parts.take_largest();
  parts.trim();
  parts.take_rest();
  ComponentNames named = parts.names();
  return {std::move(named.names), std::move(named.keep)};
}

const Spec kSpec{
    .name = "scc",
    .family = "graph",
    .summary = "Strongly connected components: which vertices reach each other along the edges.",
    .inputs = graph_inputs(),
    .parameters = {source_column(), destination_column(), directed_flag()},
    .output = {{"id", "id"}, {.name = "component", .type = "id", .doc = "the smallest id in the component"}},
    .match = "exact",
    .source =
        "Slota, Rajamanickam, Madduri 2014, BFS and Coloring-Based Parallel Algorithms for Strongly Connected "
        "Components and Related Problems; Tarjan 1972, Depth-First Search and Linear Graph Algorithms",
    .notes =
        "A vertex that lies on no cycle is a component of its own. Without direction the result is that of connected "
        "components. Strings compare by their UTF-8 bytes. Duplicate edges and self-loops change nothing. The same "
        "result for every ranks x threads.",
    .memory = graph_memory(Directions::kBoth, {.arc = 3, .vertex = 9, .copy = 24, .name = 110, .character = 2}),
};

}  // namespace sparkgap::scc

namespace sparkgap {
namespace {

Output run_scc(const Inputs& inputs, const Values& values, Comm& comm, const Progress& progress) {
  Opened opened = open_graph(inputs, values, Directions::kBoth, comm, progress);
  const Stopwatch compute;
  auto result = std::make_shared<scc::Result>(scc::run(opened.graph, {}, comm, progress));
  Output output = per_vertex(std::move(opened), {result->component.column("component")}, result);
  output.compute_s = compute.seconds();
  return output;
}

}  // namespace

const Kernel kKernel{scc::kSpec, run_scc};

}  // namespace sparkgap
