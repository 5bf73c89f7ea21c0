// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "kmeans/kmeans.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "spec/kernel.h"
#include "test/error_text.h"
#include "test/memory_table.h"
#include "test/test_comm.h"

namespace sparkgap {
namespace {

using kmeans::Distance;
using kmeans::Init;
using Rows = std::vector<std::vector<double>>;

kmeans::Params params(int64_t k, int64_t iterations = 20, Init init = Init::kParallel,
                      Distance distance = Distance::kEuclidean) {
  return {.k = k,
          .max_iterations = iterations,
          .tolerance = 0,
          .init = init,
          .init_steps = 2,
          .seed = 7,
          .distance = distance};
}

kmeans::Result fit(const Rows& rows, const std::vector<double>& weights, const kmeans::Params& with, Comm& comm) {
  std::vector<MemoryColumn> columns;
  for (size_t j = 0; j < rows[0].size(); ++j) {
    std::vector<double> values;
    for (const auto& row : rows) values.push_back(row[j]);
    columns.push_back(doubles("f" + std::to_string(j), values));
  }
  const Table table = memory_table("data", std::move(columns), comm, 1000);
  const FeatureMatrix features(table, 0, rows[0].size(), comm);
  std::vector<double> mine;
  if (!weights.empty())
    mine.assign(weights.begin() + cut(table.rows_global, comm.size(), comm.rank()),
                weights.begin() + cut(table.rows_global, comm.size(), comm.rank() + 1));
  return kmeans::run(features, mine, with, comm, {});
}

Rows centers_of(const kmeans::Result& result) {
  Rows centers;
  for (size_t at = 0; at < result.centers.size(); at += static_cast<size_t>(result.width))
    centers.emplace_back(result.centers.begin() + static_cast<int64_t>(at),
                         result.centers.begin() + static_cast<int64_t>(at) + result.width);
  return centers;
}

double length(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

double distance(const std::vector<double>& x, const std::vector<double>& c, Distance measure) {
  double squares = 0, dot = 0;
  for (size_t j = 0; j < x.size(); ++j) {
    squares += (x[j] - c[j]) * (x[j] - c[j]);
    dot += x[j] * c[j];
  }
  return measure == Distance::kEuclidean ? squares : 1 - dot / length(x) / length(c);
}

double nearest_distance(const std::vector<double>& x, const Rows& centers, Distance measure, size_t& which) {
  double least = 1e308;
  for (size_t c = 0; c < centers.size(); ++c)
    if (const double d = distance(x, centers[c], measure); d < least) {
      least = d;
      which = c;
    }
  return least;
}

double cost(const Rows& rows, const std::vector<double>& weights, const Rows& centers, Distance measure) {
  double sum = 0;
  size_t which = 0;
  for (size_t i = 0; i < rows.size(); ++i)
    sum += (weights.empty() ? 1 : weights[i]) * nearest_distance(rows[i], centers, measure, which);
  return sum;
}

/// One iteration in plain words.
Rows iterated(const Rows& rows, const std::vector<double>& weights, const Rows& centers, Distance measure) {
  Rows sums(centers.size(), std::vector<double>(rows[0].size())), next = centers;
  std::vector<double> total(centers.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    size_t c = 0;
    nearest_distance(rows[i], centers, measure, c);
    const double weight = weights.empty() ? 1 : weights[i];
    total[c] += weight;
    for (size_t j = 0; j < rows[i].size(); ++j)
      sums[c][j] += weight * rows[i][j] / (measure == Distance::kCosine ? length(rows[i]) : 1);
  }
  for (size_t c = 0; c < centers.size(); ++c)
    for (size_t j = 0; total[c] > 0 && j < sums[c].size(); ++j)
      next[c][j] = sums[c][j] / (measure == Distance::kCosine ? length(sums[c]) : total[c]);
  return next;
}

void expect_near(const Rows& found, const Rows& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t c = 0; c < found.size(); ++c)
    for (size_t j = 0; j < found[c].size(); ++j)
      EXPECT_NEAR(found[c][j], expected[c][j], tolerance) << "center " << c << " feature " << j;
}

/// `groups` heaps of points round corners that are far from each other.
Rows heaps(size_t groups, size_t each, size_t width, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Rows rows(groups * each, std::vector<double>(width));
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t j = 0; j < width; ++j)
      rows[i][j] = 50.0 * static_cast<double>(((i % groups) >> j) & 1) + 20 * static_cast<double>(i % groups == j) +
                   normal(random) + 1;
  return rows;
}

TEST(KMeans, IteratesAsLloydDid) {
  Comm& comm = test_comm();
  const Rows rows = heaps(5, 60, 4, 1);
  std::vector<double> weights;
  for (size_t i = 0; i < rows.size(); ++i) weights.push_back(static_cast<double>(i % 4) / 2);
  for (const Distance measure : {Distance::kEuclidean, Distance::kCosine})
    for (const Init init : {Init::kParallel, Init::kRandom})
      for (const auto& w : {std::vector<double>{}, weights})
        for (const int threads : {1, 2}) {
          omp_set_num_threads(threads);
          Rows expected = centers_of(fit(rows, w, params(9, 0, init, measure), comm));
          EXPECT_EQ(expected.size(), 9);
          double before = 0;
          for (int64_t n = 1; n <= 4; ++n) {
            before = cost(rows, w, expected, measure);
            expected = iterated(rows, w, expected, measure);
            const kmeans::Result result = fit(rows, w, params(9, n, init, measure), comm);
            expect_near(centers_of(result), expected, 1e-10);
            EXPECT_NEAR(result.training_cost, before, 1e-9 * before);
            EXPECT_NEAR(result.cost, cost(rows, w, expected, measure), 1e-9 * before);
          }
        }
}

TEST(KMeans, FindsHeapsThatAreFarApart) {
  Comm& comm = test_comm();
  const Rows rows = heaps(8, 200, 5, 2);
  const kmeans::Result result = fit(rows, {}, params(8), comm);
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.movement, 0);
  EXPECT_NEAR(result.cost, 8 * 200 * 5, 400);  // the variance is 1 in each direction
  Comm alone;
  const kmeans::Result whole = fit(rows, {}, params(8), alone);
  expect_near(centers_of(result), centers_of(whole), 1e-10);
  EXPECT_EQ(result.iterations, whole.iterations);
}

