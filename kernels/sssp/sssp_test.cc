// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "sssp/sssp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "spec/kernel.h"
#include "test/error_text.h"
#include "test/least_memory.h"
#include "test/test_comm.h"
#include "test/test_graph.h"

namespace sparkgap {
namespace {

using Distances = std::map<std::string, double>;
using Delta = std::optional<double>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// All edges again and again until nothing changes (Bellman, Ford).
Distances oracle(const TestGraph& graph, const std::string& source) {
  Distances distances;
  for (const std::string& id : graph.vertices) distances[id] = kInfinity;
  for (const auto& [from, to] : graph.edges) distances[from] = distances[to] = kInfinity;
  distances[source] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < graph.edges.size(); ++i) {
      double &from = distances[graph.edges[i].first], &to = distances[graph.edges[i].second];
      const double weight = graph.weights.empty() ? 1 : graph.weights[i];
      if (from + weight < to) to = from + weight, changed = true;
      if (!graph.directed && to + weight < from) from = to + weight, changed = true;
    }
  }
  return distances;
}

Distances run(const TestGraph& graph, const std::string& source, bool strings, Delta delta = {}) {
  const Graph built_graph = built(graph, strings, Directions::kOut);
  int64_t reports = 0;
  const sssp::Result result =
      sssp::run(built_graph, {source, delta}, test_comm(),
                {[&](std::string_view, int64_t bucket, int64_t, double) { EXPECT_EQ(bucket, ++reports); }});
  EXPECT_EQ(reports, result.buckets);
  return by_id(built_graph.ids, result.distance);
}

/// From each of these sources in all variants, bit for bit. Several ranks leave some out, to be done soon.
void expect_oracle(TestGraph graph, const std::vector<std::string>& sources) {
  for (int threads = test_comm().size() > 1 ? 2 : 1; threads <= 2; ++threads)
    for (const bool strings : {false, true})
      for (const bool directed : {true, false})
        for (const Delta delta : {Delta(), Delta(1e-3), Delta(100)})
          for (const std::string& source : sources) {
            if (test_comm().size() > 1 && delta && (strings || delta < 1)) continue;
            SCOPED_TRACE(testing::Message() << "threads " << threads << " strings " << strings << " directed "
                                            << directed << " source " << source);
            SCOPED_TRACE(delta.value_or(0));
            omp_set_num_threads(threads);
            graph.directed = directed;
            EXPECT_EQ(run(graph, source, strings, delta), oracle(graph, source));
          }
}

TEST(Sssp, SomeRanksMayHaveTheLeastMemory) {
  std::mt19937_64 random(3);
  TestGraph graph;
  for (int i = 0; i < 3000; ++i) {
    graph.edges.push_back({std::to_string(random() % 400), std::to_string(random() % 400)});
    graph.weights.push_back(static_cast<double>(random() % 10000) / 8);
  }
  for (const std::string source : {"1", "2", "3", "4"})
    for (int with = 1; with <= test_comm().size(); ++with) {
      const LeastMemory least(test_comm().rank() < with);
      EXPECT_EQ(run(graph, source, false), oracle(graph, source)) << with << " ranks";
    }
}

