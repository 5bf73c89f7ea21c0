// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "scc/scc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "scc/tarjan.h"
#include "spec/kernel.h"
#include "test/error_text.h"
#include "test/id_names.h"
#include "test/test_comm.h"
#include "test/test_graph.h"

namespace sparkgap {
namespace {

using Named = std::map<std::string, std::string>;

/// What a walk from each vertex reaches, and which of those reach it.
Named oracle(const TestGraph& graph, bool strings) {
  const std::vector<std::string> names = names_in_order(graph, strings);
  std::map<std::string, size_t> number;
  for (size_t i = 0; i < names.size(); ++i) number[names[i]] = i;
  std::vector<std::set<size_t>> after(names.size());
  for (const auto& [a, b] : graph.edges) {
    after[number.at(a)].insert(number.at(b));
    if (!graph.directed) after[number.at(b)].insert(number.at(a));
  }
  std::vector<std::vector<bool>> reached(names.size(), std::vector<bool>(names.size()));
  for (size_t first = 0; first < names.size(); ++first) {
    std::vector<size_t> ahead{first};
    while (!ahead.empty()) {
      const size_t vertex = ahead.back();
      ahead.pop_back();
      if (reached[first][vertex]) continue;
      reached[first][vertex] = true;
      ahead.insert(ahead.end(), after[vertex].begin(), after[vertex].end());
    }
  }
  Named component;
  for (size_t v = 0; v < names.size(); ++v)
    for (size_t u = names.size(); u-- > 0;)
      if (reached[v][u] && reached[u][v]) component[names[v]] = names[u];
  return component;
}

Named run(const TestGraph& graph, bool strings) {
  const Graph dealt = built(graph, strings, Directions::kBoth);
  const scc::Result result = scc::run(dealt, {}, test_comm(), {});
  return names_by_id(dealt.ids, result.component, graph, strings);
}

void expect_oracle(TestGraph graph) {
  for (const bool directed : {true, false}) {
    graph.directed = directed;
    for (const bool strings : {false, true})
      for (const int threads : {1, 2}) {
        if (test_comm().size() > 1 && threads != (directed ? 2 : 1)) continue;  // half of them: ranks that wait spin
        SCOPED_TRACE(testing::Message() << "threads " << threads << " strings " << strings << " directed " << directed);
        omp_set_num_threads(threads);
        EXPECT_EQ(run(graph, strings), oracle(graph, strings));
      }
  }
}

/// An edge for each pair of consecutive vertices.
void add_path(TestGraph& graph, const std::vector<int>& vertices) {
  for (size_t i = 1; i < vertices.size(); ++i)
    graph.edges.push_back({std::to_string(vertices[i - 1]), std::to_string(vertices[i])});
}

TEST(Scc, OfVerticesWithoutEdges) { expect_oracle({.vertices = {"1", "2", "3", "3", "-4"}}); }
TEST(Scc, OfOneVertex) { expect_oracle({.edges = {{"5", "5"}}}); }
TEST(Scc, OfOneEdge) {
  expect_oracle({.edges = {{"1", "2"}}});
  expect_oracle({.edges = {{"2", "1"}, {"2", "1"}}});
}
TEST(Scc, IgnoresLoopsAndDuplicates) {
  expect_oracle({.edges = {{"1", "2"},
                           {"2", "1"},
                           {"2", "1"},
                           {"3", "2"},
                           {"3", "3"},
                           {"3", "3"},
                           {"7", "7"},
                           {"8", "6"},
                           {"6", "8"},
                           {"8", "8"},
                           {"9", "9"}},
                 .vertices = {"10", "9"}});
}
TEST(Scc, TakesExtremeIds) {
  expect_oracle({.edges = {{"9223372036854775807", "-9223372036854775808"},
                           {"-9223372036854775808", "9223372036854775807"},
                           {"0", "9223372036854775807"},
                           {"-1", "1"},
                           {"1", "-1"}},
                 .vertices = {"-9223372036854775807"}});
}
TEST(Scc, ComparesIntegersByValueAndStringsByBytes) {
  const TestGraph graph{.edges = {{"9", "10"}, {"10", "9"}, {"-1", "-2"}, {"-2", "-1"}}};
  EXPECT_EQ(run(graph, false), (Named{{"9", "9"}, {"10", "9"}, {"-1", "-2"}, {"-2", "-2"}}));
  EXPECT_EQ(run(graph, true), (Named{{"9", "10"}, {"10", "10"}, {"-1", "-1"}, {"-2", "-1"}}));
}
TEST(Scc, TakesStringsOfAnyKind) {
  const TestGraph graph{.edges = {{"ä", "z"},
                                  {"z", "日本"},
                                  {"日本", "ä"},
                                  {"aaaaaaaab", "aaaaaaaa"},
                                  {"a name much longer than eight bytes", "a name much longer than eight"}},
                        .vertices = {""}};
  EXPECT_EQ(run(graph, true), oracle(graph, true));
}

TEST(Scc, OfRingsAndPaths) {
  const int n = test_comm().size() == 1 ? 300 : 60;
  TestGraph ring, path, eights;
  std::vector<int> around;
  for (int i = 0; i <= n; ++i) around.push_back(i * 79 % n + 5);
  add_path(ring, around);
  expect_oracle(ring);
  around.pop_back();
  add_path(path, around);
  expect_oracle(path);
  // A chain of pairs that lead on to the next, none of which can be trimmed.
  for (int i = 0; i < n; i += 2) add_path(eights, {i * 37 % n, i * 37 % n + 1, i * 37 % n, (i + 2) * 37 % n});
  eights.edges.pop_back();
  expect_oracle(eights);
}

TEST(Scc, OfLongPathsAndRings) {
  const int n = test_comm().size() == 1 ? 200000 : 2000;  // deep, against recursion, and deeper than ranks follow
  for (const bool closed : {true, false}) {
    TestGraph graph;
    for (int i = 0; i + 1 < n; i += 2) add_path(graph, {i, i + 1, i, (i + 2) % n});
    if (!closed) graph.edges.pop_back();
    const Named found = run(graph, false);
    for (int i = 0; i < n; ++i) ASSERT_EQ(found.at(std::to_string(i)), closed ? "0" : std::to_string(i - i % 2));
  }
}

TEST(Scc, OfAGiantWithBeardAndIslands) {
  std::mt19937_64 random(4);
  const auto some = [&](int first, int n) {
    return std::to_string(first + static_cast<int>(random() % static_cast<uint64_t>(n)));
  };
  TestGraph graph;
  for (int i = 0; i < 1500; ++i) graph.edges.push_back({some(0, 200), some(0, 200)});  // the giant
  for (int i = 0; i < 60; ++i) graph.edges.push_back({some(0, 200), some(200, 60)});   // after it
  for (int i = 0; i < 60; ++i) graph.edges.push_back({some(300, 60), some(0, 200)});   // before it
  for (const int first : {200, 300, 400})
    for (int i = 0; i < 75; ++i) graph.edges.push_back({some(first, 60), some(first, 60)});
  expect_oracle(graph);
}

TEST(Scc, OfAHubWhoseArcsThreadsShare) {
  const int leaves = test_comm().size() == 1 ? 60000 : 3000;
  TestGraph graph;
  for (int i = 1; i <= leaves; ++i) {
    if (i % 3 != 0) graph.edges.push_back({"0", std::to_string(i)});
    if (i % 3 != 1) graph.edges.push_back({std::to_string(i), "0"});
  }
  for (const int threads : {1, 2}) {
    omp_set_num_threads(threads);
    const Named found = run(graph, false);
    for (int i = 0; i <= leaves; ++i)
      ASSERT_EQ(found.at(std::to_string(i)), i % 3 == 2 || i == 0 ? "0" : std::to_string(i));
  }
}

TEST(Scc, OfRandomGraphs) {
  with_random_graphs(
      [](const TestGraph& graph, bool strings, uint64_t) { EXPECT_EQ(run(graph, strings), oracle(graph, strings)); });
}

TEST(Scc, OfLargerSparseGraphs) {
  std::mt19937_64 random(9);
  for (const uint64_t edges : {200, 400, 500, 700, 1200}) {
    TestGraph graph;
    for (uint64_t i = 0; i < edges; ++i)
      graph.edges.push_back({std::to_string(random() % 400), std::to_string(random() % 400)});
    expect_oracle(graph);
  }
}

TEST(Scc, WithoutDirectionMatchesGraphalytics) {
  for (const GraphalyticsGraph& graph : graphalytics_or_skip()) {
    SCOPED_TRACE(graph.name);
    if (graph.directed) continue;
    const Named found = run(test_graph(graph), false);
    std::map<std::string, double> theirs;
    std::map<double, std::string> ours;
    for (const auto& [id, label] : graph.expected("WCC")) {
      const std::string& component = found.at(std::to_string(id));
      EXPECT_EQ(theirs.emplace(component, label).first->second, label) << id;
      EXPECT_EQ(ours.emplace(label, component).first->second, component) << id;
    }
  }
}

TEST(Scc, RefusesNoRows) {
  EXPECT_FALSE(error_text(Exit::kData, [&] { run({}, false); }).empty());
}

TEST(Scc, RunsAsAKernel) {
  Comm& comm = test_comm();
  Inputs inputs;
  inputs["edges"] =
      memory_table("edges", {MemoryColumn("a", {"x", "y", "z"}), MemoryColumn("b", {"y", "x", "x"})}, comm);
  inputs["vertices"] = memory_table("vertices", {MemoryColumn("id", {"w"})}, comm);
  const Output output =
      kKernel.run(inputs, validate(kKernel.spec, {{"src", std::string("a")}, {"dst", std::string("b")}}), comm, {});
  EXPECT_EQ(comm.allreduce<int64_t>(output.rows), 4);
  EXPECT_EQ(output.converged, true);
  ASSERT_EQ(output.columns.size(), 2u);
  EXPECT_EQ(output.columns[1].name, "component");
  EXPECT_EQ(output.columns[1].type, Type::kString);
  for (size_t row = 0; row < static_cast<size_t>(output.rows); ++row)
    EXPECT_EQ(output.columns[1].strings[row],
              output.columns[0].strings[row] == "y" ? "x" : output.columns[0].strings[row]);
}

TEST(Tarjan, OfNothing) {
  const int64_t starts[] = {0};
  EXPECT_EQ(strong_components(starts, {}).size(), 0u);
}
TEST(Tarjan, OfTwoRingsAndAnArc) {
  const int64_t starts[] = {0, 1, 3, 4, 5, 5};
  const uint32_t ends[] = {1, 0, 2, 3, 2};
  const Buffer<uint32_t> found = strong_components(starts, ends);
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[2], found[3]);
  EXPECT_NE(found[0], found[2]);
  EXPECT_EQ(found[4], 4u);
}

}  // namespace
}  // namespace sparkgap
