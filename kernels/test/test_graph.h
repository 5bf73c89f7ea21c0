// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "test/graphalytics.h"
#include "test/memory_table.h"
#include "test/test_comm.h"

// What the tests of graph kernels share: graphs by name, built on the ranks, and results by name. Oracles work on the
// names.

namespace sparkgap {

/// A graph as a user has it. Ids are texts; those of integers are decimal.
struct TestGraph {
  std::vector<std::pair<std::string, std::string>> edges = {};
  std::vector<double> weights = {};  ///< empty: none
  std::vector<std::string> vertices = {};
  bool directed = true;
};

inline MemoryColumn id_column(const std::string& name, const std::vector<std::string>& ids, bool strings) {
  if (strings) return {name, ids};
  std::vector<int64_t> numbers;
  for (const std::string& id : ids) numbers.push_back(std::stoll(id));
  return longs(name, numbers);
}

/// The tables of a graph by a kernel's input names; `vertices` where there are any. Columns: src, dst, weight; id.
inline std::map<std::string, Table> tables_of(const TestGraph& graph, bool strings) {
  std::vector<std::string> src, dst;
  for (const auto& [from, to] : graph.edges) src.push_back(from), dst.push_back(to);
  std::vector<MemoryColumn> columns{id_column("src", src, strings), id_column("dst", dst, strings)};
  if (!graph.weights.empty()) columns.push_back(doubles("weight", graph.weights));
  std::map<std::string, Table> tables;
  tables["edges"] = memory_table("edges", columns, test_comm());
  if (!graph.vertices.empty())
    tables["vertices"] = memory_table("vertices", {id_column("id", graph.vertices, strings)}, test_comm());
  return tables;
}

/// Numbers that take 64 bits, which none of fewer would do for, in a small graph.
inline constexpr Numbering kFarNumbers{.most_near = 0, .apart = (int64_t{1} << 34) + 7};

/// The tests whose names end with _far run with these.
inline Numbering numbering_of_run() { return std::getenv("SPARKGAP_TEST_FAR") == nullptr ? Numbering{} : kFarNumbers; }

/// With numbers for ends, as it is built.
inline Graph numbered(const TestGraph& graph, bool strings, Directions directions, const Numbering& numbering = {}) {
  const auto tables = tables_of(graph, strings);
  const auto vertices = tables.find("vertices");
  return build_graph({&tables.at("edges"), vertices == tables.end() ? nullptr : &vertices->second,
                      !graph.weights.empty(), graph.directed},
                     directions, test_comm(), {}, hash_string, numbering);
}

/// As kernels get it.
inline Graph built(const TestGraph& graph, bool strings, Directions directions,
                   const Numbering& numbering = numbering_of_run()) {
  Graph made = numbered(graph, strings, directions, numbering);
  made.find_ghosts(test_comm());
  return made;
}

/// The value of every vertex of all ranks by its id; `values` are those of this rank's rows. Each id must come once.
template <typename Values>
std::map<std::string, double> by_id(const VertexIds& ids, const Values& values) {
  std::vector<std::pair<std::string, std::vector<double>>> rows;
  for (int64_t row = 0; row < ids.rows(); ++row)
    rows.push_back({ids.text(row), {static_cast<double>(values[static_cast<size_t>(row)])}});
  std::map<std::string, double> all;
  for (const auto& [id, value] : gather_rows(rows, test_comm()))
    EXPECT_TRUE(all.emplace(id, value[0]).second) << id << " came twice";
  return all;
}

/// A small graph of any shape, the same for the same number: sparse or dense, with loops, duplicates, vertices without
/// edges, negative and far ids; every third weighted with quarters from 0 on, so that sums are exact; every other
/// without direction.
inline TestGraph random_graph(uint64_t number) {
  std::mt19937_64 random(number);
  const auto below = [&](uint64_t n) { return static_cast<int64_t>(random() % n); };
  TestGraph graph;
  graph.directed = number % 2 == 0;
  const int64_t n = 1 + below(40), edges = below(static_cast<uint64_t>(4 * n));
  const int64_t stride = number % 5 == 0 ? 1234567890123 : 1, first = below(3) * -7;
  const auto vertex = [&] {
    return std::to_string(first + (random() % 3 == 0
                                       ? below(static_cast<uint64_t>(n))
                                       : below(static_cast<uint64_t>(n)) % (1 + below(static_cast<uint64_t>(n)))) *
                                      stride);
  };
  for (int64_t i = 0; i < edges; ++i) {
    graph.edges.push_back({vertex(), vertex()});
    if (random() % 8 == 0) graph.edges.push_back(graph.edges.back());
    if (random() % 8 == 0) graph.edges.push_back({graph.edges.back().second, graph.edges.back().first});
  }
  if (number % 3 == 0)
    for (size_t i = 0; i < graph.edges.size(); ++i) graph.weights.push_back(static_cast<double>(below(40)) / 4);
  for (int64_t i = below(4); i >= 0; --i) graph.vertices.push_back(vertex());
  return graph;
}

/// An example graph of Graphalytics as a TestGraph, with its weights.
inline TestGraph test_graph(const GraphalyticsGraph& example) {
  TestGraph graph{.weights = example.weights, .directed = example.directed};
  for (size_t i = 0; i < example.src.size(); ++i)
    graph.edges.push_back({std::to_string(example.src[i]), std::to_string(example.dst[i])});
  for (const int64_t id : example.vertices) graph.vertices.push_back(std::to_string(id));
  return graph;
}

/// The examples of Graphalytics. Where the data is not there: fails with CI=true, else says so; the caller then has
/// nothing to do.
inline std::vector<GraphalyticsGraph> graphalytics_or_skip() {
  auto graphs = graphalytics_examples();
  if (graphs.empty()) {
    const char* ci = std::getenv("CI");
    EXPECT_TRUE(ci == nullptr || std::string(ci) != "true")
        << "no example graphs in " << data_folder() << "; set SPARKGAP_DATA";
    std::cout << "2 example graphs of Graphalytics did not run: " << data_folder() << " is not there\n";
  }
  return graphs;
}

}  // namespace sparkgap
