// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <map>
#include <vector>

#include "cpd/cpd.h"

namespace sparkgap {

/// Keys by mode, one per entry, and values.
struct Entries {
  std::vector<std::vector<int64_t>> keys;
  std::vector<double> values;
};

/// Alternating least squares as the definition reads: maps, no order, elimination.
struct Plain {
  using Row = std::vector<double>;
  std::vector<std::map<int64_t, Row>> factors;
  std::map<std::vector<int64_t>, double> cells;
  Row lambdas;
  size_t rank;

  Plain(const Entries& entries, const cpd::Params& params, int64_t iterations)
      : factors(entries.keys.size()), rank(static_cast<size_t>(params.rank)) {
    for (size_t e = 0; e < entries.values.size(); ++e) {
      std::vector<int64_t> at;
      for (size_t mode = 0; mode < factors.size(); ++mode) {
        at.push_back(entries.keys[mode][e]);
        Row& row = factors[mode][at.back()];
        row.clear();
        for (int64_t r = 0; r < params.rank; ++r) row.push_back(cpd::first_value(params.seed, mode, at.back(), r));
      }
      cells[at] += entries.values[e];
    }
    for (size_t mode = 0; mode < factors.size(); ++mode) scale(mode);
    for (int64_t i = 0; i < iterations; ++i)
      for (size_t mode = 0; mode < factors.size(); ++mode) update(mode, params.regularisation);
  }

  void update(size_t mode, double regularisation) {
    std::vector<Row> v(rank, Row(rank));
    for (size_t r = 0; r < rank; ++r)
      for (size_t s = 0; s < rank; ++s) {
        v[r][s] = 1;
        for (size_t other = 0; other < factors.size(); ++other) {
          double dot = 0;
          for (const auto& [key, row] : factors[other]) dot += row[r] * row[s];
          if (other != mode) v[r][s] *= dot;
        }
        if (r == s) v[r][s] += regularisation;
      }
    std::map<int64_t, Row> sums;
    for (const auto& [at, value] : cells) {
      Row& sum = sums.try_emplace(at[mode], Row(rank)).first->second;
      for (size_t r = 0; r < rank; ++r) {
        double product = value;
        for (size_t other = 0; other < factors.size(); ++other)
          if (other != mode) product *= factors[other][at[other]][r];
        sum[r] += product;
      }
    }
    for (auto& [key, row] : factors[mode]) row = solved(v, sums.at(key));
    scale(mode);
  }
  void scale(size_t mode) {
    lambdas.assign(rank, 0);
    for (auto& [key, row] : factors[mode])
      for (size_t r = 0; r < rank; ++r) lambdas[r] += row[r] * row[r];
    for (double& lambda : lambdas) lambda = std::sqrt(lambda);
    for (auto& [key, row] : factors[mode])
      for (size_t r = 0; r < rank; ++r) row[r] /= lambdas[r];
  }
  static Row solved(std::vector<Row> v, Row b) {
    for (size_t i = 0; i < b.size(); ++i)
      for (size_t j = 0; j < b.size(); ++j) {
        if (i == j) continue;
        const double factor = v[j][i] / v[i][i];
        for (size_t c = i; c < b.size(); ++c) v[j][c] -= factor * v[i][c];
        b[j] -= factor * b[i];
      }
    for (size_t i = 0; i < b.size(); ++i) b[i] /= v[i][i];
    return b;
  }

  /// Over every cell, those that are 0 too.
  double fit() const {
    double residual = 0, squares = 0;
    std::vector<int64_t> at(factors.size());
    const auto visit = [&](const auto& self, size_t mode) -> void {
      if (mode < factors.size()) {
        for (const auto& [key, row] : factors[mode]) {
          at[mode] = key;
          self(self, mode + 1);
        }
        return;
      }
      double model = 0;
      for (size_t r = 0; r < rank; ++r) {
        double product = lambdas[r];
        for (size_t m = 0; m < factors.size(); ++m) product *= factors[m].at(at[m])[r];
        model += product;
      }
      const auto cell = cells.find(at);
      const double value = cell == cells.end() ? 0 : cell->second;
      residual += (value - model) * (value - model);
      squares += value * value;
    };
    visit(visit, 0);
    return 1 - std::sqrt(residual / squares);
  }
};

}  // namespace sparkgap
