// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "labelprop/labelprop.h"

#include <gtest/gtest.h>

#include "spec/kernel.h"
#include "test/error_text.h"
#include "test/id_names.h"
#include "test/test_comm.h"
#include "test/test_graph.h"

namespace sparkgap {
namespace {

using Named = std::map<std::string, std::string>;

struct Found {
  Named labels;
  int64_t iterations = 0;
  bool converged = false;
  double residual = 0;
};

bool operator==(const Found& a, const Found& b) {
  return a.labels == b.labels && a.iterations == b.iterations && a.converged == b.converged &&
         std::abs(a.residual - b.residual) < 1e-12;
}

std::ostream& operator<<(std::ostream& out, const Found& found) {
  for (const auto& [id, label] : found.labels) out << id << ": " << label << ", ";
  return out << found.iterations << " iterations, converged " << found.converged << ", residual " << found.residual;
}

/// Every edge row sends the label of each end to the other, whatever its direction; counted in maps.
Found oracle(const TestGraph& graph, int64_t max_iterations, bool strings) {
  Found found;
  const auto names = names_in_order(graph, strings);
  for (const std::string& name : names) found.labels[name] = name;
  while (found.iterations < max_iterations && !found.converged) {
    std::map<std::string, std::map<std::string, int>> votes;
    for (const auto& [a, b] : graph.edges) ++votes[a][found.labels[b]], ++votes[b][found.labels[a]];
    int changed = 0;
    Named next = found.labels;
    for (const auto& [vertex, counts] : votes) {
      const std::string* winner = nullptr;
      for (const std::string& label : names)  // the smallest first, so that it wins ties
        if (counts.contains(label) && (winner == nullptr || counts.at(label) > counts.at(*winner))) winner = &label;
      changed += found.labels[vertex] != *winner;
      next[vertex] = *winner;
    }
    found.labels = next;
    ++found.iterations;
    found.converged = changed == 0;
    found.residual = changed / static_cast<double>(names.size());
  }
  return found;
}

Found run(const TestGraph& graph, int64_t max_iterations, bool strings) {
  const Graph dealt = built(graph, strings, Directions::kBoth);
  const labelprop::Result result = labelprop::run(dealt, {max_iterations}, test_comm(), {});
  return {names_by_id(dealt.ids, result.label, graph, strings), result.iterations, result.converged, result.residual};
}

void expect_oracle(const TestGraph& graph, int64_t max_iterations) {
  expect_in_every_way(
      graph, [&](const TestGraph& g, bool strings) { return run(g, max_iterations, strings); },
      [&](const TestGraph& g, bool strings) { return oracle(g, max_iterations, strings); });
}

TEST(Labelprop, OfVerticesWithoutEdges) { expect_oracle({.vertices = {"3", "1", "2", "3"}}, 5); }
TEST(Labelprop, AfterNoIterationIsTheId) {
  expect_oracle({.edges = {{"1", "2"}, {"2", "3"}}}, 0);
  EXPECT_FALSE(run({.edges = {{"1", "2"}}}, 0, false).converged);
}
TEST(Labelprop, OfOneVertex) { expect_oracle({.edges = {{"5", "5"}}}, 10); }
TEST(Labelprop, SwingsOnOneEdgeForEver) {
  expect_oracle({.edges = {{"1", "2"}}}, 7);
  const Found found = run({.edges = {{"1", "2"}}}, 7, false);
  EXPECT_EQ(found.labels, (Named{{"1", "2"}, {"2", "1"}}));
  EXPECT_EQ(found.iterations, 7);
  EXPECT_FALSE(found.converged);
  EXPECT_EQ(found.residual, 1);
}
TEST(Labelprop, StopsWhenNothingChanges) {
  const TestGraph clique{.edges = {{"1", "2"}, {"2", "3"}, {"3", "1"}, {"1", "4"}, {"2", "4"}, {"3", "4"}},
                         .vertices = {"9"}};
  expect_oracle(clique, 50);
  const Found found = run(clique, 50, false);
  EXPECT_TRUE(found.converged);
  EXPECT_LT(found.iterations, 10);
  EXPECT_EQ(found.residual, 0);
}
TEST(Labelprop, CountsBothDirectionsDuplicatesAndLoops) {
  // By hand: 4 hears 1 twice (both directions), 2 twice (duplicates) and 3 once: 1 wins. 5 hears itself twice and 1
  // once.
  const TestGraph graph{.edges = {{"4", "1"}, {"1", "4"}, {"2", "4"}, {"2", "4"}, {"3", "4"}, {"5", "5"}, {"5", "1"}}};
  expect_oracle(graph, 1);
  expect_oracle(graph, 6);
  const Found found = run(graph, 1, false);
  EXPECT_EQ(found.labels.at("4"), "1");
  EXPECT_EQ(found.labels.at("5"), "5");
}
TEST(Labelprop, BreaksTiesByValueOfIntegersAndBytesOfStrings) {
  const TestGraph graph{.edges = {{"9", "5"}, {"10", "5"}, {"-1", "6"}, {"-2", "6"}}};
  expect_oracle(graph, 1);
  EXPECT_EQ(run(graph, 1, false).labels.at("5"), "9");
  EXPECT_EQ(run(graph, 1, true).labels.at("5"), "10");
  EXPECT_EQ(run(graph, 1, false).labels.at("6"), "-2");
  EXPECT_EQ(run(graph, 1, true).labels.at("6"), "-1");
}
TEST(Labelprop, TakesExtremeIds) {
  expect_oracle({.edges = {{"9223372036854775807", "-9223372036854775808"},
                           {"0", "9223372036854775807"},
                           {"-1", "0"},
                           {"9223372036854775806", "-1"},
                           {"0", "-9223372036854775808"}}},
                4);
}
TEST(Labelprop, TakesStringsOfAnyKind) {
  const TestGraph graph{.edges = {{"", "ä"},
                                  {"ä", "日本"},
                                  {"日本", ""},
                                  {"a name much longer than eight bytes", "a name much longer than eight"},
                                  {"a name much longer than eight", ""}},
                        .vertices = {"alone"}};
  EXPECT_EQ(run(graph, 10, true), oracle(graph, 10, true));
}

TEST(Labelprop, OfRandomGraphs) {
  with_random_graphs([](const TestGraph& graph, bool strings, uint64_t number) {
    const auto iterations = static_cast<int64_t>(1 + number % 9);
    EXPECT_EQ(run(graph, iterations, strings), oracle(graph, iterations, strings));
  });
}

/// Communities of 30 with few edges between them: dense enough to settle, so that less and less is computed anew.
TestGraph communities(int n, uint64_t seed, const std::vector<std::string>& hubs) {
  std::mt19937_64 random(seed);
  TestGraph graph;
  for (int i = 0; i < n * 8; ++i) {
    const int64_t a = static_cast<int64_t>(random() % static_cast<uint64_t>(n)), community = a / 30 * 30;
    graph.edges.push_back(
        {std::to_string(a),
         std::to_string(i % 12 == 0 ? static_cast<int64_t>(random() % static_cast<uint64_t>(n))
                                    : std::min<int64_t>(n - 1, community + static_cast<int64_t>(random() % 30)))});
    if (!hubs.empty() && i % 16 == 0) graph.edges.push_back({hubs[random() % hubs.size()], std::to_string(a)});
  }
  return graph;
}

TEST(Labelprop, OfCommunities) {
  const int n = test_comm().size() == 1 ? 900 : 300;
  expect_oracle(communities(n, 3, {}), 10);
  expect_oracle(communities(n, 4, {"-1", "-2"}), 6);
}

TEST(Labelprop, OfLongRowsWithManyLabels) {
  // Hubs with more neighbours than the table for few holds, and two labels that tie at the top.
  TestGraph graph;
  for (int i = 1; i <= 3000; ++i)
    graph.edges.push_back(i % 2 == 0 ? std::pair(std::to_string(i % 700), std::string("-5"))
                                     : std::pair(std::string("-5"), std::to_string(i % 600 + 1000)));
  for (const int iterations : {1, 4}) expect_oracle(graph, iterations);
  for (const int degree : {64, 65}) {
    TestGraph star;
    for (int i = 0; i < degree; ++i) star.edges.push_back({"1000", std::to_string(i * 37 % 101)});
    star.edges.push_back({"200", "3"});
    expect_oracle(star, 3);
  }
}

TEST(Labelprop, MatchesGraphalytics) {
  for (const GraphalyticsGraph& graph : graphalytics_or_skip())
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(graph.name);
      omp_set_num_threads(threads);
      Named expected;
      for (const auto& [id, label] : graph.expected("CDLP"))
        expected[std::to_string(id)] = std::to_string(static_cast<int64_t>(label));
      ASSERT_FALSE(expected.empty());
      EXPECT_EQ(run(test_graph(graph), std::stoll(graph.properties.at("cdlp.max-iterations")), false).labels, expected);
    }
}

TEST(Labelprop, RefusesWhatItCannotDo) {
  EXPECT_FALSE(error_text(Exit::kData, [&] { run({}, 1, false); }).empty());
  EXPECT_FALSE(
      error_text(Exit::kArguments, [&] { (void)validate(kKernel.spec, {{"max_iterations", int64_t{-1}}}); }).empty());
  EXPECT_FALSE(error_text(Exit::kArguments, [&] {
                 (void)validate(kKernel.spec, {{"variant", std::string("louvain")}});
               }).empty());
}

TEST(Labelprop, RunsAsAKernelInBothVariants) {
  Comm& comm = test_comm();
  for (const char* variant : {"graphx", "ldbc"}) {
    Inputs inputs;
    inputs["edges"] =
        memory_table("edges", {MemoryColumn("a", {"x", "y", "y"}), MemoryColumn("b", {"y", "x", "w"})}, comm);
    inputs["vertices"] = memory_table("vertices", {MemoryColumn("id", {"z"})}, comm);
    const Values values = validate(kKernel.spec, {{"src", std::string("a")},
                                                  {"dst", std::string("b")},
                                                  {"max_iterations", int64_t{3}},
                                                  {"variant", std::string(variant)}});
    int64_t reports = 0;
    const Output output =
        kKernel.run(inputs, values, comm, {[&](std::string_view phase, int64_t iteration, int64_t of, double residual) {
                      if (phase != "compute") return;
                      EXPECT_EQ(iteration, ++reports);
                      EXPECT_EQ(of, 3);
                      EXPECT_EQ(residual, 0.75);  // all but z swing
                    }});
    EXPECT_EQ(reports, 3);
    EXPECT_EQ(output.iterations, 3);
    EXPECT_EQ(output.converged, false);
    EXPECT_EQ(comm.allreduce<int64_t>(output.rows), 4);
    EXPECT_EQ(output.columns[1].name, "label");
    EXPECT_EQ(output.columns[1].type, Type::kString);
    const std::map<std::string_view, std::string_view> expected{{"x", "y"}, {"y", "x"}, {"w", "y"}, {"z", "z"}};
    for (size_t row = 0; row < static_cast<size_t>(output.rows); ++row)
      EXPECT_EQ(output.columns[1].strings[row], expected.at(output.columns[0].strings[row]));
  }
}

}  // namespace
}  // namespace sparkgap
