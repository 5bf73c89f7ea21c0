// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "mis/mis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "spec/kernel.h"
#include "test/error_text.h"
#include "test/id_names.h"
#include "test/test_comm.h"
#include "test/test_graph.h"

namespace sparkgap {
namespace {

using Selected = std::map<std::string, double>;

/// SplitMix64's mixing, once for the name and twice for nothing.
uint64_t mixed(uint64_t state, uint64_t name) {
  for (int draw = 0; draw < 3; ++draw) {
    state += 0x9e3779b97f4a7c15 + (draw == 0 ? name : 0);
    state = (state ^ state >> 30) * 0xbf58476d1ce4e5b9;
    state = (state ^ state >> 27) * 0x94d049bb133111eb;
    state ^= state >> 31;
  }
  return state;
}

uint64_t priority(const std::string& id, bool strings, uint64_t state) {
  if (!strings) return mixed(state, static_cast<uint64_t>(std::stoll(id)));
  for (size_t at = 0; at < id.size(); at += 8) {
    uint64_t word = 0;
    for (size_t i = at; i < std::min(at + 8, id.size()); ++i)
      word |= static_cast<uint64_t>(static_cast<unsigned char>(id[i])) << (8 * (i - at));
    state = mixed(state, word);
  }
  return mixed(state, id.size());
}

std::map<std::string, std::set<std::string>> neighbours(const TestGraph& graph) {
  std::map<std::string, std::set<std::string>> all;
  for (const auto& [a, b] : graph.edges) all[a].insert(b), all[b].insert(a);
  for (const std::string& vertex : graph.vertices) all[vertex];
  for (auto& [vertex, others] : all) others.erase(vertex);
  return all;
}

/// One vertex after the other, the highest priority first.
Selected oracle(const TestGraph& graph, bool strings, int64_t seed = 0) {
  const auto all = neighbours(graph);
  std::vector<std::pair<uint64_t, std::string>> order;
  for (const auto& [vertex, others] : all)
    order.push_back({priority(vertex, strings, static_cast<uint64_t>(seed)), vertex});
  std::sort(order.rbegin(), order.rend());
  Selected selected;
  for (const auto& [rank, vertex] : order)
    selected[vertex] = std::none_of(all.at(vertex).begin(), all.at(vertex).end(), [&](const std::string& other) {
      return selected.contains(other) && selected.at(other) == 1;
    });
  return selected;
}

Selected run(const TestGraph& graph, bool strings, int64_t seed = 0) {
  const Graph dealt = built(graph, strings, Directions::kBoth);
  const mis::Result result = mis::run(dealt, {seed}, test_comm(), {});
  return by_id(dealt.ids, result.selected);
}

void expect_oracle(const TestGraph& graph) {
  expect_in_every_way(
      graph, [](const TestGraph& g, bool strings) { return run(g, strings); },
      [](const TestGraph& g, bool strings) { return oracle(g, strings); });
}

TEST(Mis, OfVerticesWithoutEdges) {
  expect_oracle({.vertices = {"1", "2", "3", "3", "-4"}});
  EXPECT_EQ(run({.vertices = {"1", "2"}}, false), (Selected{{"1", 1}, {"2", 1}}));
}
TEST(Mis, OfALoopAndOfOneEdge) {
  EXPECT_EQ(run({.edges = {{"5", "5"}}}, false), (Selected{{"5", 1}}));
  expect_oracle({.edges = {{"1", "2"}}});
  expect_oracle({.edges = {{"2", "1"}}});
}
TEST(Mis, IgnoresDirectionLoopsAndDuplicates) {
  expect_oracle(
      {.edges = {{"1", "2"}, {"3", "2"}, {"3", "2"}, {"2", "3"}, {"3", "4"}, {"7", "7"}, {"8", "6"}, {"6", "8"}},
       .vertices = {"10", "7"}});
}
TEST(Mis, TakesExtremeIdsAndStringsOfAnyKind) {
  expect_oracle(
      {.edges = {{"9223372036854775807", "-9223372036854775808"}, {"0", "9223372036854775807"}, {"-1", "1"}}});
  const TestGraph graph{
      .edges = {{"ä", "z"}, {"日本", "ä"}, {"aaaaaaaab", "aaaaaaaa"}, {"aaaaaaaa", "a name much longer than eight"}},
      .vertices = {""}};
  EXPECT_EQ(run(graph, true), oracle(graph, true));
}

TEST(Mis, OfAPathAStarAndACompleteGraph) {
  TestGraph path, star, complete;
  for (int i = 0; i < 3000; ++i) path.edges.push_back({std::to_string(i), std::to_string(i + 1)});
  for (int i = 1; i < 3000; ++i)
    star.edges.push_back({i % 2 == 0 ? "0" : std::to_string(i), i % 2 == 0 ? std::to_string(i) : "0"});
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < i; ++j) complete.edges.push_back({std::to_string(i), std::to_string(j)});
  expect_oracle(path);
  expect_oracle(star);
  expect_oracle(complete);
}

TEST(Mis, OfRandomGraphsByManySeeds) {
  with_random_graphs([](const TestGraph& graph, bool strings, uint64_t number) {
    const auto seed = static_cast<int64_t>(number % 7 == 0 ? ~number : number);
    const Selected found = run(graph, strings, seed);
    EXPECT_EQ(found, oracle(graph, strings, seed));
    for (const auto& [vertex, others] : neighbours(graph)) {  // what the words mean, whatever the priorities
      const auto in =
          std::count_if(others.begin(), others.end(), [&](const std::string& other) { return found.at(other) == 1; });
      EXPECT_EQ(found.at(vertex) == 1, in == 0) << vertex;
    }
  });
}

TEST(Mis, OtherSeedsGiveOtherSets) {
  TestGraph path;
  for (int i = 0; i < 100; ++i) path.edges.push_back({std::to_string(i), std::to_string(i + 1)});
  EXPECT_NE(run(path, false, 1), run(path, false, 2));
  EXPECT_EQ(run(path, false, 1), run(path, false, 1));
}

TEST(Mis, RefusesNoRows) {
  EXPECT_FALSE(error_text(Exit::kData, [&] { run({}, false); }).empty());
}

TEST(Mis, RunsAsAKernel) {
  Comm& comm = test_comm();
  Inputs inputs;
  inputs["edges"] = memory_table("edges", {MemoryColumn("a", {"x", "y"}), MemoryColumn("b", {"y", "x"})}, comm);
  inputs["vertices"] = memory_table("vertices", {MemoryColumn("id", {"z"})}, comm);
  const Output output = kKernel.run(
      inputs, validate(kKernel.spec, {{"src", std::string("a")}, {"dst", std::string("b")}, {"seed", int64_t{5}}}),
      comm, {});
  EXPECT_EQ(comm.allreduce<int64_t>(output.rows), 3);
  ASSERT_EQ(output.columns.size(), 2u);
  EXPECT_EQ(output.columns[1].name, "selected");
  EXPECT_EQ(output.columns[1].type, Type::kBool);
  int64_t selected = 0;
  for (int64_t row = 0; row < output.rows; ++row)
    selected += static_cast<const uint8_t*>(output.columns[1].values)[row];
  EXPECT_EQ(comm.allreduce(selected), 2) << "z, and one of the others";
  EXPECT_GT(output.iterations, 0);
}

}  // namespace
}  // namespace sparkgap
