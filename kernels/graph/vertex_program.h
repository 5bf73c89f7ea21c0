// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ghosts/ghost_parts.h"
#include "graph/graph_arguments.h"
#include "process/parallel.h"
#include "process/stopwatch.h"
#include "rows/row_chunks.h"

// Graph algorithms of your own: what one vertex does, in rounds, as in Pregel. docs/vertex-programs.md tells how to
// write, compile and run one; examples/widest_path.cc is one.

namespace sparkgap {

/// Along which arcs messages go.
enum class Flow { kAlong, kAgainst, kBoth };

/// A vertex of the graph, as a program may look at it.
class Vertex {
 public:
  Vertex(const Graph& graph, int64_t row) : graph_(graph), row_(row) {}
  std::string id() const { return graph_.ids.text(row_); }  ///< integers in decimal
  int64_t n_vertices() const { return graph_.vertices; }
  int64_t in_degree() const { return graph_.in.degree(row_); }
  int64_t out_degree() const { return graph_.out.degree(row_); }
  /// Sum of the weights of the edges that leave it; out_degree() without weights.
  double out_weight() const {
    return graph_.weighted ? graph_.out_weight[static_cast<size_t>(row_)] : static_cast<double>(out_degree());
  }

 private:
  const Graph& graph_;
  int64_t row_;
};

struct Edge {
  double weight = 1;  ///< 1 without weights
};

/// What happened in a round, over all ranks.
struct Round {
  int64_t number = 0;   ///< from 1
  int64_t changed = 0;  ///< vertices for which apply() returned true
};

/// What a program must have; Value and Message are any trivially copyable types.
///   static constexpr const char* kName, kColumn;            names of the program and of its result's column
///   Value start(const Vertex&)                              before the first round; all vertices count as changed then
///   optional<Message> send(const Value&, const Edge&)       from each vertex that changed, along each edge; nothing
///                                                           sends nothing
///   Message combine(const Message&, const Message&)         of two messages to one vertex; associative and commutative
///   bool apply(Value&, const Message&, const Vertex&)       takes what was combined; whether the vertex changed
/// and may have:
///   P(const Values&)                                        takes the parameters that parameters() declares
///   static std::vector<Parameter> parameters()
///   static constexpr Flow kFlow                             default kAlong
///   static constexpr const char* kSummary
///   Message none()                                          then apply() comes to every vertex in every round,
///                                                           combined with this
///   bool until(const Round&)                                stop after this round; default: when nothing changed
///   double or int64_t result(const Value&)                  what the column holds; default: the value itself
template <typename P>
concept VertexProgram =
    requires(P p, typename P::Value value, const typename P::Message message, const Vertex& vertex, const Edge& edge) {
      { P::kName } -> std::convertible_to<const char*>;
      { P::kColumn } -> std::convertible_to<const char*>;
      { p.start(vertex) } -> std::convertible_to<typename P::Value>;
      { p.send(value, edge) } -> std::convertible_to<std::optional<typename P::Message>>;
      { p.combine(message, message) } -> std::convertible_to<typename P::Message>;
      { p.apply(value, message, vertex) } -> std::convertible_to<bool>;
    };

/// Runs a program on a graph in synchronous rounds: in each, a vertex sees what others held at its beginning.
///
/// Source     Malewicz et al. 2010 (Pregel); Sundaram et al. 2015 (GraphMat: a round as a sparse matrix-vector product)
/// Input      graph: both directions; as many ranks as you like
/// Output     value of each row; rounds done; whether until() or quiet ended it
/// Cost       a round reads the arcs of the vertices that may get a message; over ranks, Value and one byte go to each
///            rank that has an arc from a vertex, or Value and 1 to 2 bytes where it changed, which is less; over a
///            network while others are visited
/// Parallel   collective over comm; all threads; messages of a vertex are combined in the order of its arcs: the same
///            result for any number of threads, bitwise; for any ranks where combine() is exactly associative
template <VertexProgram P>
class Rounds {
  using Value = typename P::Value;
  using Message = typename P::Message;
  static constexpr bool kEveryVertex = requires(P p) {
    { p.none() } -> std::convertible_to<Message>;
  };
  static constexpr int64_t kSparse =
      16;  ///< if fewer than one vertex in 16 changed, only those that can get a message are visited

