// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "logreg/logreg.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "spec/kernel.h"
#include "test/error_text.h"
#include "test/memory_table.h"
#include "test/test_comm.h"

namespace sparkgap {
namespace {

using logreg::Family;
using logreg::Params;
using logreg::Result;
using Rows = std::vector<std::vector<double>>;

struct Data {
  Rows rows;
  std::vector<double> labels, weights;  ///< weights may be empty
  double weight(size_t i) const { return weights.empty() ? 1 : weights[i]; }
};

Params params(Family family = Family::kAuto, double reg = 0, double elastic = 0, bool intercept = true,
              bool standardize = true) {
  return {family, reg, elastic, intercept, standardize, 500, 1e-14};
}

Result fit(const Data& data, const Params& with, Comm& comm) {
  std::vector<MemoryColumn> columns;
  for (size_t j = 0; j < data.rows[0].size(); ++j) {
    std::vector<double> values;
    for (const auto& row : data.rows) values.push_back(row[j]);
    columns.push_back(doubles("f" + std::to_string(j), values));
  }
  const Table table = memory_table("data", std::move(columns), comm, 100);
  const FeatureMatrix features(table, 0, data.rows[0].size(), comm);
  const auto mine = [&](const std::vector<double>& all) {
    if (all.empty()) return all;
    return std::vector<double>(all.begin() + cut(table.rows_global, comm.size(), comm.rank()),
                               all.begin() + cut(table.rows_global, comm.size(), comm.rank() + 1));
  };
  return logreg::run(features, mine(data.labels), mine(data.weights), with, comm, {});
}

/// f and what its derivatives by each coefficient are, L1 left out, in plain words on the data as they are.
struct Objective {
  double value = 0;
  Rows by_coefficient;  ///< [output][feature], the intercept last
  std::vector<double> deviation;

