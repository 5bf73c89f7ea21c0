// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <random>
#include <set>
#include <string>

#include "test/test_graph.h"

namespace sparkgap {

/// Triangles and clustering by the definition, on names.
struct TriadsOracle {
  std::map<std::string, std::set<std::string>> near,
      after;  ///< without the vertex itself; whatever the direction, and along the arcs

  explicit TriadsOracle(const TestGraph& graph) {
    for (const std::string& id : graph.vertices) near[id];
    for (const auto& [from, to] : graph.edges) {
      near[from], near[to];
      if (from == to) continue;
      near[from].insert(to), near[to].insert(from);
      after[from].insert(to);
      if (!graph.directed) after[to].insert(from);
    }
  }
  /// Pairs of neighbours that are neighbours.
  std::map<std::string, double> triangles() const {
    std::map<std::string, double> counts;
    for (const auto& [v, neighbours] : near)
      for (auto a = (counts[v], neighbours.begin()); a != neighbours.end(); ++a)
        for (auto b = std::next(a); b != neighbours.end(); ++b) counts[v] += static_cast<double>(near.at(*a).count(*b));
    return counts;
  }
  std::map<std::string, double> clustering() const {
    std::map<std::string, double> values;
    for (const auto& [v, neighbours] : near) {
      size_t arcs = 0;
      for (const std::string& a : neighbours)
        if (const auto next = after.find(a); next != after.end())
          for (const std::string& b : neighbours) arcs += next->second.count(b);
      const auto d = static_cast<double>(neighbours.size());
      values[v] = d < 2 ? 0 : static_cast<double>(arcs) / (d * (d - 1));
    }
    return values;
  }
};

/// Graphs with triangles of every kind that the intersection tells apart, by name.
inline std::map<std::string, TestGraph> triad_graphs() {
  std::map<std::string, TestGraph> graphs;
  const auto name = [](int64_t i) { return std::to_string(i); };
  graphs["no edges"] = {.vertices = {"3", "1", "2", "1"}};
  graphs["one vertex"] = {.edges = {{"5", "5"}, {"5", "5"}}};
  graphs["one edge"] = {.edges = {{"1", "2"}}};
  graphs["a triangle"] = {.edges = {{"1", "2"}, {"2", "3"}, {"3", "1"}}, .vertices = {"9"}};
  graphs["a triangle both ways, with loops and duplicates"] = {.edges = {{"1", "2"},
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
                                                                         {"4", "4"}}};
  graphs["extreme ids"] = {.edges = {{"-9223372036854775808", "9223372036854775807"},
                                     {"9223372036854775807", "-1"},
                                     {"-1", "-9223372036854775808"},
                                     {"-1", "0"},
                                     {"0", "9223372036854775807"}}};
  graphs["a star"] = {};
  for (int64_t i = 1; i <= 300; ++i)
    graphs["a star"].edges.push_back({i % 2 == 0 ? "0" : name(i), i % 2 == 0 ? name(i) : "0"});
  graphs["two components"] = {
      .edges = {
          {"1", "2"}, {"2", "3"}, {"1", "3"}, {"11", "12"}, {"12", "13"}, {"13", "11"}, {"12", "11"}, {"13", "14"}}};
  // Every row dense, columns counted up to 130 and past a word.
  for (int64_t i = 0; i < 130; ++i)
    for (int64_t j = 0; j < i; ++j) {
      graphs["a clique"].edges.push_back({name(i), name(j)});
      if (i * j % 3 == 0) graphs["a clique"].edges.push_back({name(j), name(i)});
    }
  // Rows of some ten labels out of thousands are looked up and searched; a few hubs make dense ones.
  std::mt19937_64 random(11);
  TestGraph& sparse = graphs["a sparse graph with hubs"];
  for (int64_t i = 0; i < 3000; ++i)
    for (int64_t k = 0; k < 9; ++k) {
      const auto pick = static_cast<int64_t>(random());
      const int64_t to = k < 3   ? (i + 1 + (pick & 7)) % 3000
                         : k < 8 ? (pick >> 8 & 0xffffff) % 3000
                                 : (pick >> 8 & 0xffffff) % 40;
      sparse.edges.push_back({name(i), name(to)});
      if (pick % 4 == 0) sparse.edges.push_back({name(to), name(i)});
      // A vertex with two neighbours, which are joined: the row of one is much longer than what is looked for.
      const std::string third = name(1000000000 + 9 * i + k);
      if ((pick & 15) < 3) sparse.edges.push_back({third, name(i)}), sparse.edges.push_back({name(to), third});
      if ((pick & 15) == 2) sparse.edges.push_back({name(i), third});
    }
  return graphs;
}

using TriadValues = std::map<std::string, double>;
using TriadKernel = TriadValues (*)(const TestGraph& graph, bool strings);
using TriadAnswer = TriadValues (TriadsOracle::*)() const;

/// Those graphs with and without direction, by 1 to 3 threads and both kinds of ids.
inline void expect_triads_of_every_kind(TriadKernel run, TriadAnswer answer) {
  for (auto& [name, graph] : triad_graphs())
    for (const bool directed : {true, false}) {
      graph.directed = directed;
      const TriadValues expected = (TriadsOracle(graph).*answer)();
      for (const int threads : {1, 2, 3}) {
        if (threads == 3 && test_comm().size() > 1) continue;
        const bool strings = threads == 2;
        SCOPED_TRACE(testing::Message() << name << " directed " << directed << " threads " << threads << " strings "
                                        << strings);
        omp_set_num_threads(threads);
        EXPECT_EQ(run(graph, strings), expected);
      }
    }
}

inline void expect_triads_of_random_graphs(TriadKernel run, TriadAnswer answer) {
  for (uint64_t number = 0; number < 300; number += test_comm().size() == 1 ? 1 : 7) {
    SCOPED_TRACE(number);
    omp_set_num_threads(number % 5 == 0    ? 2
                        : number % 17 == 0 ? 3
                                           : 1);  // threads that wait for each other take most of the time
    const TestGraph graph = random_graph(number);
    EXPECT_EQ(run(graph, number % 3 == 1), (TriadsOracle(graph).*answer)());
  }
}

}  // namespace sparkgap
