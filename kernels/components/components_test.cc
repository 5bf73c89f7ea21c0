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

/// By number of the vertices of all ranks, the number that stands for the set of each, as its owner has it.
std::map<int64_t, int64_t> sets_of(Forest& forest, const Graph& graph) {
  std::vector<std::pair<std::string, std::vector<double>>> mine;
  const auto roots = forest.roots();
  for (int64_t row = 0; row < graph.rows; ++row) {
    const uint32_t root = roots[static_cast<size_t>(row)];
    const int64_t name = root < graph.ghosts.places()
                             ? graph.ghosts.number(root)
                             : forest.strangers()[static_cast<size_t>(root - graph.ghosts.places())];
    mine.push_back({"", {static_cast<double>(graph.first + row), static_cast<double>(name)}});
  }
  std::map<int64_t, int64_t> sets;
  for (const auto& [text, values] : gather_rows(mine, test_comm()))
    sets[static_cast<int64_t>(values[0])] = static_cast<int64_t>(values[1]);
  return sets;
}

/// Each rank joins some of the vertices that it knows; `all` has what all ranks have joined.
void join_some(std::mt19937_64& random, Forest& forest, const Graph& graph, std::map<int64_t, int64_t>& all) {
  std::vector<std::pair<std::string, std::vector<double>>> mine;
  std::mt19937_64 own(random() + static_cast<uint64_t>(test_comm().rank()));
  const auto places = static_cast<uint64_t>(graph.ghosts.places());
  for (uint64_t joins = places == 0 ? 0 : own() % 8; joins > 0; --joins) {
    const auto a = static_cast<uint32_t>(own() % places), b = static_cast<uint32_t>(own() % places);
    forest.join(a, b);
    mine.push_back({"", {static_cast<double>(graph.ghosts.number(a)), static_cast<double>(graph.ghosts.number(b))}});
  }
  for (const auto& [text, pair] : gather_rows(mine, test_comm())) {
    const int64_t a = all.at(static_cast<int64_t>(pair[0])), b = all.at(static_cast<int64_t>(pair[1]));
    for (auto& [number, set] : all)
      if (set == std::max(a, b)) set = std::min(a, b);
  }
}

TEST(Components, AreMergedAgainAndAgain) {
  Comm& comm = test_comm();
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    const bool in_common = seed >= 200;
    std::mt19937_64 random(seed);
    const Graph graph = built(random_graph(seed), false, Directions::kBoth, seed % 2 == 0 ? Numbering{} : kFarNumbers);
    Forest forest(graph.ghosts, comm, in_common);
    std::map<int64_t, int64_t> all;
    for (size_t rank = 0; rank < graph.counts.size(); ++rank)
      for (int64_t row = 0; row < graph.counts[rank]; ++row) all[graph.firsts[rank] + row] = graph.firsts[rank] + row;
    for (int merge = 0; merge < 4; ++merge) {
      join_some(random, forest, graph, all);
      forest.compress();
      forest.merge(comm);
      // The same sets, each by the name of one of its vertices.
      std::map<int64_t, int64_t> names;
      for (const auto& [number, name] : sets_of(forest, graph)) {
        EXPECT_EQ(names.emplace(all.at(number), name).first->second, name) << number << ", " << merge;
        EXPECT_EQ(all.at(name), all.at(number)) << merge;
      }
    }
  }
}

TEST(Components, KnowTheLargestOnAllRanks) {
  Comm& comm = test_comm();
  TestGraph like;
  for (int i = 1; i < 700; ++i) like.edges.push_back({std::to_string(i - 1), std::to_string(i)});
  for (int i = 801; i < 1000; ++i) like.edges.push_back({"800", std::to_string(i)});
  for (const auto& [numbering, in_common] :
       {std::pair(Numbering{}, false), std::pair(Numbering{}, true), std::pair(kFarNumbers, true)}) {
    const Graph graph = built(like, false, Directions::kBoth, numbering);
    Forest forest(graph.ghosts, comm, in_common);
    for (int64_t row = 0; row < graph.rows; ++row)
      for (const uint32_t other : graph.in.of(row)) forest.join(graph.ghosts.place(row), other);
    forest.compress();
    forest.merge(comm);
    const Forest::Largest largest = forest.largest(comm);
    const auto roots = forest.roots();
    int64_t in_largest = 0;
    for (int64_t row = 0; row < graph.rows; ++row) {
      const bool is_in = std::stoll(graph.ids.text(row)) < 700;
      in_largest += is_in;
      EXPECT_EQ(forest.root(graph.ghosts.place(row)) == largest.root, is_in);
      EXPECT_EQ(roots[static_cast<size_t>(row)] == largest.name, is_in);
    }
    EXPECT_EQ(comm.allreduce(in_largest), 700);
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
