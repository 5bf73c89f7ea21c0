// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "bfs/bfs.h"

#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "spec/kernel.h"
#include "test/error_text.h"
#include "test/test_comm.h"
#include "test/test_graph.h"

namespace sparkgap {
namespace {

using Levels = std::map<std::string, double>;
constexpr auto kUnreachable = static_cast<double>(bfs::kUnreachable);

/// A queue over names.
Levels oracle(const TestGraph& graph, const std::string& source) {
  std::map<std::string, std::set<std::string>> next;
  for (const std::string& id : graph.vertices) next[id];
  for (const auto& [from, to] : graph.edges) {
    next[from].insert(to);
    if (graph.directed) next[to];
    else next[to].insert(from);
  }
  Levels levels;
  for (const auto& [id, targets] : next) levels[id] = kUnreachable;
  levels[source] = 0;
  for (std::deque<std::string> queue{source}; !queue.empty(); queue.pop_front())
    for (const std::string& to : next[queue.front()])
      if (levels[to] == kUnreachable) levels[to] = levels[queue.front()] + 1, queue.push_back(to);
  return levels;
}

Levels run(const TestGraph& graph, const std::string& source, bool strings) {
  const Graph built_graph = built(graph, strings, Directions::kBoth);
  int64_t reports = 0;
  const bfs::Result result =
      bfs::run(built_graph, {source}, test_comm(),
               {[&](std::string_view, int64_t level, int64_t, double) { EXPECT_EQ(level, ++reports); }});
  EXPECT_EQ(reports, result.levels);
  int64_t deepest = 0;
  for (size_t row = 0; row < static_cast<size_t>(built_graph.rows); ++row) {
    EXPECT_EQ(result.reached[row] != 0, result.level[row] != bfs::kUnreachable);
    if (result.reached[row] != 0) deepest = std::max(deepest, result.level[row]);
  }
  EXPECT_EQ(test_comm().allreduce(deepest, Reduce::kMax), result.levels);
  return by_id(built_graph.ids, result.level);
}

/// From each of these sources in all variants; several ranks have 2 threads only, to be done soon.
void expect_oracle(TestGraph graph, const std::vector<std::string>& sources) {
  for (int threads = test_comm().size() > 1 ? 2 : 1; threads <= 2; ++threads)
    for (const bool strings : {false, true})
      for (const bool directed : {true, false})
        for (const std::string& source : sources) {
          SCOPED_TRACE(testing::Message() << "threads " << threads << " strings " << strings << " directed " << directed
                                          << " source " << source);
          omp_set_num_threads(threads);
          graph.directed = directed;
          EXPECT_EQ(run(graph, source, strings), oracle(graph, source));
        }
}

TEST(Bfs, OfVerticesWithoutEdges) { expect_oracle({.vertices = {"1", "2", "3", "3"}}, {"2"}); }
TEST(Bfs, OfOneVertex) { expect_oracle({.edges = {{"5", "5"}}}, {"5"}); }
TEST(Bfs, IgnoresDuplicatesAndLoops) {
  expect_oracle({.edges = {{"1", "2"}, {"1", "2"}, {"2", "2"}, {"2", "3"}, {"3", "1"}, {"4", "1"}, {"4", "4"}},
                 .vertices = {"9", "1"}},
                {"1", "3", "4", "9"});
}
TEST(Bfs, StaysInItsPart) {
  expect_oracle({.edges = {{"1", "2"}, {"2", "3"}, {"10", "11"}, {"11", "12"}, {"12", "10"}}}, {"1", "3", "11"});
}
TEST(Bfs, TakesExtremeIds) {
  expect_oracle({.edges = {{"-9223372036854775808", "9223372036854775807"},
                           {"9223372036854775807", "-1"},
                           {"-1", "0"},
                           {"0", "-9223372036854775808"}},
                 .vertices = {"7"}},
                {"-9223372036854775808", "9223372036854775807", "7"});
}
TEST(Bfs, TakesStringsOfAnyKind) {
  const TestGraph graph{
      .edges = {{"", "ä"}, {"ä", "日本"}, {"日本", "a name much longer than eight bytes"}, {"a,b", ""}},
      .vertices = {"alone"}};
  for (const std::string source : {"", "a,b", "日本", "alone"})
    EXPECT_EQ(run(graph, source, true), oracle(graph, source)) << source;
}

TEST(Bfs, OfALongPath) {
  TestGraph graph;
  for (int i = 0; i < (test_comm().size() > 1 ? 60 : 1500); ++i)
    graph.edges.push_back({std::to_string(i), std::to_string(i + 1)});
  expect_oracle(graph, {"20"});
}

// Top-down, bottom-up where the core is, and top-down again.
TEST(Bfs, OfACoreBetweenPaths) {
  std::mt19937_64 random(5);
  TestGraph graph;
  for (int i = 0; i < 20; ++i) graph.edges.push_back({std::to_string(-i - 1), std::to_string(-i)});
  for (int i = 0; i < 4000; ++i)
    graph.edges.push_back({std::to_string(random() % 600), std::to_string(random() % 600)});
  for (int i = 0; i < 30; ++i) graph.edges.push_back({std::to_string(599 + i), std::to_string(600 + i)});
  expect_oracle(graph, {"-20", "0", "629"});
}

TEST(Bfs, OfAStar) {
  TestGraph graph;
  for (int i = 1; i <= 3000; ++i) graph.edges.push_back({"0", std::to_string(i)});
  expect_oracle(graph, {"0", "17"});
}

TEST(Bfs, OfRandomGraphs) {
  const uint64_t step = test_comm().size() == 1 ? 1 : 12;
  for (uint64_t number = 0; number < 300; number += step) {
    SCOPED_TRACE(number);
    TestGraph graph = random_graph(number);
    graph.weights.clear();
    omp_set_num_threads(1 + static_cast<int>(number / step % 3));
    const auto& source = number % 4 == 0 || graph.edges.empty() ? graph.vertices.front()
                                                                : graph.edges[number % graph.edges.size()].first;
    EXPECT_EQ(run(graph, source, number / step % 2 == 1), oracle(graph, source));
  }
}

// Frontiers large enough for several threads in both directions.
TEST(Bfs, OfAGraphThatThreadsShare) {
  if (test_comm().size() > 1) return;
  std::mt19937_64 random(2);
  TestGraph graph{.directed = false};
  for (int i = 0; i < 240000; ++i)
    graph.edges.push_back({std::to_string(random() % 150000), std::to_string(random() % 150000)});
  const Levels expected = oracle(graph, graph.edges[0].first);
  for (const int threads : {1, 2, 3}) {
    omp_set_num_threads(threads);
    EXPECT_EQ(run(graph, graph.edges[0].first, false), expected);
  }
}

TEST(Bfs, MatchesGraphalytics) {
  for (const GraphalyticsGraph& graph : graphalytics_or_skip())
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(graph.name);
      omp_set_num_threads(threads);
      TestGraph example = test_graph(graph);
      example.weights.clear();
      Levels expected;
      for (const auto& [id, level] : graph.expected("BFS")) expected[std::to_string(id)] = level;
      ASSERT_FALSE(expected.empty());
      EXPECT_EQ(run(example, graph.properties.at("bfs.source-vertex"), false), expected);
    }
}

TEST(Bfs, RefusesUnknownSources) {
  for (const bool strings : {false, true}) {
    const std::string text = error_text(Exit::kData, [&] { run({.edges = {{"1", "2"}}}, "7", strings); });
    EXPECT_EQ(text,
              "source: expected an id that occurs in the graph, found 7. Pass an id that occurs in edges or vertices.");
  }
  EXPECT_EQ(error_text(Exit::kArguments, [&] { (void)validate(kKernel.spec, {}); }),
            "source: expected an id, found nothing. Name a vertex.");
}

TEST(Bfs, RunsAsAKernel) {
  Comm& comm = test_comm();
  for (const bool ldbc : {false, true}) {
    Inputs inputs;
    inputs["edges"] = memory_table("edges", {MemoryColumn("a", {"x", "y"}), MemoryColumn("b", {"y", "y"})}, comm);
    inputs["vertices"] = memory_table("vertices", {MemoryColumn("id", {"z"})}, comm);
    Values given{{"src", std::string("a")}, {"dst", std::string("b")}, {"source", std::string("x")}};
    if (ldbc) given["variant"] = std::string("ldbc");
    const Output output = kKernel.run(inputs, validate(kKernel.spec, given), comm, {});
    EXPECT_EQ(comm.allreduce<int64_t>(output.rows), 3);
    EXPECT_EQ(output.iterations, 1);
    const OutputColumn& level = output.columns[1];
    EXPECT_EQ(level.name, "level");
    EXPECT_EQ(level.nullable, !ldbc);
    for (size_t row = 0; row < static_cast<size_t>(output.rows); ++row) {
      const std::string_view id = output.columns[0].strings[row];
      if (!ldbc) {
        EXPECT_EQ(level.validity[row] == 0, id == "z");
      }
      if (ldbc || id != "z") {
        EXPECT_EQ(static_cast<const int64_t*>(level.values)[row], id == "z" ? bfs::kUnreachable : id == "y");
      }
    }
  }
}

}  // namespace
}  // namespace sparkgap
