// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "naivebayes/naivebayes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "spec/kernel.h"
#include "test/error_text.h"
#include "test/memory_table.h"
#include "test/test_comm.h"

namespace sparkgap {
namespace {

using naivebayes::Model;
using Rows = std::vector<std::vector<double>>;

struct Data {
  Rows rows;
  std::vector<double> labels, weights;  ///< weights may be empty
};

/// One column of vectors, the odd rows sparse: this rank's share.
class Vectors {
 public:
  Vectors(const Rows& rows, const Comm& comm) {
    const auto n = static_cast<int64_t>(rows.size());
    const int64_t begin = cut(n, comm.size(), comm.rank()), end = cut(n, comm.size(), comm.rank() + 1);
    for (int64_t i = begin; i < end; ++i) {
      const auto& row = rows[static_cast<size_t>(i)];
      forms_.push_back(i % 2 == 0 ? 1 : 0);
      sizes_.push_back(static_cast<int32_t>(row.size()));
      for (size_t j = 0; j < row.size(); ++j) {
        if (i % 2 == 1 && row[j] == 0) continue;
        if (i % 2 == 1) indices_.push_back(static_cast<int32_t>(j));
        values_.push_back(row[j]);
      }
      index_ends_.push_back(static_cast<int32_t>(indices_.size()));
      value_ends_.push_back(static_cast<int32_t>(values_.size()));
    }
    table = Table{.name = "data", .column_names = {"features"}, .types = {Type::kStruct}};
    table.rows = end - begin;
    table.rows_global = n;
    const ColumnView index{.type = Type::kArray,
                           .offsets = index_ends_.data(),
                           .children = {{.type = Type::kInt32, .values = indices_.data()}}};
    const ColumnView value{.type = Type::kArray,
                           .offsets = value_ends_.data(),
                           .children = {{.type = Type::kFloat64, .values = values_.data()}}};
    const ColumnView form{.type = Type::kInt8, .values = forms_.data()},
        size{.type = Type::kInt32, .values = sizes_.data()};
    if (table.rows > 0)
      table.batches.push_back({table.rows, {{.type = Type::kStruct, .children = {form, size, index, value}}}});
  }
  Table table;