TEST(KMeans, StartsTheSameForAnyRanksAndOtherwiseBySeed) {
  Comm& comm = test_comm();
  Comm alone;
  const Rows rows = heaps(3, 500, 3, 3);
  for (const Init init : {Init::kParallel, Init::kRandom}) {
    kmeans::Params with = params(20, 0, init);
    const Rows start = centers_of(fit(rows, {}, with, comm));
    expect_near(start, centers_of(fit(rows, {}, with, alone)), 1e-12);
    with.seed = 8;
    EXPECT_NE(start, centers_of(fit(rows, {}, with, comm)));
    if (init == Init::kParallel) continue;
    for (const auto& center : start) EXPECT_NE(std::find(rows.begin(), rows.end(), center), rows.end());
  }
}

TEST(KMeans, WeightsCountAsCopies) {
  Comm& comm = test_comm();
  const Rows rows = heaps(4, 50, 3, 4);
  Rows copies;
  std::vector<double> weights;
  for (size_t i = 0; i < rows.size(); ++i) {
    weights.push_back(static_cast<double>(i % 3));
    for (size_t n = 0; n < i % 3; ++n) copies.push_back(rows[i]);
  }
  const double weighted = fit(rows, weights, params(4), comm).cost, copied = fit(copies, {}, params(4), comm).cost;
  EXPECT_NEAR(weighted, copied, 1e-9 * copied);
}

TEST(KMeans, HasNoMoreCentersThanDifferentPoints) {
  Comm& comm = test_comm();
  const Rows rows{{1, 2}, {3, 4}, {1, 2}, {3, 4}, {1, 2}};
  for (const Init init : {Init::kParallel, Init::kRandom}) {
    const kmeans::Result result = fit(rows, {}, params(10, 5, init), comm);
    Rows centers = centers_of(result);
    std::sort(centers.begin(), centers.end());
    EXPECT_EQ(centers, (Rows{{1, 2}, {3, 4}}));
    EXPECT_EQ(result.cost, 0);
    EXPECT_TRUE(result.converged);
  }
}

TEST(KMeans, ToleranceEndsIt) {
  Comm& comm = test_comm();
  const Rows rows = heaps(8, 300, 2, 5);
  kmeans::Params with = params(12, 100, Init::kRandom);
  const int64_t to_the_end = fit(rows, {}, with, comm).iterations;
  with.tolerance = 1;
  const kmeans::Result result = fit(rows, {}, with, comm);
  EXPECT_TRUE(result.converged);
  EXPECT_LE(result.movement, 1);
  EXPECT_LT(result.iterations, to_the_end);
}

TEST(KMeans, RefusesWhatHasNoCenters) {
  Comm& comm = test_comm();
  const auto refused = [&](const Rows& rows, const std::vector<double>& weights,
                           Distance measure = Distance::kEuclidean) {
    return error_text(Exit::kData, [&] { (void)fit(rows, weights, params(2, 5, Init::kParallel, measure), comm); });
  };
  EXPECT_EQ(refused({{1}, {2}, {3}, {4}}, {0, 0, 0, 0}),
            "weight: expected a row with a weight above 0, found none. Check the column.");
  if (comm.size() == 1) {  // on more ranks it is one rank's error
    EXPECT_EQ(
        refused({{1, 1}, {0, 0}}, {}, Distance::kCosine),
        "data.f0: expected vectors of some length for the cosine distance, found one of zeroes in row 2. Drop it.");
  }
}

TEST(KMeans, RunsAsAKernel) {
  Comm& comm = test_comm();
  Inputs inputs;
  inputs["data"] = memory_table(
      "data", {doubles("a", {0, 1, 10, 11}), doubles("b", {2, 2, 5, 5}), doubles("w", {1, 1, 1, 3})}, comm);
  const Values values = validate(kKernel.spec, {{"features", std::vector<std::string>{"a", "b"}},
                                                {"weight", std::string("w")},
                                                {"init_mode", std::string("k-means||")}});
  const Output output = kKernel.run(inputs, values, comm, {});
  ASSERT_EQ(output.columns.size(), kKernel.spec.output.size());
  for (size_t c = 0; c < output.columns.size(); ++c) EXPECT_EQ(output.columns[c].name, kKernel.spec.output[c].name);
  ASSERT_EQ(comm.allreduce(output.rows), 4);
  EXPECT_NEAR(output.figures.at("objective")[0], 0.5 + 0.75, 1e-12);
  if (comm.rank() > 0) return;
  const auto* value = static_cast<const double*>(output.columns[2].values);
  const bool turned = value[0] > 5;
  const std::vector<double> expected =
      turned ? std::vector<double>{10.75, 5, 0.5, 2} : std::vector<double>{0.5, 2, 10.75, 5};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(static_cast<const int64_t*>(output.columns[0].values)[i], static_cast<int64_t>(i / 2));
    EXPECT_EQ(static_cast<const int64_t*>(output.columns[1].values)[i], static_cast<int64_t>(i % 2));
    EXPECT_NEAR(value[i], expected[i], 1e-12);
  }
}

}  // namespace
}  // namespace sparkgap