TEST(Sssp, OfVerticesWithoutEdges) { expect_oracle({.vertices = {"1", "2", "3", "3"}}, {"2"}); }
TEST(Sssp, OfOneVertex) { expect_oracle({.edges = {{"5", "5"}}, .weights = {2}}, {"5"}); }
TEST(Sssp, CountsEdgesWithoutWeights) {
  expect_oracle({.edges = {{"1", "2"}, {"2", "3"}, {"1", "3"}, {"3", "4"}, {"9", "1"}}}, {"1", "9"});
}
TEST(Sssp, TakesTheLightestDuplicateAndNoLoop) {
  expect_oracle({.edges = {{"1", "2"}, {"1", "2"}, {"1", "2"}, {"2", "2"}, {"2", "3"}, {"1", "3"}, {"3", "1"}},
                 .weights = {5, 0.5, 7, 0, 1, 1.5, 3},
                 .vertices = {"9"}},
                {"1", "3", "9"});
}
TEST(Sssp, TakesZeroWeights) {
  expect_oracle({.edges = {{"1", "2"}, {"2", "3"}, {"3", "1"}, {"3", "4"}, {"4", "5"}}, .weights = {0, 0, 0, 2, 0}},
                {"1", "4"});
  expect_oracle({.edges = {{"1", "2"}, {"2", "3"}, {"5", "4"}}, .weights = {0, 0, -0.0}}, {"1"});
}
TEST(Sssp, StaysInItsPart) {
  expect_oracle({.edges = {{"1", "2"}, {"2", "3"}, {"10", "11"}, {"11", "10"}}, .weights = {1, 2, 3, 4}},
                {"1", "3", "11"});
}
TEST(Sssp, TakesExtremeIds) {
  expect_oracle({.edges = {{"-9223372036854775808", "9223372036854775807"},
                           {"9223372036854775807", "-1"},
                           {"-1", "0"},
                           {"-9223372036854775808", "0"}},
                 .weights = {1, 2, 3, 7}},
                {"-9223372036854775808"});
}
TEST(Sssp, TakesStringsOfAnyKind) {
  const TestGraph graph{
      .edges = {{"", "ä"}, {"ä", "日本"}, {"日本", "a name much longer than eight bytes"}, {"a,b", ""}},
      .weights = {1, 2, 3, 4},
      .vertices = {"alone"}};
  for (const std::string source : {"", "a,b", "alone"})
    EXPECT_EQ(run(graph, source, true), oracle(graph, source)) << source;
}
TEST(Sssp, BeyondTheLargestDoubleIsUnreachable) {
  const TestGraph graph{.edges = {{"1", "2"}, {"2", "3"}, {"1", "4"}, {"4", "5"}},
                        .weights = {1e308, 1e308, 5e-324, 5e-324}};
  EXPECT_EQ(run(graph, "1", false),
            (Distances{{"1", 0}, {"2", 1e308}, {"3", kInfinity}, {"4", 5e-324}, {"5", 1e-323}}));
  expect_oracle(graph, {"1"});
}

// The least of sums that differ in the last bit alone, whatever comes first.
TEST(Sssp, SumsFromTheSourceOn) {
  const TestGraph graph{.edges = {{"0", "1"}, {"1", "2"}, {"2", "9"}, {"0", "3"}, {"3", "4"}, {"4", "9"}, {"0", "9"}},
                        .weights = {0.1, 0.2, 0.3, 0.3, 0.2, 0.1, 0.7}};
  for (const Delta delta : {Delta(), Delta(0.01), Delta(10)})
    EXPECT_EQ(run(graph, "0", false, delta).at("9"), std::min((0.1 + 0.2) + 0.3, (0.3 + 0.2) + 0.1));
}

TEST(Sssp, OfALongPath) {
  TestGraph graph;
  for (int i = 0; i < (test_comm().size() > 1 ? 25 : 2000); ++i) {
    graph.edges.push_back({std::to_string(i), std::to_string(i + 1)});
    graph.weights.push_back(i % 7 * 0.3);
  }
  expect_oracle(graph, {"10"});
}

// Many windows of buckets, each wide enough for half of what is far.
TEST(Sssp, TakesWeightsOfAllSizes) {
  std::mt19937_64 random(4);
  const bool alone = test_comm().size() == 1;
  TestGraph graph;
  for (int i = 0; i < (alone ? 3000 : 300); ++i) {
    graph.edges.push_back(
        {std::to_string(random() % (alone ? 500 : 60)), std::to_string(random() % (alone ? 500 : 60))});
    graph.weights.push_back(
        std::ldexp(1 + static_cast<double>(random() % 1000) / 1000, static_cast<int>(random() % 80) - 40));
  }
  expect_oracle(graph, {graph.edges[0].first});
}

TEST(Sssp, OfRandomGraphs) {
  const uint64_t step = test_comm().size() == 1 ? 1 : 23;
  for (uint64_t number = 0; number < 300; number += step) {
    SCOPED_TRACE(number);
    TestGraph graph = random_graph(number);
    std::mt19937_64 random(number);
    if (number % 4 == 1) {
      graph.weights.clear();
      for (size_t i = 0; i < graph.edges.size(); ++i) graph.weights.push_back(static_cast<double>(random() % 100) / 7);
    }
    omp_set_num_threads(1 + static_cast<int>(number / step % 3));
    const auto& source = number % 5 == 0 || graph.edges.empty() ? graph.vertices.front()
                                                                : graph.edges[number % graph.edges.size()].first;
    const Delta deltas[] = {{}, {}, 0.01, 1, 5};
    EXPECT_EQ(run(graph, source, number / step % 2 == 1, deltas[number % 5]), oracle(graph, source));
  }
}

