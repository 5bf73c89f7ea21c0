// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "linreg/linreg.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "spec/kernel.h"
#include "test/error_text.h"
#include "test/memory_table.h"
#include "test/test_comm.h"

namespace sparkgap {
namespace {

using linreg::Solver;
using Rows = std::vector<std::vector<double>>;

struct Data {
  Rows x;
  std::vector<double> y, w;
};

/// Correlated features of very different sizes; every fifth row weighs nothing.
Data random_data(int rows, int width, int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  std::normal_distribution<double> normal;
  Data data;
  for (int i = 0; i < rows; ++i) {
    std::vector<double> x;
    const double common = normal(random);
    for (int j = 0; j < width; ++j) x.push_back((normal(random) + 0.5 * common) * std::pow(3, j % 5) + 2 * j);
    double y = 4 + normal(random);
    for (int j = 0; j < width; j += 2) y += x[static_cast<size_t>(j)] / (1 + j);
    data.x.push_back(x);
    data.y.push_back(y);
    data.w.push_back(i % 5 == 4 ? 0 : 0.5 + i % 3);
  }
  return data;
}

linreg::Params with(double reg = 0, double elastic = 0, bool intercept = true, bool standard = true,
                    Solver solver = Solver::kNormal) {
  return {reg, elastic, intercept, standard, solver, 100, 1e-6};
}

linreg::Result run(const Data& data, const linreg::Params& params) {
  Comm& comm = test_comm();
  std::vector<MemoryColumn> columns;
  for (size_t j = 0; j < data.x[0].size(); ++j) {
    std::vector<double> column;
    for (const auto& row : data.x) column.push_back(row[j]);
    columns.push_back(doubles("x" + std::to_string(j), column));
  }
  columns.push_back(doubles("y", data.y));
  if (!data.w.empty()) columns.push_back(doubles("w", data.w));
  const Table table = memory_table("data", std::move(columns), comm, 50);
  return linreg::run(Examples(table, data.x[0].size(), true, !data.w.empty(), comm), params, comm, {});
}

struct Spread {
  long double mean = 0, deviation = 0;
};

Spread spread(const Data& data, const std::function<double(size_t)>& value, Solver solver) {
  long double sum = 0, weight = 0, squares = 0, second = 0;
  for (size_t i = 0; i < data.x.size(); ++i) {
    const double w = data.w.empty() ? 1 : data.w[i];
    sum += w * value(i), weight += w, squares += w * w;
  }
  for (size_t i = 0; i < data.x.size(); ++i)
    second += (data.w.empty() ? 1 : data.w[i]) * (value(i) - sum / weight) * (value(i) - sum / weight);
  return {sum / weight, sqrtl(second / (solver == Solver::kNormal ? weight : weight - squares / weight))};
}

/// How far the result is from the conditions that the one minimum of a convex function meets, row by row in the
/// plainest way, and the function.
std::pair<double, double> plain(const Data& data, const linreg::Params& params, const linreg::Result& result) {
  const size_t width = data.x[0].size();
  std::vector<long double> gradient(width);
  long double weight = 0, slope = 0, objective = 0;
  for (size_t i = 0; i < data.x.size(); ++i) {
    const double w = data.w.empty() ? 1 : data.w[i];
    long double off = result.intercept - data.y[i];
    for (size_t j = 0; j < width; ++j) off += static_cast<long double>(result.coefficients[j]) * data.x[i][j];
    for (size_t j = 0; j < width; ++j) gradient[j] += w * off * data.x[i][j];
    weight += w, slope += w * off, objective += w * off * off / 2;
  }
  objective /= weight;
  const long double t = spread(data, [&](size_t i) { return data.y[i]; }, params.solver).deviation;
  long double worst = params.fit_intercept ? fabsl(slope / weight / t) : fabsl(result.intercept);
  for (size_t j = 0; j < width; ++j) {
    const long double s = spread(
                              data, [&](size_t i) { return data.x[i][j]; }, params.solver)
                              .deviation,
                      scale = params.standardization ? s : 1;
    const long double l1 = params.reg_param * params.elastic_net_param * scale,
                      l2 = params.reg_param * (1 - params.elastic_net_param) / t * scale * scale;
    const long double c = result.coefficients[j], g = gradient[j] / weight + l2 * c;
    const long double off = c == 0 ? std::max(fabsl(g) - l1, 0.0L) : fabsl(g + (c > 0 ? l1 : -l1));
    worst = std::max(worst, off / (s * t));
    objective += l1 * fabsl(c) + l2 / 2 * c * c;
  }
  return {static_cast<double>(worst), static_cast<double>(objective)};
}

TEST(Linreg, IsTheMinimumWhateverIsAsked) {
  const Data weighted = random_data(300, 13, 1), plain_rows{weighted.x, weighted.y, {}};
  for (const Data& data : {weighted, plain_rows})
    for (const double reg : {0.0, 0.3, 3.0})
      for (const double elastic : {0.0, 0.4, 1.0})
        for (const bool intercept : {true, false})
          for (const bool standard : {true, false})
            for (const Solver solver : {Solver::kNormal, Solver::kLbfgs}) {
              const linreg::Params params = with(reg, elastic, intercept, standard, solver);
              const linreg::Result result = run(data, params);
              const auto [worst, objective] = plain(data, params, result);
              EXPECT_LT(worst, 1e-9) << reg << " " << elastic << " " << intercept << standard;
              EXPECT_NEAR(result.objective, objective, 1e-9 * objective);
              EXPECT_TRUE(result.converged);
              EXPECT_EQ(result.iterations > 0, (reg > 0 && elastic > 0) || solver == Solver::kLbfgs);
            }
}

TEST(Linreg, LassoLeavesFeaturesOut) {
  const linreg::Result result = run(random_data(300, 13, 1), with(1.5, 1));
  const auto zeros = std::count(result.coefficients.begin(), result.coefficients.end(), 0.0);
  EXPECT_GT(zeros, 3);
  EXPECT_LT(zeros, 12);
  for (size_t i = 1; i < result.history.size(); ++i) EXPECT_LE(result.history[i], result.history[i - 1] * (1 + 1e-12));
  EXPECT_GT(run(random_data(300, 13, 1), with(1e6, 1)).intercept, 4) << "the mean, as all coefficients are zero";
}

TEST(Linreg, FindsWhatWasPlantedFarFromZero) {
  Data data = random_data(6000, 5, 2);
  for (size_t i = 0; i < data.x.size(); ++i) {
    for (double& x : data.x[i]) x += 1e6;
    data.y[i] = 1e6 - 3;
    for (size_t j = 0; j < 5; ++j) data.y[i] += (static_cast<double>(j) - 2) * (data.x[i][j] - 1e6);
  }
  const linreg::Result result = run(data, with());
  for (size_t j = 0; j < 5; ++j) EXPECT_NEAR(result.coefficients[j], static_cast<double>(j) - 2, 1e-10);
  EXPECT_NEAR(result.intercept, 1e6 - 3, 1e-3);
}

TEST(Linreg, ASingularMatrixHasTheShortestSolution) {
  Data data = random_data(200, 4, 3);
  for (auto& row : data.x) row[2] = row[1], row.push_back(7);
  for (const bool intercept : {true, false}) {
    const linreg::Params params = with(0, 0, intercept);
    const linreg::Result result = run(data, params);
    Data varying = data;
    for (auto& row : varying.x) row.pop_back();
    linreg::Result without = result;
    without.coefficients.pop_back();
    EXPECT_EQ(result.coefficients[4], 0) << "a constant";
    EXPECT_LT(plain(varying, params, without).first, 1e-8);
    EXPECT_NEAR(result.coefficients[1], result.coefficients[2], 1e-9);
    EXPECT_TRUE(result.converged);
    EXPECT_GT(result.iterations, 0);
    EXPECT_EQ(result.diagonal, std::vector<double>{0});
  }
  EXPECT_FALSE(run(data, {0, 0, true, true, Solver::kNormal, 1, 1e-6}).converged);
}

TEST(Linreg, TheDiagonalOfTheInverse) {
  Data data = random_data(100, 3, 4);
  for (auto& row : data.x) row.push_back(1);
  // Gauss and Jordan on [X'WX | 1], the intercept a column of ones.
  const size_t n = 4;
  std::vector<std::vector<long double>> a(n, std::vector<long double>(2 * n));
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j)
      for (size_t row = 0; row < data.x.size(); ++row) a[i][j] += data.w[row] * data.x[row][i] * data.x[row][j];
    a[i][n + i] = 1;
  }
  for (size_t p = 0; p < n; ++p) {
    const long double pivot = a[p][p];
    for (long double& value : a[p]) value /= pivot;
    for (size_t i = 0; i < n; ++i) {
      const long double factor = a[i][p];
      for (size_t j = 0; i != p && j < 2 * n; ++j) a[i][j] -= factor * a[p][j];
    }
  }
  for (auto& row : data.x) row.pop_back();
  const linreg::Result result = run(data, with());
  ASSERT_EQ(result.diagonal.size(), n);
  for (size_t i = 0; i < n; ++i)
    EXPECT_NEAR(result.diagonal[i], static_cast<double>(a[i][n + i]), 1e-10 * static_cast<double>(a[i][n + i]));
  EXPECT_EQ(run(data, with(0, 0, false)).diagonal.size(), n - 1);
}

