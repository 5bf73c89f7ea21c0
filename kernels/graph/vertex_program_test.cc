// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "graph/vertex_program.h"

#include <gtest/gtest.h>

#include <limits>

#include "test/test_comm.h"
#include "test/test_graph.h"

namespace sparkgap {
namespace {

/// Widest way from the vertex with the smallest id as text.
struct Widest {
  using Value = double;
  using Message = double;
  static constexpr const char *kName = "widest", *kColumn = "width";
  std::string source = "";
  double start(const Vertex& v) const { return v.id() == source ? std::numeric_limits<double>::infinity() : 0; }
  std::optional<double> send(double width, const Edge& edge) const {
    const double through = std::min(width, edge.weight);
    return through > 0 ? std::optional(through) : std::nullopt;
  }
  double combine(double a, double b) const { return std::max(a, b); }
  bool apply(double& width, double offered, const Vertex&) const { return offered > width && (width = offered, true); }
};

/// Counts what its neighbours, on both sides, were in the round before, in every round, until three were done.
struct Walks {
  struct Value {
    int64_t now;
    int64_t rounds;
  };
  using Message = int64_t;
  static constexpr const char *kName = "walks", *kColumn = "walks";
  static constexpr Flow kFlow = Flow::kBoth;
  Value start(const Vertex& v) const { return {v.in_degree() > 0 ? 1 : 2, 0}; }
  std::optional<int64_t> send(const Value& value, const Edge&) const { return value.now; }
  int64_t none() const { return 0; }
  int64_t combine(int64_t a, int64_t b) const { return a + b; }
  bool apply(Value& value, int64_t sum, const Vertex&) const {
    value = {sum, value.rounds + 1};
    return true;
  }
  bool until(const Round& round) const { return round.number == 3; }
  int64_t result(const Value& value) const { return value.now * 10 + value.rounds; }
};

template <typename P>
std::pair<std::map<std::string, double>, Round> ran(const TestGraph& test, bool strings, const P& program) {
  const Graph graph = built(test, strings, Directions::kBoth);
  Rounds<P> rounds(graph, program, test_comm());
  while (!rounds.quiet()) {
    rounds.step();
    if constexpr (requires { program.until(rounds.round()); })
      if (program.until(rounds.round())) break;
  }
  return {by_id(graph.ids, rounds.results()), rounds.round()};
}

std::map<std::string, double> names_of(const TestGraph& graph) {
  std::map<std::string, double> all;
  for (const auto& [from, to] : graph.edges) all[from] = all[to] = 0;
  for (const std::string& id : graph.vertices) all[id] = 0;
  return all;
}

/// Widens until nothing changes, edge by edge.
std::map<std::string, double> widest(const TestGraph& graph, const std::string& source) {
  auto width = names_of(graph);
  width[source] = std::numeric_limits<double>::infinity();
  for (bool changed = true; changed;) {
    changed = false;
    const auto widen = [&](const std::string& from, const std::string& to, double weight) {
      const double through = std::min(width[from], weight);
      if (through > width[to]) width[to] = through, changed = true;
    };
    for (size_t i = 0; i < graph.edges.size(); ++i) {
      const auto& [from, to] = graph.edges[i];
      const double weight = graph.weights.empty() ? 1 : graph.weights[i];
      widen(from, to, weight);
      if (!graph.directed) widen(to, from, weight);
    }
  }
  return width;
}

std::map<std::string, double> walks(const TestGraph& graph) {
  auto now = names_of(graph);
  std::map<std::string, bool> entered;
  std::vector<std::pair<std::string, std::string>> arcs = graph.edges;
  if (!graph.directed)
    for (const auto& [from, to] : graph.edges) arcs.push_back({to, from});
  for (const auto& [from, to] : arcs) entered[to] = true;
  for (auto& [id, value] : now) value = entered[id] ? 1 : 2;
  for (int round = 0; round < 3; ++round) {
    auto next = names_of(graph);
    for (const auto& [from, to] : arcs) next[to] += now[from], next[from] += now[to];
    now = next;
  }
  for (auto& [id, value] : now) value = value * 10 + 3;
  return now;
}

TEST(VertexProgram, WidestWaysOfRandomGraphs) {
  for (uint64_t number = 0; number < (test_comm().size() == 1 ? 200u : 30u); ++number) {
    SCOPED_TRACE(number);
    omp_set_num_threads(1 + static_cast<int>(number % 2));
    const TestGraph graph = random_graph(number);
    const std::string source = names_of(graph).begin()->first;
    EXPECT_EQ(ran(graph, number % 4 == 0, Widest{source}).first, widest(graph, source));
  }
}

TEST(VertexProgram, VisitsEveryVertexWhereItSaysWhatNothingIs) {
  for (uint64_t number = 0; number < (test_comm().size() == 1 ? 60u : 10u); ++number) {
    SCOPED_TRACE(number);
    const TestGraph graph = random_graph(number);
    const auto [found, round] = ran(graph, false, Walks{});
    EXPECT_EQ(found, walks(graph));
    EXPECT_EQ(round.number, 3);
    EXPECT_EQ(round.changed, static_cast<int64_t>(found.size()));
  }
}

TEST(VertexProgram, ALongPathWakesFewVerticesARound) {
  TestGraph path;
  for (int i = 0; i < 60; ++i) path.edges.push_back({std::to_string(i), std::to_string(i + 1)});
  path.weights.assign(60, 2);
  path.weights[30] = 0.5;
  const auto [found, round] = ran(path, false, Widest{"0"});
  EXPECT_EQ(found, widest(path, "0"));
  EXPECT_EQ(round.number, 61);  // 60 that change something, one that finds nothing left
}

TEST(VertexProgram, HasASpec) {
  const Spec& spec = vertex_program_spec<Walks>();
  EXPECT_EQ(spec.name, "walks");
  EXPECT_EQ(spec.output[1].type, "bigint");
  EXPECT_EQ(vertex_program_spec<Widest>().output[1].type, "double");
  EXPECT_NE(describe_json(spec).find("max_iterations"), std::string::npos);
}

}  // namespace
}  // namespace sparkgap
