// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "kcore/kcore.h"

#include <gtest/gtest.h>

#include <set>

#include "spec/kernel.h"
#include "test/error_text.h"
#include "test/test_comm.h"
#include "test/test_graph.h"

namespace sparkgap {
namespace {

using Cores = std::map<std::string, double>;

/// By the definition: for k = 1, 2, ... vertices with fewer than k neighbours go until none is left; what stays is the
/// k-core.
Cores oracle(const TestGraph& graph) {
  std::map<std::string, std::set<std::string>> near;
  for (const std::string& id : graph.vertices) near[id];
  for (const auto& [from, to] : graph.edges) near[from].insert(to), near[to].insert(from);
  for (auto& [id, others] : near) others.erase(id);
  Cores cores;
  for (double k = 0; !near.empty(); ++k) {
    for (const auto& [id, others] : near) cores[id] = k;
    for (bool again = true; again;) {
      again = false;
      for (auto at = near.begin(); at != near.end();) {
        if (static_cast<double>(at->second.size()) > k) {
          ++at;
          continue;
        }
        for (const std::string& other : at->second) near.at(other).erase(at->first);
        at = near.erase(at);
        again = true;
      }
    }
  }
  return cores;
}

Cores run(const TestGraph& graph, bool strings) {
  const Graph dealt = built(graph, strings, Directions::kBoth);
  const kcore::Result result = kcore::run(dealt, {}, test_comm(), {});
  const Cores cores = by_id(dealt.ids, result.core);
  std::set<double> values;
  for (const auto& [id, core] : cores) values.insert(core);
  EXPECT_EQ(result.levels, static_cast<int64_t>(values.size()));
  return cores;
}

void expect_oracle(TestGraph graph) {
  const Cores expected = oracle(graph);
  for (const bool directed : {true, false})
    for (const int threads : {1, 2, 3}) {
      if (test_comm().size() > 1 && threads != (directed ? 2 : 1)) continue;
      SCOPED_TRACE(testing::Message() << "directed " << directed << " threads " << threads);
      omp_set_num_threads(threads);
      graph.directed = directed;
      EXPECT_EQ(run(graph, threads == 2), expected);
    }
}

std::string name(int64_t i) { return std::to_string(i); }

void add_clique(TestGraph& graph, int64_t first, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < i; ++j)
      graph.edges.push_back({name(first + (i * j % 2 == 0 ? i : j)), name(first + (i * j % 2 == 0 ? j : i))});
}

TEST(Kcore, OfVerticesWithoutEdges) { expect_oracle({.vertices = {"1", "2", "3", "3", "-4"}}); }
TEST(Kcore, OfOneVertex) { expect_oracle({.edges = {{"5", "5"}, {"5", "5"}}}); }
TEST(Kcore, OfOneEdge) { expect_oracle({.edges = {{"2", "1"}}}); }
TEST(Kcore, IgnoresDirectionLoopsAndDuplicates) {
  const TestGraph graph{.edges = {{"1", "2"},
                                  {"2", "1"},
                                  {"1", "2"},
                                  {"2", "3"},
                                  {"3", "2"},
                                  {"3", "2"},
                                  {"3", "1"},
                                  {"1", "1"},
                                  {"2", "2"},
                                  {"2", "2"},
                                  {"3", "4"},
                                  {"4", "3"},
                                  {"4", "4"},
                                  {"8", "8"}},
                        .vertices = {"9", "4"}};
  expect_oracle(graph);
  EXPECT_EQ(run(graph, false), (Cores{{"1", 2}, {"2", 2}, {"3", 2}, {"4", 1}, {"8", 0}, {"9", 0}}));
}
TEST(Kcore, TakesExtremeIds) {
  expect_oracle({.edges = {{"-9223372036854775808", "9223372036854775807"},
                           {"9223372036854775807", "-1"},
                           {"-1", "-9223372036854775808"},
                           {"-1", "0"}},
                 .vertices = {"-9223372036854775807"}});
}
TEST(Kcore, TakesStringsOfAnyKind) {
  const TestGraph graph{
      .edges = {{"", "ä"}, {"ä", "日本"}, {"日本", ""}, {"a name much longer than eight bytes", ""}, {"ä", "ä"}},
      .vertices = {"alone"}};
  EXPECT_EQ(run(graph, true), oracle(graph));
}

TEST(Kcore, OfCliquesOfWhichLevelsBetweenAreEmpty) {
  TestGraph graph;
  add_clique(graph, 0, 90);
  add_clique(graph, 1000, 40);
  add_clique(graph, 2000, 3);
  for (int64_t i = 0; i < 20; ++i)
    graph.edges.push_back({name(i), name(1000 + i)});  // joins them, and makes no core larger
  expect_oracle(graph);
}

// A path comes off from both its ends, one vertex after the other; a grid from its corners.
TEST(Kcore, OfAPathAGridAndAStar) {
  TestGraph path, grid, star;
  const int64_t n = test_comm().size() == 1 ? 400 : 40;  // ranks wait for each other at every step
  for (int64_t i = 0; i < n; ++i) path.edges.push_back({name(i * 7919 % (n + 1)), name((i + 1) * 7919 % (n + 1))});
  expect_oracle(path);
  for (int64_t i = 0; i < 20; ++i)
    for (int64_t j = 0; j < 20; ++j) {
      grid.edges.push_back({name(20 * i + j), name(20 * i + (j + 1) % 20)});  // around
      if (i < 19) grid.edges.push_back({name(20 * i + j), name(20 * i + 20 + j)});
      if (i % 5 == 0) grid.edges.push_back({name(20 * i + j), name(5000 + 20 * i + j)});
    }
  expect_oracle(grid);
  for (int64_t i = 1; i <= 3000; ++i) star.edges.push_back({i % 2 == 0 ? "0" : name(i), i % 2 == 0 ? name(i) : "0"});
  expect_oracle(star);
}

// Enough arcs at a level for all threads to remove rows at the same time, from the same neighbours.
TEST(Kcore, IsTheSameWhereThreadsMeet) {
  std::mt19937_64 random(3);
  TestGraph graph;
  for (int64_t i = 0; i < 60000; ++i) {
    const auto pick = static_cast<int64_t>(random() >> 8);
    graph.edges.push_back({name(pick % 997 % (1 + pick / 1009 % 997)), name(pick / 1013 % 997)});
  }
  for (int64_t i = 0; i < 54000; ++i)
    for (int64_t k = 0; k < 3; ++k) graph.edges.push_back({name(10000 + i), name(static_cast<int64_t>(random() % 40))});
  const Cores expected = oracle(graph);
  for (const int threads : {1, 2, 4}) {  // fewer than 4 do not meet
    if (threads == 4 && test_comm().size() > 2) continue;
    omp_set_num_threads(threads);
    EXPECT_EQ(run(graph, false), expected) << threads;
  }
}

TEST(Kcore, OfRandomGraphs) {
  for (uint64_t number = 0; number < 300; number += test_comm().size() == 1 ? 1 : 11) {
    SCOPED_TRACE(number);
    omp_set_num_threads(number % 5 == 0 ? 2 : number % 17 == 0 ? 3 : 1);
    const TestGraph graph = random_graph(number);
    EXPECT_EQ(run(graph, number % 3 == 1), oracle(graph));
  }
}

TEST(Kcore, RefusesNoRows) {
  EXPECT_FALSE(error_text(Exit::kData, [&] { run({}, false); }).empty());
}

TEST(Kcore, RunsAsAKernel) {
  Comm& comm = test_comm();
  Inputs inputs;
  inputs["edges"] =
      memory_table("edges", {MemoryColumn("a", {"x", "y", "z", "v"}), MemoryColumn("b", {"y", "z", "x", "x"})}, comm);
  inputs["vertices"] = memory_table("vertices", {MemoryColumn("id", {"w"})}, comm);
  const Values values = validate(kKernel.spec, {{"src", std::string("a")}, {"dst", std::string("b")}});
  int64_t levels = 0;
  const Output output =
      kKernel.run(inputs, values, comm, {[&](std::string_view phase, int64_t iteration, int64_t, double) {
                    if (phase != "compute") return;
                    EXPECT_EQ(iteration, ++levels);
                  }});
  EXPECT_EQ(levels, 3);
  EXPECT_EQ(output.iterations, 3);
  EXPECT_EQ(comm.allreduce<int64_t>(output.rows), 5);
  ASSERT_EQ(output.columns.size(), 2u);
  EXPECT_EQ(output.columns[1].name, "core");
  EXPECT_EQ(output.columns[1].type, Type::kInt64);
  for (size_t row = 0; row < static_cast<size_t>(output.rows); ++row) {
    const std::string_view id = output.columns[0].strings[row];
    EXPECT_EQ(static_cast<const int64_t*>(output.columns[1].values)[row], id == "w" ? 0 : id == "v" ? 1 : 2);
  }
}

}  // namespace
}  // namespace sparkgap