TEST(Linreg, AConstantLabel) {
  Data data = random_data(40, 3, 5);
  data.y.assign(40, 2.5);
  const linreg::Result mean = run(data, with(0.1, 0.5));
  EXPECT_EQ(mean.coefficients, std::vector<double>(3));
  EXPECT_EQ(mean.intercept, 2.5);
  const linreg::Result without = run(data, with(0, 0, false));
  EXPECT_EQ(error_text(Exit::kData, [&] { (void)run(data, with(0.1, 0, false)); }),
            "label: expected more than one value where reg_param is above 0 and there is no intercept, found one. Set "
            "reg_param to 0 or fit_intercept to true.");
  data.y[0] += 1e-9;
  const linreg::Result nearly = run(data, with(0, 0, false));
  for (size_t j = 0; j < 3; ++j) EXPECT_NEAR(without.coefficients[j], nearly.coefficients[j], 1e-8);
  EXPECT_EQ(run({{{1, 2}}, {3}, {}}, with()).intercept, 3);
}

TEST(Linreg, WhatCannotBeLearntFrom) {
  Data data = random_data(40, 3, 6);
  data.w.assign(40, 0);
  EXPECT_EQ(error_text(Exit::kData, [&] { (void)run(data, with()); }),
            "weight: expected a row with a weight above 0, found none. Check the column.");
  const Data wide{Rows(4, std::vector<double>(4097)), {1, 2, 3, 4}, {}};
  EXPECT_EQ(error_text(Exit::kArguments, [&] { (void)run(wide, with()); }),
            "features: expected at most 4096, whose products fit into memory, found 4097. Use engine => 'spark'.");
}

TEST(Linreg, RowsOfTheModel) {
  Comm& comm = test_comm();
  std::vector<int64_t> x;
  std::vector<double> y;
  for (int i = 0; i < 12; ++i) x.push_back(i), y.push_back(2 * i + 1);
  const Inputs inputs{{"data", memory_table("data", {longs("x", x), doubles("y", y)}, comm)}};
  const Output output = kKernel.run(
      inputs, validate(kKernel.spec, {{"features", std::string("x")}, {"label", std::string("y")}}), comm, {});
  ASSERT_EQ(output.rows, comm.rank() == 0 ? 2 : 0);
  if (comm.rank() > 0) return;
  const auto* feature = static_cast<const int64_t*>(output.columns[1].values);
  const auto* value = static_cast<const double*>(output.columns[2].values);
  EXPECT_EQ(std::vector<int64_t>(feature, feature + 2), (std::vector<int64_t>{-1, 0}));
  EXPECT_NEAR(value[0], 1, 1e-12);
  EXPECT_NEAR(value[1], 2, 1e-12);
  EXPECT_NEAR(output.figures.at("objective")[0], 0, 1e-12);
}

}  // namespace
}  // namespace sparkgap