// Frontiers large enough for several threads, and a row that they share.
TEST(Sssp, OfAGraphThatThreadsShare) {
  std::mt19937_64 random(2);
  const auto n = static_cast<uint64_t>(test_comm().size() == 1 ? 20000 : 2000);
  TestGraph graph{.directed = false};
  for (uint64_t i = 1; i <= 2 * n; ++i) graph.edges.push_back({"0", std::to_string(i)});
  for (uint64_t i = 0; i < 8 * n; ++i)
    graph.edges.push_back({std::to_string(random() % n), std::to_string(random() % n)});
  for (size_t i = 0; i < graph.edges.size(); ++i) graph.weights.push_back(static_cast<double>(random() % 1000) / 3);
  const Distances expected = oracle(graph, "77");
  for (const int threads : {1, 2, 3})
    for (const Delta delta : {Delta(), Delta(50), Delta(1)}) {
      if (test_comm().size() > 1 && (threads != 2 || delta)) continue;
      omp_set_num_threads(threads);
      EXPECT_EQ(run(graph, "77", false, delta), expected) << threads << " " << delta.value_or(0);
    }
}

TEST(Sssp, MatchesGraphalytics) {
  for (const GraphalyticsGraph& graph : graphalytics_or_skip())
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(graph.name);
      omp_set_num_threads(threads);
      const auto found = run(test_graph(graph), graph.properties.at("sssp.source-vertex"), false);
      const auto expected = graph.expected("SSSP");
      ASSERT_FALSE(expected.empty());
      ASSERT_EQ(found.size(), expected.size());
      for (const auto& [id, distance] : expected) {
        const double mine = found.at(std::to_string(id));
        if (std::isinf(distance)) EXPECT_EQ(mine, distance) << id;
        else EXPECT_NEAR(mine, distance, sssp::kSpec.epsilon * distance) << id;
      }
    }
}

TEST(Sssp, Refuses) {
  const TestGraph graph{.edges = {{"1", "2"}}};
  for (const bool strings : {false, true}) {
    const std::string text = error_text(Exit::kData, [&] { run(graph, "7", strings); });
    EXPECT_EQ(text,
              "source: expected an id that occurs in the graph, found 7. Pass an id that occurs in edges or vertices.");
  }
  EXPECT_EQ(error_text(Exit::kArguments, [&] { (void)validate(kKernel.spec, {}); }),
            "source: expected an id, found nothing. Name a vertex.");
  (void)error_text(Exit::kArguments,
                   [&] { (void)validate(kKernel.spec, {{"source", std::string("1")}, {"delta", 0.0}}); });
  (void)error_text(Exit::kData, [&] { run({.edges = {{"1", "2"}}, .weights = {-1}}, "1", false); });
  (void)error_text(Exit::kData, [&] { run({.edges = {{"1", "2"}}, .weights = {kInfinity}}, "1", false); });
}

TEST(Sssp, RunsAsAKernel) {
  Comm& comm = test_comm();
  for (const bool weighted : {true, false}) {
    Inputs inputs;
    inputs["edges"] = weighted
                          ? memory_table("edges", {longs("a", {4, 5}), longs("b", {5, 6}), longs("w", {3, 4})}, comm)
                          : memory_table("edges", {longs("a", {4, 5}), longs("b", {5, 6})}, comm);
    inputs["vertices"] = memory_table("vertices", {longs("id", {7})}, comm);
    Values given{{"src", std::string("a")}, {"dst", std::string("b")}, {"source", int64_t{4}}};
    if (weighted) given["weight"] = std::string("w");
    const Output output = kKernel.run(inputs, validate(kKernel.spec, given), comm, {});
    EXPECT_EQ(comm.allreduce<int64_t>(output.rows), 4);
    EXPECT_EQ(output.columns[1].name, "distance");
    const std::map<int64_t, double> expected{{4, 0}, {5, weighted ? 3 : 1}, {6, weighted ? 7 : 2}, {7, kInfinity}};
    for (size_t row = 0; row < static_cast<size_t>(output.rows); ++row)
      EXPECT_EQ(static_cast<const double*>(output.columns[1].values)[row],
                expected.at(static_cast<const int64_t*>(output.columns[0].values)[row]));
  }
}

}  // namespace
}  // namespace sparkgap