 public:
  Rounds(const Graph& graph, const P& program, Comm& comm)
      : graph_(graph), program_(program), comm_(comm), in_(graph.in), out_(graph.out), ghosts_(graph.ghosts),
        values_(static_cast<size_t>(ghosts_.places())), changed_(values_.size()),
        next_(static_cast<size_t>(graph.rows)), next_changed_(next_.size()), visit_(values_.size()) {
    parallel_ranges(graph.rows, 1 << 12, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        next_[static_cast<size_t>(row)] = program_.start(Vertex(graph_, row));
        next_changed_[static_cast<size_t>(row)] = 1;
      }
    });
    publish();
    round_.changed = graph.vertices;
    const auto work = [&](int64_t row) {
      return in_.starts[static_cast<size_t>(row)] + out_.starts[static_cast<size_t>(row)] + row;
    };
    cuts_ = GhostCuts::equal(graph.rows, GhostCuts::parts_worth(ghosts_, sizeof(Value), comm), work);
    if (cuts_.size() > 2) parts_.emplace(ghosts_, cuts_, comm);
  }

  const Round& round() const { return round_; }
  bool quiet() const { return !kEveryVertex && round_.changed == 0; }

  void step() {
    const bool sparse = !kEveryVertex && round_.changed * kSparse < graph_.vertices;
    if (sparse) mark_receivers();
    // Those with few arcs are last and come first: most values travel while most arcs are still to be read.
    for (size_t part = cuts_.size() - 1; part-- > 0;) {
      const int64_t first = cuts_[part];
      parallel_ranges(cuts_[part + 1] - first, 1 << 9, [&](int64_t begin, int64_t end) {
        for (int64_t row = first + begin; row < first + end; ++row)
          next_changed_[static_cast<size_t>(row)] = (!sparse || visit_[place(row)] != 0) && visit(row);
        if (parts_ && omp_get_thread_num() == 0) comm_.progress();
      });
      if (parts_)
        parts_->begin(
            part, 0, [&](uint32_t row) { return next_changed_[row] != 0; }, [&](uint32_t row) { return next_[row]; },
            comm_);
    }
    publish();
    ++round_.number;
  }

  /// By row: what the column holds.
  auto results() const {
    using Result = decltype(result_of(std::declval<Value>()));
    Buffer<Result> results(static_cast<size_t>(graph_.rows));
    for (size_t row = 0; row < results.size(); ++row) results[row] = result_of(next_[row]);
    return results;
  }

 private:
  auto result_of(const Value& value) const {
    if constexpr (requires(const P p) { p.result(value); }) return program_.result(value);
    else return value;
  }

  size_t place(int64_t row) const { return static_cast<size_t>(ghosts_.own() + row); }

  void gather(const Adjacency& arcs, int64_t row, std::optional<Message>& combined) const {
    for (auto k = static_cast<size_t>(arcs.starts[static_cast<size_t>(row)]);
         k < static_cast<size_t>(arcs.starts[static_cast<size_t>(row) + 1]); ++k) {
      const uint32_t from = arcs.ends[k];
      if (changed_[from] == 0) continue;
      const std::optional<Message> sent =
          program_.send(values_[from], Edge{arcs.weights.empty() ? 1 : arcs.weights[k]});
      if (sent) combined = combined ? program_.combine(*combined, *sent) : *sent;
    }
  }

  bool visit(int64_t row) {
    std::optional<Message> combined;
    if constexpr (kEveryVertex) combined = program_.none();
    if (kFlow != Flow::kAgainst) gather(in_, row, combined);
    if (kFlow != Flow::kAlong) gather(out_, row, combined);
    return combined && program_.apply(next_[static_cast<size_t>(row)], *combined, Vertex(graph_, row));
  }

  /// Sets visit_ for the rows that a changed vertex of any rank can send to.
  void mark_receivers() {
    parallel_ranges(graph_.rows, 1 << 16, [&](int64_t begin, int64_t end) {
      std::fill(&visit_[place(begin)], &visit_[place(begin)] + (end - begin), uint8_t{0});
    });
    const auto mark = [&](const Adjacency& arcs, int64_t row) {
      for (const uint32_t to : arcs.of(row)) visit_[to] = 1;
    };
    for (int64_t row = 0; row < graph_.rows; ++row) {
      if (changed_[place(row)] == 0) continue;
      if (kFlow != Flow::kAgainst) mark(out_, row);
      if (kFlow != Flow::kAlong) mark(in_, row);
    }
    ghosts_.take_home(visit_.span(), comm_);
  }

  /// What the rows hold now, to the ranks that have them as ghosts.
  void publish() {
    round_.changed =
        comm_.allreduce<int64_t>(parallel_sum<int64_t>(graph_.rows, 1 << 14, [&](int64_t begin, int64_t end) {
          int64_t n = 0;
          for (auto row = static_cast<size_t>(begin); row < static_cast<size_t>(end); ++row) {
            const size_t at = place(static_cast<int64_t>(row));
            changed_[at] = next_changed_[row];
            if (changed_[at] != 0) values_[at] = next_[row];
            n += changed_[at];
          }
          return n;
        }));
    if (!parts_ && 4 * round_.changed >= 3 * graph_.vertices) {
      ghosts_.bring(values_.span(), comm_);
      ghosts_.bring(changed_.span(), comm_);
      return;
    }
    const auto take = [&](int64_t place) { changed_[static_cast<size_t>(place)] = 1; };
    ghosts_.each_range(
        [&](int64_t begin, int64_t end) { std::fill(changed_.begin() + begin, changed_.begin() + end, uint8_t{0}); });
    if (parts_) {
      comm_.finish();
      parts_->take([](uint8_t, int64_t, int64_t) {},
                   [&](int64_t place, const Value& value) {
                     values_[static_cast<size_t>(place)] = value;
                     take(place);
                   });
    } else {
      ghosts_.bring_changed(values_.span(), [&](uint32_t row) { return next_changed_[row] != 0; }, take, comm_);
    }
  }

  static constexpr Flow kFlow = [] {
    if constexpr (requires { P::kFlow; }) return P::kFlow;
    else return Flow::kAlong;
  }();

  const Graph& graph_;
  const P& program_;
  Comm& comm_;
  const Adjacency &in_, &out_;
  const Ghosts& ghosts_;
  Buffer<Value> values_;     ///< by place, as of the last round
  Buffer<uint8_t> changed_;  ///< the same
  Buffer<Value> next_;       ///< by row
  Buffer<uint8_t> next_changed_;
  Buffer<uint8_t> visit_;                     ///< by place; of ghosts 0 but while it is filled
  std::vector<int64_t> cuts_{0};              ///< of the rows into parts
  std::optional<ChangedParts<Value>> parts_;  ///< where their values travel one after the other
  Round round_;
};

