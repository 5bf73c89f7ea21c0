// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "pagerank/pagerank.h"

#include <gtest/gtest.h>

#include <bit>
#include <numeric>
#include <random>

#include "gather/blocked_rows.h"
#include "pagerank/pagerank_oracle.h"
#include "spec/kernel.h"
#include "test/error_text.h"
#include "test/memory_table.h"
#include "test/test_comm.h"
#include "test/test_graph.h"

namespace sparkgap {
namespace {

using pagerank::Variant;

constexpr double kEpsilon = 1e-12;  // relative

struct Found {
  std::map<std::string, double> ranks;
  int64_t iterations;
  bool converged;
  double residual;
  std::vector<double> changes;
};

Found run(const PagerankOracle& like, int64_t max_iterations, bool strings) {
  Comm& comm = test_comm();
  const Graph graph = built({like.edges, like.weights, like.vertices, like.directed}, strings, Directions::kIn);
  pagerank::Params params{!like.weights.empty(),
                          like.damping,
                          max_iterations,
                          like.tolerance,
                          like.ldbc ? Variant::kLdbc : Variant::kGraphx,
                          {}};
  if (like.personalised) params.source_ids = like.sources;
  const pagerank::Result result = pagerank::run(graph, params, comm, {});
  return {by_id(graph.ids, result.pagerank), result.iterations, result.converged, result.residual, result.changes};
}

void expect_near(const std::map<std::string, double>& found, const std::map<std::string, double>& expected,
                 double epsilon = kEpsilon) {
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [id, rank] : expected) {
    ASSERT_EQ(found.count(id), 1u) << id;
    EXPECT_NEAR(found.at(id), rank, epsilon * rank) << id;
  }
}

/// All variants that the oracle's edges allow: threads, ids, normalisation, direction, sources.
void expect_oracle(PagerankOracle oracle, int64_t max_iterations) {
  for (const int threads : {1, 2})
    for (const bool strings : {false, true})
      for (const bool ldbc : {false, true})
        for (const bool directed : {true, false})
          for (const bool personalised : {false, true}) {
            if (personalised && oracle.sources.empty()) continue;
            if (test_comm().size() > 1 && (threads == 2) != strings)
              continue;  // many collectives: half of the cases will do there
            SCOPED_TRACE(testing::Message() << "threads " << threads << " strings " << strings << " ldbc " << ldbc
                                            << " directed " << directed << " personalised " << personalised);
            omp_set_num_threads(threads);
            PagerankOracle one = oracle;
            one.ldbc = ldbc, one.directed = directed, one.personalised = personalised;
            if (!personalised) one.sources.clear();
            const auto expected = one.run(max_iterations);
            const Found found = run(one, max_iterations, strings);
            expect_near(found.ranks, expected);
            EXPECT_EQ(found.iterations, one.iterations);
            EXPECT_NEAR(found.residual, one.residual, 1e-13);
            ASSERT_EQ(found.changes.size(), one.changes.size());
            for (size_t i = 0; i < found.changes.size(); ++i)
              EXPECT_NEAR(found.changes[i], one.changes[i], kEpsilon * std::max(1.0, one.changes[i]));
            EXPECT_EQ(found.converged, !one.tolerance || (one.iterations > 0 && one.residual <= *one.tolerance));
          }
}

TEST(Pagerank, OfVerticesWithoutEdges) {
  expect_oracle({.edges = {}, .vertices = {"1", "2", "3", "3"}, .sources = {"2"}}, 5);
}
TEST(Pagerank, AfterNoIterationIsTheStart) {
  expect_oracle({.edges = {{"1", "2"}, {"2", "3"}}, .sources = {"1", "3"}}, 0);
}
TEST(Pagerank, OfOneVertex) { expect_oracle({.edges = {{"5", "5"}}, .sources = {"5"}}, 10); }
TEST(Pagerank, CountsDuplicatesAndLoops) {
  expect_oracle({.edges = {{"1", "2"}, {"1", "2"}, {"1", "3"}, {"3", "3"}, {"2", "1"}, {"4", "1"}}, .sources = {"4"}},
                20);
}
TEST(Pagerank, TakesExtremeIds) {
  expect_oracle({.edges = {{"-9223372036854775808", "9223372036854775807"},
                           {"9223372036854775807", "-1"},
                           {"-1", "0"},
                           {"0", "-9223372036854775808"},
                           {"0", "-1"}},
                 .sources = {"-1", "-9223372036854775808"}},
                20);
}
TEST(Pagerank, LosesAllWithDampingOneOnAPath) {
  expect_oracle({.edges = {{"1", "2"}, {"2", "3"}}, .sources = {"1"}, .damping = 1}, 5);
}
TEST(Pagerank, StaysAtTheStartWithDampingZero) {
  expect_oracle({.edges = {{"1", "2"}, {"2", "3"}}, .sources = {"2"}, .damping = 0}, 5);
}
TEST(Pagerank, SharesByWeight) {
  expect_oracle({.edges = {{"1", "2"}, {"1", "3"}, {"2", "3"}, {"3", "1"}, {"4", "1"}, {"4", "4"}},
                 .weights = {3, 1, 0, 2.5, 0, 0},
                 .vertices = {"9"},
                 .sources = {"1"}},
                30);
}
TEST(Pagerank, StopsAtTheTolerance) {
  expect_oracle({.edges = {{"1", "2"}, {"2", "3"}, {"3", "1"}, {"1", "3"}}, .sources = {"1"}, .tolerance = 1e-3}, 100);
  expect_oracle({.edges = {{"1", "2"}, {"2", "3"}, {"3", "1"}, {"1", "3"}}, .sources = {"1"}, .tolerance = 1e-12}, 3);
  expect_oracle({.edges = {{"1", "2"}}, .sources = {"1"}, .tolerance = 0.1}, 0);
}
TEST(Pagerank, TakesStringsOfAnyKind) {
  PagerankOracle oracle{.edges = {{"", "ä"}, {"ä", "日本"}, {"日本", ""}, {"a name much longer than eight bytes", ""}},
                        .vertices = {"alone"}};
  expect_near(run(oracle, 20, true).ranks, oracle.run(20));
}

TEST(Pagerank, OfRandomGraphs) {
  std::mt19937_64 random(3);
  for (const bool dense : {true, false}) {
    PagerankOracle oracle;
    const auto vertex = [&] {
      return std::to_string(static_cast<int64_t>(random() % (random() % 900 + 1)) * (dense ? 1 : -123456789123));
    };
    for (int i = 0; i < 2000; ++i) oracle.edges.push_back({vertex(), vertex()});
    oracle.sources = {oracle.edges[0].first, oracle.edges[1].second, oracle.edges[0].first};
    expect_oracle(oracle, 8);
    for (size_t i = 0; i < oracle.edges.size(); ++i) oracle.weights.push_back(static_cast<double>(random() % 100) / 7);
    expect_oracle(oracle, 8);
  }
}

TEST(Pagerank, OfAHubThatThreadsShare) {
  PagerankOracle oracle;
  for (int i = 1; i <= 30000; ++i) oracle.edges.push_back({std::to_string(i), "0"});
  for (int i = 1; i <= 100; ++i) oracle.edges.push_back({"0", std::to_string(i * 7)});
  for (const int threads : {1, 2}) {
    omp_set_num_threads(threads);
    expect_near(run(oracle, 3, false).ranks, oracle.run(3));
    oracle.weights.assign(oracle.edges.size(), 0.1);
    expect_near(run(oracle, 3, false).ranks, oracle.run(3));
  }
}

TEST(Pagerank, IsTheSameBitForBitWithAnyThreads) {
  std::mt19937_64 random(8);
  PagerankOracle oracle;
  for (int i = 0; i < 100000; ++i)
    oracle.edges.push_back({std::to_string(random() % 5000), std::to_string(random() % (random() % 5000 + 1))});
  omp_set_num_threads(1);
  const auto one = run(oracle, 10, false);
  for (const int threads : {2, 3}) {
    omp_set_num_threads(threads);
    EXPECT_EQ(run(oracle, 10, false).ranks, one.ranks);
  }
}

/// So many vertices that the arcs are laid out for the cache: most come from few of them. The graph has weights,
/// whether or not they are asked for.
TEST(Pagerank, OfMoreVerticesThanTheCacheHolds) {
  constexpr int64_t n = 300'000, iterations = 10;
  std::mt19937_64 random(3);
  std::vector<int64_t> src, dst;
  std::vector<double> weight;
  for (int64_t i = 0; i < 8 * n; ++i) {
    src.push_back(static_cast<int64_t>(random() % (random() % 5 == 0 ? n : 3000)));
    dst.push_back(i < n ? i : static_cast<int64_t>(random() % n));
    weight.push_back(static_cast<double>(random() % 8) / 4);
  }
  const Table edges =
      memory_table("edges", {longs("src", src), longs("dst", dst), doubles("weight", weight)}, test_comm(), 1 << 14);
  Graph graph = build_graph({&edges, nullptr, true, true}, Directions::kIn, test_comm(), {});
  graph.find_ghosts(test_comm());
  // Over ranks each has its own first vertices, so that fewer arcs come from one block.
  EXPECT_EQ(BlockedRows::near_blocks(graph.in, graph.ghosts.places()).empty(), test_comm().size() > 2);
  for (const bool weighted : {false, true}) {
    std::vector<double> out(n), rank(n, 1), share(n);
    for (size_t i = 0; i < src.size(); ++i) out[static_cast<size_t>(src[i])] += weighted ? weight[i] : 1;
    for (int64_t step = 0; step < iterations; ++step) {
      for (size_t v = 0; v < n; ++v) share[v] = out[v] > 0 ? rank[v] / out[v] : 0;
      std::fill(rank.begin(), rank.end(), 0.15);
      for (size_t i = 0; i < src.size(); ++i)
        rank[static_cast<size_t>(dst[i])] += 0.85 * share[static_cast<size_t>(src[i])] * (weighted ? weight[i] : 1);
    }
    const double scale = static_cast<double>(n) / std::accumulate(rank.begin(), rank.end(), 0.0);
    std::vector<Buffer<double>> by_threads;
    for (const int n_threads : {1, 2}) {
      omp_set_num_threads(n_threads);
      const pagerank::Params params{weighted, 0.85, iterations, {}, Variant::kGraphx, {}};
      const int64_t before = test_comm().traffic().messages;
      by_threads.push_back(pagerank::run(graph, params, test_comm(), {}).pagerank);
      // Over a network the values travel in parts: to each rank more than one message in a step, beside the totals.
      const int64_t others = test_comm().size() - 1, of_totals = std::bit_width(static_cast<uint64_t>(others));
      EXPECT_EQ(test_comm().traffic().messages - before >= iterations * (2 * others + of_totals),
                others == 0 || !test_comm().is_on_one_host());
    }
    for (size_t row = 0; row < static_cast<size_t>(graph.rows); ++row) {
      const double expected = scale * rank[std::stoul(graph.ids.text(static_cast<int64_t>(row)))];
      ASSERT_NEAR(by_threads[0][row], expected, 1e-11 * expected);
      ASSERT_EQ(by_threads[0][row], by_threads[1][row]);
    }
  }
}

// By hand: one iteration gives 0.15, 0.15 + 0.85 / 2, 0.15 + 0.85 * 3 / 2; GraphX then scales them to the sum 3.
TEST(Pagerank, IsScaledAsInGraphx) {
  PagerankOracle graph{.edges = {{"1", "2"}, {"1", "3"}, {"2", "3"}}};
  expect_near(run(graph, 1, false).ranks, {{"1", 0.15 * 3 / 2.15}, {"2", 0.575 * 3 / 2.15}, {"3", 1.425 * 3 / 2.15}});
  expect_near(run(graph, 2, false).ranks,
              {{"1", 0.15 * 3 / 1.06625}, {"2", 0.21375 * 3 / 1.06625}, {"3", 0.7025 * 3 / 1.06625}});
  // From vertex 1: 0.15, 0.425, 0.425 after one iteration, then scaled to the sum 1.
  graph.personalised = true, graph.sources = {"1"};
  expect_near(run(graph, 1, false).ranks, {{"1", 0.15}, {"2", 0.425}, {"3", 0.425}});
}

TEST(Pagerank, MatchesGraphalytics) {
  for (const GraphalyticsGraph& graph : graphalytics_or_skip())
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(graph.name);
      omp_set_num_threads(threads);
      const TestGraph example = test_graph(graph);
      const PagerankOracle like{.edges = example.edges,
                                .vertices = example.vertices,
                                .directed = graph.directed,
                                .ldbc = true,
                                .damping = std::stod(graph.properties.at("pr.damping-factor"))};
      std::map<std::string, double> expected;
      for (const auto& [id, rank] : graph.expected("PR")) expected[std::to_string(id)] = rank;
      ASSERT_FALSE(expected.empty());
      expect_near(run(like, std::stoll(graph.properties.at("pr.num-iterations")), false).ranks, expected,
                  pagerank::kSpec.epsilon);
    }
}

