// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "lcc/lcc.h"

#include <gtest/gtest.h>

#include "spec/kernel.h"
#include "test/least_memory.h"
#include "test/test_comm.h"
#include "test/test_graph.h"
#include "triads/triads_oracle.h"

namespace sparkgap {
namespace {

// Compared bit for bit: both sides divide the same integers once.
// Arcs of both directions, as a stored graph has them, are oriented in another way, and with little memory a part of
// them at a time, with the same values.
TriadValues run(const TestGraph& like, bool strings) {
  const auto values_of = [&](Directions directions, bool is_least) {
    const LeastMemory least(is_least && test_comm().rank() == 0);
    const Graph graph = built(like, strings, directions);
    return by_id(graph.ids, lcc::run(graph, {}, test_comm(), {}).lcc);
  };
  const TriadValues values = values_of(Directions::kIn, false);
  EXPECT_EQ(values_of(Directions::kBoth, false), values);
  EXPECT_EQ(values_of(Directions::kBoth, true), values);
  return values;
}

TEST(Lcc, OfGraphsOfEveryKind) { expect_triads_of_every_kind(run, &TriadsOracle::clustering); }
TEST(Lcc, OfRandomGraphs) { expect_triads_of_random_graphs(run, &TriadsOracle::clustering); }

// By hand: 1 has the neighbours 2, 3, 4; among them 2 -> 3 and 3 -> 2, so 2 of 6. 2 has 1 and 3, joined once; so has 3.
TEST(Lcc, CountsPairsBothWaysTwice) {
  const TestGraph graph{.edges = {{"1", "2"}, {"3", "1"}, {"1", "4"}, {"2", "3"}, {"3", "2"}, {"2", "3"}, {"1", "1"}}};
  EXPECT_EQ(run(graph, false), (std::map<std::string, double>{{"1", 2.0 / 6}, {"2", 0.5}, {"3", 0.5}, {"4", 0}}));
}

TEST(Lcc, MatchesGraphalytics) {
  for (const GraphalyticsGraph& graph : graphalytics_or_skip())
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(graph.name);
      omp_set_num_threads(threads);
      const auto found = run(test_graph(graph), false);
      const auto expected = graph.expected("LCC");
      ASSERT_FALSE(expected.empty());
      ASSERT_EQ(found.size(), expected.size());
      for (const auto& [id, value] : expected)
        EXPECT_LE(std::abs(found.at(std::to_string(id)) - value), lcc::kSpec.epsilon * value) << id;
    }
}

TEST(Lcc, RunsAsAKernel) {
  Comm& comm = test_comm();
  for (const bool directed : {true, false}) {
    Inputs inputs;
    inputs["edges"] = memory_table("edges", {longs("a", {1, 2, 3}), longs("b", {2, 3, 1})}, comm);
    inputs["vertices"] = memory_table("vertices", {longs("id", {9})}, comm);
    const Values values =
        validate(kKernel.spec, {{"src", std::string("a")}, {"dst", std::string("b")}, {"directed", directed}});
    const Output output = kKernel.run(inputs, values, comm, {});
    EXPECT_EQ(comm.allreduce<int64_t>(output.rows), 4);
    ASSERT_EQ(output.columns.size(), 2u);
    EXPECT_EQ(output.columns[1].name, "lcc");
    EXPECT_EQ(output.columns[1].type, Type::kFloat64);
    for (size_t row = 0; row < static_cast<size_t>(output.rows); ++row) {
      const bool alone = static_cast<const int64_t*>(output.columns[0].values)[row] == 9;
      EXPECT_EQ(static_cast<const double*>(output.columns[1].values)[row], alone ? 0 : directed ? 0.5 : 1);
    }
  }
}

}  // namespace
}  // namespace sparkgap