  Objective(const Data& data, const Params& with, const Result& at) {
    const size_t width = data.rows[0].size(), outputs = static_cast<size_t>(at.outputs);
    double all = 0, squares = 0;
    for (size_t i = 0; i < data.rows.size(); ++i) all += data.weight(i), squares += data.weight(i) * data.weight(i);
    for (size_t j = 0; j < width; ++j) {
      double mean = 0, sum = 0;
      for (size_t i = 0; i < data.rows.size(); ++i) mean += data.weight(i) * data.rows[i][j] / all;
      for (size_t i = 0; i < data.rows.size(); ++i) sum += data.weight(i) * std::pow(data.rows[i][j] - mean, 2);
      deviation.push_back(std::sqrt(sum / (all - squares / all)));
    }
    by_coefficient.assign(outputs, std::vector<double>(width + 1));
    for (size_t i = 0; i < data.rows.size(); ++i) {
      std::vector<double> score(std::max<size_t>(outputs, 2));
      for (size_t k = 0; k < outputs; ++k) {
        double& s = score[outputs == 1 ? 1 : k] = at.intercepts[k];
        for (size_t j = 0; j < width; ++j) s += at.coefficients[k * width + j] * data.rows[i][j];
      }
      double sum = 0;
      for (const double s : score) sum += std::exp(s);
      const auto y = static_cast<size_t>(data.labels[i]);
      value += data.weight(i) / all * (std::log(sum) - score[y]);
      for (size_t k = 0; k < outputs; ++k) {
        const size_t of = outputs == 1 ? 1 : k;
        const double d = data.weight(i) / all * (std::exp(score[of]) / sum - (y == of));
        for (size_t j = 0; j < width; ++j) by_coefficient[k][j] += d * data.rows[i][j];
        by_coefficient[k][width] += d;
      }
    }
    for (size_t k = 0; k < outputs; ++k)
      for (size_t j = 0; j < width; ++j) {
        const double unit = with.standardization ? deviation[j] : 1, b = unit * at.coefficients[k * width + j];
        if (deviation[j] == 0) continue;
        value += with.reg_param * (with.elastic_net_param * std::abs(b) + (1 - with.elastic_net_param) / 2 * b * b);
        by_coefficient[k][j] += with.reg_param * (1 - with.elastic_net_param) * b * unit;
      }
  }
};

/// Nothing that the coefficients could change would make f smaller; f is convex, so it is the minimum.
void expect_minimum(const Data& data, const Params& with, const Result& found) {
#ifdef __clang__  // of make sanitize: it rounds otherwise, and the search stops at 1.3e-6
  constexpr double left = 2e-6;
#else
  constexpr double left = 1e-6;
#endif
  const Objective plain(data, with, found);
  const size_t width = data.rows[0].size();
  EXPECT_NEAR(found.history.back(), plain.value, 1e-9 * plain.value);
  for (size_t k = 0; k < plain.by_coefficient.size(); ++k) {
    if (with.fit_intercept) EXPECT_NEAR(plain.by_coefficient[k][width], 0, 1e-6);
    else EXPECT_EQ(found.intercepts[k], 0);
    for (size_t j = 0; j < width; ++j) {
      const double b = found.coefficients[k * width + j], slope = plain.by_coefficient[k][j], s = plain.deviation[j];
      const double l1 = with.reg_param * with.elastic_net_param * (with.standardization ? s : 1);
      if (s < 1e-9) EXPECT_EQ(b, 0);  // the constant one
      else if (b != 0) EXPECT_NEAR(slope, -std::copysign(l1, b), left * s) << k << " " << j;
      else EXPECT_LE(std::abs(slope), l1 + left * s) << k << " " << j;
    }
  }
}

/// Labels by chance from known coefficients; feature 2 is constant, feature 3 large and far from zero, 4 says nothing.
Data made(size_t classes, bool weighted, size_t n = 150) {
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Data data;
  for (size_t i = 0; i < n; ++i) {
    std::vector<double> row{normal(random), 0.01 * normal(random), 5, 100 + 30 * normal(random), normal(random)};
    for (int j = 0; j < 6; ++j) row.push_back(normal(random) + row[0]);
    double draw = uniform(random), sum = 0;
    std::vector<double> odds;
    for (size_t k = 0; k < classes; ++k)
      odds.push_back(std::exp(static_cast<double>(k) * (0.8 * row[0] + 40 * row[1] - 0.01 * (row[3] - 100)) -
                              (k == 1 ? 0.5 * row[6] : 0)));
    for (const double value : odds) sum += value;
    size_t label = 0;
    while (label + 1 < classes && (draw -= odds[label] / sum) > 0) ++label;
    data.rows.push_back(row);
    data.labels.push_back(static_cast<double>(label));
    if (weighted) data.weights.push_back(static_cast<double>(random() % 4) / 2);
  }
  return data;
}

TEST(LogReg, FindsTheMinimum) {
  Comm& comm = test_comm();
  for (const size_t classes : {2, 3})
    for (const bool weighted : {false, true}) {
      const Data data = made(classes, weighted);
      for (const Family family : {Family::kAuto, Family::kMultinomial})
        for (const bool intercept : {true, false})
          for (const bool standardize : {true, false})
            for (const auto& [reg, elastic] :
                 {std::pair(0.0, 0.0), std::pair(0.05, 0.0), std::pair(0.02, 0.5), std::pair(0.05, 1.0)}) {
              SCOPED_TRACE(testing::Message()
                           << classes << " classes, weighted " << weighted << " multinomial "
                           << (family == Family::kMultinomial) << " intercept " << intercept << " standardize "
                           << standardize << " reg " << reg << " elastic " << elastic);
              const Params with = params(family, reg, elastic, intercept, standardize);
              const Result found = fit(data, with, comm);
              EXPECT_EQ(found.outputs, classes == 2 && family == Family::kAuto ? 1 : classes);
              expect_minimum(data, with, found);
            }
    }
}

TEST(LogReg, IsTheSameForAnyRanksAndThreads) {
  Comm& comm = test_comm();
  Comm alone;
  const Data data = made(3, true, 3000);
  const Params with = params(Family::kAuto, 0.01);
  const Result whole = fit(data, with, alone);
  for (const int threads : {1, 3}) {
    omp_set_num_threads(threads);
    const Result found = fit(data, with, comm);
    for (size_t i = 0; i < whole.coefficients.size(); ++i)
      EXPECT_NEAR(found.coefficients[i], whole.coefficients[i], 1e-6 * (1 + std::abs(whole.coefficients[i])));
    EXPECT_NEAR(found.history.back(), whole.history.back(), 1e-12);
  }
}

TEST(LogReg, CentersWhatIsFreeInMultinomial) {
  Comm& comm = test_comm();
  for (const double reg : {0.0, 0.1}) {
    const Result found = fit(made(3, false), params(Family::kMultinomial, reg), comm);
    EXPECT_NEAR(found.intercepts[0] + found.intercepts[1] + found.intercepts[2], 0, 1e-9);
    for (size_t j = 0; j < 11; ++j)
      EXPECT_NEAR(found.coefficients[j] + found.coefficients[11 + j] + found.coefficients[22 + j], 0,
                  reg == 0 ? 1e-9 : 1e-5);
  }
}

TEST(LogReg, OneClassOnly) {
  const double infinity = std::numeric_limits<double>::infinity();
  Comm& comm = test_comm();
  const Rows rows{{1, 2}, {3, 4}, {5, 7}, {0, 0}};
  EXPECT_EQ(fit({rows, {1, 1, 1, 1}, {}}, params(), comm).intercepts, std::vector<double>{infinity});
  EXPECT_EQ(fit({rows, {0, 0, 0, 0}, {}}, params(), comm).intercepts, std::vector<double>{-infinity});
  const Result found = fit({rows, {2, 2, 2, 2}, {}}, params(), comm);
  EXPECT_EQ(found.classes, 3);
  EXPECT_EQ(found.intercepts, (std::vector<double>{0, 0, infinity}));
  EXPECT_EQ(found.coefficients, std::vector<double>(6));
  const Result without = fit({rows, {1, 1, 1, 1}, {}}, params(Family::kAuto, 0.1, 0, false), comm);
  EXPECT_GT(without.coefficients[0], 0);
}

TEST(LogReg, SeparableClassesEndSomewhere) {
  Comm& comm = test_comm();
  Data data;
  for (int i = 0; i < 20; ++i) data.rows.push_back({static_cast<double>(i)}), data.labels.push_back(i < 10 ? 0 : 1);
  Params with = params();
  with.max_iterations = 25;
  const Result found = fit(data, with, comm);
  EXPECT_LT(found.history.back(), 1e-3);
  EXPECT_TRUE(std::isfinite(found.coefficients[0]));
  EXPECT_GT(found.coefficients[0], 1);
}

TEST(LogReg, RefusesWhatItCannotLearn) {
  Comm comm;
  const auto refused = [&](Exit code, const Data& data, Family family = Family::kAuto) {
    return error_text(code, [&] { (void)fit(data, params(family), comm); });
  };
  EXPECT_EQ(refused(Exit::kArguments, {{{1}, {2}, {3}}, {0, 1, 2}, {}}, Family::kBinomial),
            "family: expected multinomial or auto for 3 classes, found binomial. Choose one of these.");
  EXPECT_EQ(refused(Exit::kData, {{{1}, {2}}, {0, 1.5}, {}}),
            "label: expected whole numbers from 0 to 2147483647, found 1.500000 in row 2. Index the labels, as "
            "StringIndexer does.");
  EXPECT_EQ(refused(Exit::kData, {{{1}, {2}}, {0, 1}, {0, 0}}),
            "data: expected at least one row with a weight above 0, found none. Check the table.");
}

TEST(LogReg, RunsAsAKernel) {
  Comm& comm = test_comm();
  Inputs inputs;
  inputs["data"] = memory_table("data", {doubles("a", {0, 1, 2, 3, 1, 2}), longs("y", {0, 0, 1, 1, 1, 0})}, comm);
  const Values values = validate(
      kKernel.spec, {{"features", std::vector<std::string>{"a"}}, {"label", std::string("y")}, {"tol", 1e-12}});
  const Output output = kKernel.run(inputs, values, comm, {});
  ASSERT_EQ(output.columns.size(), kKernel.spec.output.size());
  for (size_t c = 0; c < output.columns.size(); ++c) EXPECT_EQ(output.columns[c].name, kKernel.spec.output[c].name);
  ASSERT_EQ(comm.allreduce(output.rows), 2);
  EXPECT_EQ(output.converged, true);
  EXPECT_EQ(output.figures.at("classes"), std::vector<double>{2});
  if (comm.rank() > 0) return;
  const auto* value = static_cast<const double*>(output.columns[2].values);
  EXPECT_EQ(static_cast<const int64_t*>(output.columns[1].values)[0], -1);
  EXPECT_NEAR(value[0], -1.5 * value[1], 1e-6);  // by symmetry: even odds in the middle
}

}  // namespace
}  // namespace sparkgap