/// The Spec that follows from a program.
template <VertexProgram P>
const Spec& vertex_program_spec() {
  static const Spec spec = [] {
    Spec made;
    made.name = P::kName;
    made.family = "graph";
    made.summary = "A vertex program.";
    if constexpr (requires { P::kSummary; }) made.summary = P::kSummary;
    made.inputs = graph_inputs();
    made.parameters = {source_column(),
                       destination_column(),
                       weight_column(),
                       directed_flag(),
                       {.name = "max_iterations",
                        .kind = Kind::kInt,
                        .fallback = {},
                        .doc = "At most that many rounds.",
                        .unit = "rounds",
                        .min = 0}};
    if constexpr (requires { P::parameters(); })
      for (Parameter& parameter : P::parameters()) made.parameters.push_back(std::move(parameter));
    using Result = typename decltype(std::declval<Rounds<P>>().results())::Element;
    static_assert(std::same_as<Result, double> || std::same_as<Result, int64_t>,
                  "result(value), or Value without it, is double or int64_t");
    made.output = {{"id", "id"}, {P::kColumn, std::same_as<Result, double> ? "double" : "bigint"}};
    made.match = "exact";
    made.source = "a user's program";
    made.memory = graph_memory(
        Directions::kBoth, {.vertex = sizeof(typename P::Value) + 26.0, .copy = 3 * sizeof(typename P::Value) + 12.0});
    return made;
  }();
  return spec;
}

template <VertexProgram P>
Output run_vertex_program(const Inputs& inputs, const Values& values, Comm& comm, const Progress& progress) {
  Opened opened = open_graph(inputs, values, Directions::kBoth, comm, progress);
  const Stopwatch compute;
  const P program = [&] {
    if constexpr (std::constructible_from<P, const Values&>) return P(values);
    else return P{};
  }();
  const auto most = std::get_if<int64_t>(&values.at("max_iterations"));
  Rounds<P> rounds(opened.graph, program, comm);
  bool done = rounds.quiet();
  while (!done && (most == nullptr || rounds.round().number < *most)) {
    rounds.step();
    progress("compute", rounds.round().number, most == nullptr ? 0 : *most,
             static_cast<double>(rounds.round().changed));
    if constexpr (requires {
                    { program.until(rounds.round()) } -> std::convertible_to<bool>;
                  })
      done = program.until(rounds.round());
    done = done || rounds.quiet();
  }
  auto results = std::make_shared<decltype(rounds.results())>(rounds.results());
  using Result = typename decltype(rounds.results())::Element;
  const double compute_s = compute.seconds();
  Output output = per_vertex(
      std::move(opened),
      {{P::kColumn, std::same_as<Result, double> ? Type::kFloat64 : Type::kInt64, results->data(), {}}}, results);
  output.compute_s = compute_s;
  output.iterations = rounds.round().number;
  output.converged = done;
  output.residual = static_cast<double>(rounds.round().changed);
  return output;
}

}  // namespace sparkgap

/// Once, at the end of the file: makes the program a kernel of its own.
#define SPARKGAP_VERTEX_PROGRAM(P) \
  const ::sparkgap::Kernel sparkgap::kKernel { ::sparkgap::vertex_program_spec<P>(), ::sparkgap::run_vertex_program<P> }
