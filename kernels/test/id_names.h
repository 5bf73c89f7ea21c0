// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "test/test_graph.h"

// For kernels whose result names a vertex for each vertex and does not mind direction: the ids of a TestGraph in order,
// such results by name, and the ways in which they must all be the same.

namespace sparkgap {

/// The distinct ids, the smallest first: integers by value, strings by bytes.
inline std::vector<std::string> names_in_order(const TestGraph& graph, bool strings) {
  std::set<std::string> distinct(graph.vertices.begin(), graph.vertices.end());
  for (const auto& [a, b] : graph.edges) distinct.insert(a), distinct.insert(b);
  std::vector<std::string> names(distinct.begin(), distinct.end());
  if (!strings)
    std::sort(names.begin(), names.end(),
              [](const std::string& a, const std::string& b) { return std::stoll(a) < std::stoll(b); });
  return names;
}

/// What `values` names for every id, of all ranks. Both have one entry per row of this rank; names must be ids of the
/// graph.
inline std::map<std::string, std::string> names_by_id(const VertexIds& ids, const VertexIds& values,
                                                      const TestGraph& graph, bool strings) {
  const std::vector<std::string> names = names_in_order(graph, strings);
  std::map<std::string, double> number;
  for (size_t i = 0; i < names.size(); ++i) number[names[i]] = static_cast<double>(i);
  EXPECT_EQ(values.rows(), ids.rows());
  std::vector<double> numbers;
  for (int64_t row = 0; row < values.rows(); ++row) {
    const auto found = number.find(values.text(row));
    EXPECT_NE(found, number.end()) << values.text(row) << " is no vertex";
    numbers.push_back(found == number.end() ? 0 : found->second);
  }
  std::map<std::string, std::string> named;
  for (const auto& [id, value] : by_id(ids, numbers)) named[id] = names[static_cast<size_t>(value)];
  return named;
}

/// `run(graph, strings)` is `oracle(graph, strings)` for both kinds of ids, with and without direction, by 1 and 2
/// threads.
template <typename Run, typename Oracle>
void expect_in_every_way(TestGraph graph, const Run& run, const Oracle& oracle) {
  for (const bool strings : {false, true}) {
    const auto expected = oracle(graph, strings);
    for (const bool directed : {true, false})
      for (const int threads : {1, 2}) {
        if (test_comm().size() > 1 && threads != (directed ? 2 : 1)) continue;  // half of them: ranks that wait spin
        SCOPED_TRACE(testing::Message() << "threads " << threads << " strings " << strings << " directed " << directed);
        omp_set_num_threads(threads);
        graph.directed = directed;
        EXPECT_EQ(run(graph, strings), expected);
      }
  }
}

/// `expect(graph, strings, number)` with 240 random graphs, fewer of them on more ranks.
template <typename Expect>
void with_random_graphs(const Expect& expect) {
  for (uint64_t number = 0; number < 240; number += test_comm().size() == 1 ? 1 : 20) {
    omp_set_num_threads(number % 4 < 2 ? 1 : 2);
    for (const bool strings : {false, true}) {
      SCOPED_TRACE(testing::Message() << "graph " << number << " strings " << strings);
      expect(random_graph(number), strings, number);
    }
  }
}

}  // namespace sparkgap
