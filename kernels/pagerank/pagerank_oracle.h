// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sparkgap {

/// PageRank by its definition, vertex by vertex over maps of names, in long double so that its own rounding does not
/// count.
struct PagerankOracle {
  std::vector<std::pair<std::string, std::string>> edges = {};
  std::vector<double> weights = {};  ///< empty: 1 each
  std::vector<std::string> vertices = {}, sources = {};
  bool directed = true, ldbc = false, personalised = false;
  double damping = 0.85;
  std::optional<double> tolerance = {};

  int64_t iterations = 0;  ///< how many were made
  double residual = 0;
  std::vector<double> changes = {};  ///< summed over vertices, by iteration

  std::map<std::string, double> run(int64_t max_iterations) {
    using Real = long double;
    std::map<std::string, std::vector<std::pair<std::string, double>>> out;
    std::map<std::string, Real> weight_out, rank, start;
    const auto add = [&](const std::string& from, const std::string& to, double weight) {
      out[from].push_back({to, weight});
      out[to];
      weight_out[from] += weight;
    };
    for (size_t i = 0; i < edges.size(); ++i) {
      const double weight = weights.empty() ? 1 : weights[i];
      add(edges[i].first, edges[i].second, weight);
      if (!directed) add(edges[i].second, edges[i].first, weight);
    }
    for (const std::string& id : vertices) out[id];
    const auto n = static_cast<Real>(out.size());
    for (const auto& [id, targets] : out) start[id] = personalised ? 0 : ldbc ? 1 / n : 1;
    rank = start;
    std::map<std::string, bool> is_source;
    for (const std::string& id : sources) is_source[id] = true;
    for (const auto& [id, yes] : is_source) {
      start[id] = 1 / static_cast<Real>(is_source.size());
      rank[id] = ldbc ? start[id] : 1;
    }
    for (iterations = 0; iterations < max_iterations;) {
      Real sink_mass = 0;
      std::map<std::string, Real> received;
      for (const auto& [id, targets] : out) {
        if (weight_out[id] == 0) sink_mass += rank[id];
        else
          for (const auto& [to, weight] : targets) received[to] += rank[id] * weight / weight_out[id];
      }
      Real change = 0, sum = 0;
      for (auto& [id, r] : rank) {
        const Real next = start[id] * (1 - damping + (ldbc ? damping * sink_mass : 0)) + damping * received[id];
        change = std::max(change, std::abs(next - r));
        sum += std::abs(next - r);
        r = next;
      }
      residual = static_cast<double>(change);
      changes.push_back(static_cast<double>(sum));
      ++iterations;
      if (tolerance && residual <= *tolerance) break;
    }
    if (!ldbc) {
      Real sum = 0;
      for (const auto& [id, r] : rank) sum += r;
      for (auto& [id, r] : rank) r *= sum > 0 ? (personalised ? 1 : n) / sum : 0;
    }
    return {rank.begin(), rank.end()};
  }
};

}  // namespace sparkgap
