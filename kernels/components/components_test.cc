// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "components/components.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "components/forest.h"
#include "spec/kernel.h"
#include "test/error_text.h"
#include "test/id_names.h"
#include "test/test_comm.h"
#include "test/test_graph.h"

namespace sparkgap {
namespace {

using Named = std::map<std::string, std::string>;

/// Walks from the smallest vertex not yet reached.
Named oracle(const TestGraph& graph, bool strings) {
  std::map<std::string, std::vector<std::string>> neighbours;
  for (const auto& [a, b] : graph.edges) neighbours[a].push_back(b), neighbours[b].push_back(a);
  for (const std::string& vertex : graph.vertices) neighbours[vertex];
  Named component;
  for (const std::string& first : names_in_order(graph, strings)) {
    std::vector<std::string> reached{first};
    while (!reached.empty()) {
      const std::string vertex = reached.back();
      reached.pop_back();
      if (!component.emplace(vertex, first).second) continue;
      for (const std::string& other : neighbours.at(vertex)) reached.push_back(other);
    }
  }
  return component;
}

Named run(const TestGraph& graph, bool strings) {
  const Graph dealt = built(graph, strings, Directions::kBoth);
  const components::Result result = components::run(dealt, {}, test_comm(), {});
  return names_by_id(dealt.ids, result.component, graph, strings);
}

void expect_oracle(const TestGraph& graph) { expect_in_every_way(graph, run, oracle); }

TEST(Components, OfVerticesWithoutEdges) { expect_oracle({.vertices = {"1", "2", "3", "3", "-4"}}); }
TEST(Components, OfOneVertex) { expect_oracle({.edges = {{"5", "5"}}}); }
TEST(Components, OfOneEdge) {
  expect_oracle({.edges = {{"1", "2"}}});
  expect_oracle({.edges = {{"2", "1"}}});
}
TEST(Components, IgnoresDirectionLoopsAndDuplicates) {
  expect_oracle(
      {.edges = {{"1", "2"}, {"3", "2"}, {"3", "2"}, {"3", "4"}, {"7", "7"}, {"8", "6"}, {"6", "8"}, {"9", "9"}},
       .vertices = {"10", "9"}});
}
TEST(Components, TakesExtremeIds) {
  expect_oracle({.edges = {{"9223372036854775807", "-9223372036854775808"},
                           {"0", "9223372036854775807"},
                           {"-1", "1"},
                           {"9223372036854775806", "1"}},
                 .vertices = {"-9223372036854775807"}});
}
TEST(Components, ComparesIntegersByValueAndStringsByBytes) {
  const TestGraph graph{.edges = {{"9", "10"}, {"-1", "-2"}}};
  EXPECT_EQ(run(graph, false), (Named{{"9", "9"}, {"10", "9"}, {"-1", "-2"}, {"-2", "-2"}}));
  EXPECT_EQ(run(graph, true), (Named{{"9", "10"}, {"10", "10"}, {"-1", "-1"}, {"-2", "-1"}}));
}
TEST(Components, TakesStringsOfAnyKind) {
  const TestGraph graph{.edges = {{"ä", "z"},
                                  {"日本", "ä"},
                                  {"aaaaaaaab", "aaaaaaaa"},
                                  {"a name much longer than eight bytes", "a name much longer than eight"}},
                        .vertices = {""}};
  EXPECT_EQ(run(graph, true), oracle(graph, true));
}

TEST(Components, OfAPathAndOfStars) {
  TestGraph path, stars;
  for (int i = 0; i < 3000; ++i)
    path.edges.push_back({std::to_string(i * 7919 % 3001), std::to_string((i + 1) * 7919 % 3001)});
  expect_oracle(path);
  // Two hubs whose arcs threads share, one of them outside of the largest component, with arcs in and out.
  const int leaves = test_comm().size() == 1 ? 20000 : 2000;
  for (int i = 1; i <= 2 * leaves; ++i) {
    const std::string hub = i % 5 < 2 ? "-1" : "0";
    stars.edges.push_back(i % 2 == 0 ? std::pair(hub, std::to_string(i)) : std::pair(std::to_string(i), hub));
  }
  expect_oracle(stars);
}

TEST(Components, OfManySmallOnes) {
  TestGraph pairs;
  for (int i = 0; i < 4000; ++i)
    pairs.edges.push_back({std::to_string(i * 31 % 4000 + 10000), std::to_string(i * 31 % 4000)});
  expect_oracle(pairs);
}

TEST(Components, OfRandomGraphs) {
  with_random_graphs(
      [](const TestGraph& graph, bool strings, uint64_t) { EXPECT_EQ(run(graph, strings), oracle(graph, strings)); });
}

TEST(Components, OfLargerSparseGraphs) {
  std::mt19937_64 random(9);
  for (const uint64_t edges : {300, 900, 1500, 4000}) {
    TestGraph graph;
    for (uint64_t i = 0; i < edges; ++i)
      graph.edges.push_back({std::to_string(random() % 2000), std::to_string(random() % 2000)});
    expect_oracle(graph);
  }
}

TEST(Components, MatchesGraphalytics) {
  for (const GraphalyticsGraph& graph : graphalytics_or_skip()) {
    SCOPED_TRACE(graph.name);
    // Its rule: one label of theirs for each of ours, and the other way round.
    const Named found = run(test_graph(graph), false);
    std::map<std::string, double> theirs;
    std::map<double, std::string> ours;
    const auto expected = graph.expected("WCC");
    ASSERT_EQ(found.size(), expected.size());
    for (const auto& [id, label] : expected) {
      const std::string& component = found.at(std::to_string(id));
      EXPECT_EQ(theirs.emplace(component, label).first->second, label) << id;
      EXPECT_EQ(ours.emplace(label, component).first->second, component) << id;
    }
  }
}

TEST(Components, AreCountedRightWhereForestsOfRanksDiffer) {
  Comm& comm = test_comm();
  // Each rank knows every size-th link of a chain, so that all of it hangs together only over ranks.
  Graph graph;
  graph.deal(comm.rank() == 0 ? 1000 - 10 * (comm.size() - 1) : 10, comm);
  Forest forest(1000);
  for (uint32_t v = 0; v < 998; ++v)
    if (static_cast<int>(v) % comm.size() == comm.rank()) forest.join(v + 1, v);
  forest.compress();
  forest.merge(graph, comm);
  for (int64_t v = graph.first; v < graph.first + graph.rows; ++v)
    EXPECT_EQ(forest.root(static_cast<uint32_t>(v)), v == 999 ? 999u : 0u);
  EXPECT_EQ(forest.root_of_largest(graph, comm), 0u);
}

TEST(Components, AreMergedAgainAndAgain) {
  Comm& comm = test_comm();
  for (uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto vertices = static_cast<int64_t>(1 + random() % 60);
    Graph graph;
    std::vector<int64_t> rows(static_cast<size_t>(comm.size()));
    for (int64_t v = 0; v < vertices; ++v) ++rows[random() % rows.size()];
    graph.deal(rows[static_cast<size_t>(comm.rank())], comm);
    Forest mine(vertices), all(vertices);
    for (int merge = 0; merge < 4; ++merge) {
      for (uint64_t joins = random() % 20; joins > 0; --joins) {
        const auto a = static_cast<uint32_t>(random() % static_cast<uint64_t>(vertices)),
                   b = static_cast<uint32_t>(random() % static_cast<uint64_t>(vertices));
        all.join(a, b);
        if (random() % rows.size() == static_cast<uint64_t>(comm.rank())) mine.join(a, b);
      }
      all.compress();
      mine.compress();
      mine.merge(graph, comm);
      for (int64_t v = graph.first; v < graph.first + graph.rows; ++v)
        EXPECT_EQ(mine.root(static_cast<uint32_t>(v)), all.root(static_cast<uint32_t>(v))) << seed << ", " << merge;
    }
  }
}

TEST(Components, RefusesNoRows) {
  EXPECT_FALSE(error_text(Exit::kData, [&] { run({}, false); }).empty());
}

TEST(Components, RunsAsAKernel) {
  Comm& comm = test_comm();
  Inputs inputs;
  inputs["edges"] = memory_table("edges", {MemoryColumn("a", {"x", "y"}), MemoryColumn("b", {"y", "x"})}, comm);
  inputs["vertices"] = memory_table("vertices", {MemoryColumn("id", {"z"})}, comm);
  const Output output =
      kKernel.run(inputs, validate(kKernel.spec, {{"src", std::string("a")}, {"dst", std::string("b")}}), comm, {});
  EXPECT_EQ(comm.allreduce<int64_t>(output.rows), 3);
  EXPECT_EQ(output.converged, true);
  ASSERT_EQ(output.columns.size(), 2u);
  EXPECT_EQ(output.columns[1].name, "component");
  EXPECT_EQ(output.columns[1].type, Type::kString);
  for (size_t row = 0; row < static_cast<size_t>(output.rows); ++row)
    EXPECT_EQ(output.columns[1].strings[row], output.columns[0].strings[row] == "z" ? "z" : "x");
}

}  // namespace
}  // namespace sparkgap