TEST(Pagerank, RefusesUnknownSources) {
  PagerankOracle graph{.edges = {{"1", "2"}}, .sources = {"1", "7"}, .personalised = true};
  EXPECT_EQ(
      error_text(Exit::kData, [&] { run(graph, 1, false); }),
      "source_ids: expected ids that occur in the graph, found 1 that do not, first 7. Remove them from the list.");
  EXPECT_EQ(
      error_text(Exit::kData, [&] { run(graph, 1, true); }),
      "source_ids: expected ids that occur in the graph, found 1 that do not, first 7. Remove them from the list.");
}

TEST(Pagerank, RunsAsAKernel) {
  Comm& comm = test_comm();
  Inputs inputs;
  inputs["edges"] =
      memory_table("edges", {MemoryColumn("a", {"x", "y"}), MemoryColumn("b", {"y", "x"}), doubles("w", {1, 2})}, comm);
  inputs["vertices"] = memory_table("vertices", {MemoryColumn("id", {"z"})}, comm);
  const Values values = validate(kKernel.spec, {{"src", std::string("a")},
                                                {"dst", std::string("b")},
                                                {"weight", std::string("w")},
                                                {"variant", std::string("ldbc")}});
  int64_t reports = 0;
  const Output output =
      kKernel.run(inputs, values, comm, {[&](std::string_view phase, int64_t iteration, int64_t of, double) {
                    if (phase != "compute") return;
                    EXPECT_EQ(iteration, ++reports);
                    EXPECT_EQ(of, 20);
                  }});
  EXPECT_EQ(reports, 20);
  EXPECT_EQ(comm.allreduce<int64_t>(output.rows), 3);
  EXPECT_EQ(output.columns[0].type, Type::kString);
  for (size_t row = 0; row < static_cast<size_t>(output.rows); ++row) {
    const double rank = static_cast<const double*>(output.columns[1].values)[row];
    EXPECT_EQ(output.columns[0].strings[row] == "z", rank < 0.2) << rank;
  }
}

}  // namespace
}  // namespace sparkgap