 private:
  std::vector<int8_t> forms_;
  std::vector<int32_t> sizes_, index_ends_{0}, value_ends_{0}, indices_;
  std::vector<double> values_;
};

naivebayes::Result fit(const Data& data, Model model, double smoothing, Comm& comm) {
  const Vectors vectors(data.rows, comm);
  const FeatureMatrix features(vectors.table, 0, 1, comm);
  const auto mine = [&](const std::vector<double>& all) {
    if (all.empty()) return all;
    const auto n = static_cast<int64_t>(all.size());
    return std::vector<double>(all.begin() + cut(n, comm.size(), comm.rank()),
                               all.begin() + cut(n, comm.size(), comm.rank() + 1));
  };
  return naivebayes::run(features, mine(data.labels), mine(data.weights), {smoothing, model}, comm, {});
}

/// Class by class and feature by feature, as the definitions read.
void expect_as_defined(const Data& data, Model model, double s, const naivebayes::Result& found) {
  std::map<double, double> weight;
  double all = 0;
  const auto weight_of = [&](size_t i) { return data.weights.empty() ? 1 : data.weights[i]; };
  for (size_t i = 0; i < data.rows.size(); ++i) {
    weight[data.labels[i]] += weight_of(i);
    all += weight_of(i);
  }
  const size_t width = data.rows[0].size();
  const auto sum = [&](double label, size_t j, bool of_others, auto&& of) {
    double total = 0;
    for (size_t i = 0; i < data.rows.size(); ++i)
      if ((data.labels[i] == label) != of_others) total += weight_of(i) * of(data.rows[i][j]);
    return total;
  };
  const auto itself = [](double x) { return x; };
  double largest = 0;
  for (size_t j = 0; j < width; ++j) {
    double mean = 0, squares = 0;
    for (size_t i = 0; i < data.rows.size(); ++i) mean += weight_of(i) * data.rows[i][j] / all;
    for (size_t i = 0; i < data.rows.size(); ++i) squares += weight_of(i) * std::pow(data.rows[i][j] - mean, 2) / all;
    largest = std::max(largest, squares);
  }
  ASSERT_EQ(found.labels.size(), weight.size());
  size_t c = 0;
  for (const auto& [label, w] : weight) {
    EXPECT_EQ(found.labels[c], label);
    EXPECT_NEAR(found.pi[c],
                model == Model::kGaussian ? std::log(w / all)
                                          : std::log((w + s) / (all + static_cast<double>(weight.size()) * s)),
                1e-12);
    double total = 0;
    for (size_t j = 0; j < width; ++j) total += sum(label, j, model == Model::kComplement, itself) + s;
    for (size_t j = 0; j < width; ++j) {
      const double n = sum(label, j, model == Model::kComplement, itself), theta = found.theta[c * width + j];
      const double counted = std::log((n + s) / (model == Model::kBernoulli ? w + 2 * s : total));
      EXPECT_NEAR(theta,
                  model == Model::kGaussian     ? n / w
                  : model == Model::kComplement ? -counted
                                                : counted,
                  1e-12 * std::max(1.0, std::abs(theta)));
      if (model != Model::kGaussian) continue;
      const double variance =
          sum(label, j, false, [&](double x) { return std::pow(x - n / w, 2); }) / w + 1e-9 * largest;
      EXPECT_NEAR(found.sigma[c * width + j], variance, 1e-9 * variance);
    }
    ++c;
  }
  EXPECT_EQ(found.sigma.empty(), model != Model::kGaussian);
}

Data made(Model model, bool weighted, size_t n = 300) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  Data data;
  for (size_t i = 0; i < n; ++i) {
    data.labels.push_back(static_cast<double>(random() % 3 * 2));  // 0, 2, 4
    std::vector<double> row(7);
    for (double& x : row) {
      if (random() % 3 == 0) continue;
      x = model == Model::kGaussian    ? normal(random) + data.labels.back()
          : model == Model::kBernoulli ? 1
                                       : static_cast<double>(random() % 9) / 2;
    }
    data.rows.push_back(row);
    if (weighted) data.weights.push_back(static_cast<double>(random() % 4) / 2);
  }
  return data;
}

TEST(NaiveBayes, AsDefined) {
  Comm& comm = test_comm();
  for (const Model model : {Model::kMultinomial, Model::kComplement, Model::kBernoulli, Model::kGaussian})
    for (const bool weighted : {false, true})
      for (const double smoothing : {1.0, 0.25})
        for (const int threads : {1, 3}) {
          SCOPED_TRACE(testing::Message()
                       << static_cast<int>(model) << " weighted " << weighted << " threads " << threads);
          omp_set_num_threads(threads);
          const Data data = made(model, weighted);
          expect_as_defined(data, model, smoothing, fit(data, model, smoothing, comm));
        }
}

TEST(NaiveBayes, OneClassAndNothingCounted) {
  const double infinity = std::numeric_limits<double>::infinity();
  Comm& comm = test_comm();
  const Data one{{{1, 0}, {2, 0}}, {3, 3}, {}};
  const naivebayes::Result result = fit(one, Model::kMultinomial, 0, comm);
  EXPECT_EQ(result.labels, std::vector<double>{3});
  EXPECT_EQ(result.pi, std::vector<double>{0});
  EXPECT_EQ(result.theta, (std::vector<double>{0, -infinity}));
}

TEST(NaiveBayes, VarianceFarFromZero) {
  Comm& comm = test_comm();
  Data data;
  for (int i = 0; i < 100; ++i) {
    data.rows.push_back({1e8 + (i / 2 % 2) * 2});
    data.labels.push_back(0);
  }
  EXPECT_NEAR(fit(data, Model::kGaussian, 1, comm).sigma[0], 1, 1e-7);
}

TEST(NaiveBayes, RefusesWhatItCannotCount) {
  Comm comm;
  const auto refused = [&](Rows rows, std::vector<double> labels, Model model, std::vector<double> weights = {}) {
    return error_text(Exit::kData, [&] { (void)fit({rows, labels, weights}, model, 1, comm); });
  };
  const std::string whole = "label: expected whole numbers from 0 to 2147483647, found ",
                    index = "Index the labels, as StringIndexer does.";
  EXPECT_EQ(refused({{1}, {1}}, {0, -1}, Model::kMultinomial), whole + "-1.000000 in row 2. " + index);
  EXPECT_EQ(refused({{1}, {1}}, {0.5, 1}, Model::kGaussian), whole + "0.500000 in row 1. " + index);
  const std::string other = " Use another model or transform them.";
  EXPECT_EQ(refused({{1, 1}, {0, -1}}, {0, 1}, Model::kComplement),
            "data.features: expected features of at least 0, found -1.000000 in row 2." + other);
  EXPECT_EQ(refused({{1, 2}, {0, 1}}, {0, 1}, Model::kBernoulli),
            "data.features: expected features that are 0 or 1, found 2.000000 in row 1." + other);
  EXPECT_EQ(refused({{1}, {2}}, {0, 1}, Model::kGaussian, {1, 0}),
            "weight: expected some weight for each class, found none for class 1. Drop its rows.");
  const Rows none;
  EXPECT_EQ(refused(none, {}, Model::kGaussian), "features: expected at least one row, found none. Check the table.");
}

TEST(NaiveBayes, RunsAsAKernel) {
  Comm& comm = test_comm();
  Inputs inputs;
  inputs["data"] =
      memory_table("data", {doubles("a", {1, 0, 1, 1}), doubles("b", {1, 1, 0, 1}), longs("y", {1, 1, 0, 0})}, comm);
  const Values values = validate(kKernel.spec, {{"features", std::vector<std::string>{"a", "b"}},
                                                {"label", std::string("y")},
                                                {"model_type", std::string("gaussian")}});
  const Output output = kKernel.run(inputs, values, comm, {});
  ASSERT_EQ(output.columns.size(), kKernel.spec.output.size());
  for (size_t c = 0; c < output.columns.size(); ++c) EXPECT_EQ(output.columns[c].name, kKernel.spec.output[c].name);
  ASSERT_EQ(comm.allreduce(output.rows), 10);
  if (comm.rank() > 0) return;
  std::vector<std::string> rows;
  for (size_t i = 0; i < 10; ++i)
    rows.push_back(std::string(output.columns[0].strings[i]) + " " +
                   std::to_string(static_cast<int>(static_cast<const double*>(output.columns[1].values)[i])) + " " +
                   std::to_string(static_cast<const int64_t*>(output.columns[2].values)[i]));
  EXPECT_EQ(rows, (std::vector<std::string>{"pi 0 -1", "pi 1 -1", "theta 0 0", "theta 0 1", "theta 1 0", "theta 1 1",
                                            "sigma 0 0", "sigma 0 1", "sigma 1 0", "sigma 1 1"}));
  EXPECT_NEAR(static_cast<const double*>(output.columns[3].values)[3], 0.5, 1e-15);
}

}  // namespace
}  // namespace sparkgap
