// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "triangles/triangles.h"

#include <gtest/gtest.h>

#include "buffers/bit_columns.h"
#include "spec/kernel.h"
#include "test/least_memory.h"
#include "test/test_comm.h"
#include "test/test_graph.h"
#include "triads/triads_oracle.h"

namespace sparkgap {
namespace {

// Arcs of both directions, as a stored graph has them, are oriented in another way, and with little memory a part of
// them at a time, with the same values.
TriadValues run(const TestGraph& like, bool strings) {
  const auto count = [&](Directions directions, bool is_least) {
    const LeastMemory least(is_least && test_comm().rank() == 0);
    const Graph graph = built(like, strings, directions);
    return by_id(graph.ids, triangles::run(graph, {}, test_comm(), {}).count);
  };
  const TriadValues values = count(Directions::kIn, false);
  EXPECT_EQ(count(Directions::kBoth, false), values);
  EXPECT_EQ(count(Directions::kBoth, true), values);
  return values;
}

TEST(BitColumns, CountEveryColumn) {
  std::mt19937_64 random(5);
  for (const int words : {0, 1, 7, 8, 9, 64, 1000, 5003}) {
    BitColumns columns;
    std::vector<uint64_t> all;
    std::vector<uint32_t> expected(64);
    for (int i = 0; i < words; ++i) {
      all.push_back(random() | random() | uint64_t{1} << 63);
      for (size_t bit = 0; bit < 64; ++bit) expected[bit] += all.back() >> bit & 1;
    }
    size_t i = 0;
    for (; i + 8 <= all.size() - all.size() / 3; i += 8) columns.add8(&all[i]);
    for (; i < all.size(); ++i) columns.add(all[i]);
    for (int bit = 0; bit < 64; ++bit)
      EXPECT_EQ(columns.count(bit), expected[static_cast<size_t>(bit)]) << words << " words, bit " << bit;
  }
}

TEST(Triangles, OfGraphsOfEveryKind) { expect_triads_of_every_kind(run, &TriadsOracle::triangles); }
TEST(Triangles, OfRandomGraphs) { expect_triads_of_random_graphs(run, &TriadsOracle::triangles); }

TEST(Triangles, TakesStringsOfAnyKind) {
  const TestGraph graph{.edges = {{"", "ä"},
                                  {"ä", "日本"},
                                  {"日本", ""},
                                  {"a name much longer than eight bytes", ""},
                                  {"ä", "a name much longer than eight bytes"}},
                        .vertices = {"alone"}};
  const auto counts = run(graph, true);
  EXPECT_EQ(counts, TriadsOracle(graph).triangles());
  EXPECT_EQ(counts.at(""), 2);
  EXPECT_EQ(counts.at("alone"), 0);
}

// More vertices than have sums of their own in each thread, and triangles at both ends of the order of degrees.
TEST(Triangles, OfManySmallComponents) {
  TestGraph graph;
  for (int64_t i = 0; i < 24000; ++i) {
    const auto a = std::to_string(3 * i), b = std::to_string(3 * i + 1), c = std::to_string(3 * i + 2);
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, c), std::pair(c, a)})
      graph.edges.push_back({from, to});
  }
  for (int64_t i = 3; i < 9; ++i) graph.edges.push_back({"0", std::to_string(i)});
  omp_set_num_threads(2);
  const auto counts = run(graph, false);
  ASSERT_EQ(counts.size(), 72000u);
  for (const auto& [id, count] : counts)
    EXPECT_EQ(count, id == "0" ? 7 : std::stoi(id) >= 3 && std::stoi(id) < 9 ? 3 : 1) << id;
}

TEST(Triangles, RunsAsAKernel) {
  Comm& comm = test_comm();
  Inputs inputs;
  inputs["edges"] =
      memory_table("edges", {MemoryColumn("a", {"x", "y", "z"}), MemoryColumn("b", {"y", "z", "x"})}, comm);
  inputs["vertices"] = memory_table("vertices", {MemoryColumn("id", {"w"})}, comm);
  const Values values = validate(kKernel.spec, {{"src", std::string("a")}, {"dst", std::string("b")}});
  int64_t steps = 0;
  const Output output =
      kKernel.run(inputs, values, comm, {[&](std::string_view phase, int64_t iteration, int64_t of, double) {
                    if (phase != "compute") return;
                    EXPECT_EQ(iteration, ++steps);
                    EXPECT_EQ(of, comm.size());
                  }});
  EXPECT_EQ(steps, comm.size());
  EXPECT_EQ(comm.allreduce<int64_t>(output.rows), 4);
  ASSERT_EQ(output.columns.size(), 2u);
  EXPECT_EQ(output.columns[1].name, "count");
  EXPECT_EQ(output.columns[1].type, Type::kInt64);
  for (size_t row = 0; row < static_cast<size_t>(output.rows); ++row)
    EXPECT_EQ(static_cast<const int64_t*>(output.columns[1].values)[row],
              output.columns[0].strings[row] == "w" ? 0 : 1);
}

}  // namespace
}  // namespace sparkgap
