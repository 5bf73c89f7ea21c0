// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "cpd/cpd.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "cpd/cpd_oracle.h"
#include "spec/kernel.h"
#include "test/error_text.h"
#include "test/memory_table.h"
#include "test/test_comm.h"

namespace sparkgap {
namespace {

Table table_of(const Entries& entries, const Comm& comm) {
  std::vector<MemoryColumn> columns;
  for (size_t mode = 0; mode < entries.keys.size(); ++mode)
    columns.push_back(longs("m" + std::to_string(mode), entries.keys[mode]));
  columns.push_back(doubles("value", entries.values));
  return memory_table("data", std::move(columns), comm, 7);
}

struct Found {
  std::vector<TensorMode> modes;
  int64_t duplicates;
  cpd::Result result;
  bool knows_all = false;  ///< whether each rank has all rows of all factors
};

Found run_on(const Entries& entries, const cpd::Params& params, Comm& comm) {
  const Table table = table_of(entries, comm);
  TensorRows rows(table, entries.keys.size(), comm);
  Found found{rows.modes(), 0, {}};
  const SparseTensor tensor(rows, "data", comm);
  found.duplicates = tensor.duplicates;
  found.knows_all = std::ranges::all_of(tensor.known, [](const Ghosts& known) { return known.are_all(); });
  found.result = cpd::run(tensor, found.modes, params, comm, {});
  for (size_t mode = 0; mode < found.modes.size(); ++mode)
    EXPECT_EQ(comm.allreduce(found.result.factors[mode].rows), found.modes[mode].size());
  return found;
}

/// Some of them twice; keys lie close together, or far apart.
Entries random_entries(const std::vector<int64_t>& sizes, size_t n, bool far, uint64_t seed) {
  std::mt19937_64 random(seed);
  Entries entries{std::vector<std::vector<int64_t>>(sizes.size()), {}};
  for (size_t e = 0; e < n; ++e) {
    for (size_t mode = 0; mode < sizes.size(); ++mode) {
      const auto at = static_cast<int64_t>(random() % static_cast<uint64_t>(sizes[mode]));
      entries.keys[mode].push_back(far ? at * 1000000007 * (at % 2 == 0 ? 1 : -1) : at - 3);
    }
    entries.values.push_back(static_cast<double>(random() % 1000) / 100 - 3);
  }
  return entries;
}

void expect_same(const Found& found, const Plain& plain) {
  for (size_t r = 0; r < plain.rank; ++r)
    EXPECT_NEAR(found.result.lambdas[r], plain.lambdas[r], 1e-8 * plain.lambdas[r]);
  for (size_t mode = 0; mode < plain.factors.size(); ++mode) {
    ASSERT_EQ(found.modes[mode].keys.size(), plain.factors[mode].size());
    const FactorMatrix& factor = found.result.factors[mode];
    int64_t i = -found.result.firsts[mode];  // a row of this rank where it is one of the factor
    for (const auto& [key, row] : plain.factors[mode]) {
      EXPECT_EQ(found.modes[mode].keys[static_cast<size_t>(i + found.result.firsts[mode])], key);
      for (size_t r = 0; i >= 0 && i < factor.rows && r < plain.rank; ++r)
        EXPECT_NEAR(factor.row(i)[r], row[r], 1e-7) << mode << " " << key << " " << r;
      ++i;
    }
  }
}

TEST(Cpd, IteratesAsDefined) {
  Comm& comm = test_comm();
  const std::vector<std::vector<int64_t>> shapes{{9, 8},      {9, 1, 7},    {8, 6, 7},
                                                 {20, 11, 6}, {5, 4, 6, 3}, {4, 3, 5, 2, 3}};
  for (size_t shape = 0; shape < shapes.size(); shape += comm.size() > 2 ? 2 : 1)
    for (const int64_t rank : {1, 2, 5})
      for (const double regularisation : {0.0, 0.7})
        for (const int threads : {1, 3}) {
          if (comm.size() > 1 && (rank == 2 || (threads == 1) != (regularisation == 0)))
            continue;  // some of them: ranks that wait spin
          SCOPED_TRACE(testing::Message() << "shape " << shape << " rank " << rank << " regularisation "
                                          << regularisation << " threads " << threads);
          omp_set_num_threads(threads);
          const Entries entries = random_entries(shapes[shape], 150, threads == 3, shape + 1);
          const cpd::Params params{
              .rank = rank, .max_iterations = 3, .tolerance = 0, .regularisation = regularisation, .seed = 5};
          const Found found = run_on(entries, params, comm);
          const Plain plain(entries, params, 3);
          expect_same(found, plain);
          ASSERT_EQ(found.result.fits.size(), 3u);
          EXPECT_NEAR(found.result.fit, plain.fit(), 1e-9);
          EXPECT_EQ(found.duplicates, 150 - static_cast<int64_t>(plain.cells.size()));
        }
}

// With four ranks each keeps the rows of its own keys and of those that its entries name.
TEST(Cpd, FewEntriesOfManyKeys) {
  Comm& comm = test_comm();
  omp_set_num_threads(2);
  for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{300, 280}, {500, 400, 450}, {900, 3, 800}})
    for (const bool far : {false, true}) {
      SCOPED_TRACE(testing::Message() << sizes.size() << " modes, far " << far);
      const Entries entries = random_entries(sizes, static_cast<size_t>(sizes[0]), far, 6);
      const cpd::Params params{.rank = 3, .max_iterations = 2, .tolerance = 0, .regularisation = 0.3, .seed = 4};
      const Found found = run_on(entries, params, comm);
      EXPECT_EQ(found.knows_all, comm.size() <= 3);
      expect_same(found, Plain(entries, params, 2));
    }
}

TEST(Cpd, EachWidthOfRows) {
  Comm comm;
  omp_set_num_threads(2);
  const Entries entries = random_entries({30, 25, 28}, 900, false, 3);
  for (const int64_t rank : {3, 4, 7, 8, 9, 10, 12, 13, 16, 19}) {
    SCOPED_TRACE(rank);
    const cpd::Params params{.rank = rank, .max_iterations = 1, .tolerance = 0, .regularisation = 0.5, .seed = 9};
    expect_same(run_on(entries, params, comm), Plain(entries, params, 1));
  }
}

TEST(Cpd, PlacesThatTakeMoreThan64Bits) {
  Comm& comm = test_comm();
  omp_set_num_threads(2);
  const Entries entries = random_entries(std::vector<int64_t>(8, 400), 700, true, 4);
  const cpd::Params params{.rank = 3, .max_iterations = 1, .tolerance = 0, .regularisation = 0.01, .seed = 2};
  const Found found = run_on(entries, params, comm);
  int bits = 0;
  for (const TensorMode& mode : found.modes) bits += std::bit_width(mode.keys.size() - 1);
  EXPECT_GT(bits, 64);
  const Plain plain(entries, params, 1);
  for (size_t r = 0; r < 3; ++r) EXPECT_NEAR(found.result.lambdas[r], plain.lambdas[r], 1e-8 * plain.lambdas[r]);
}

TEST(Cpd, RowsThatAreLonger) {
  Comm& comm = test_comm();
  Entries entries{std::vector<std::vector<int64_t>>(2), {}};
  std::mt19937_64 random(7);
  for (int64_t i = 0; i < 40000; ++i) {
    entries.keys[0].push_back(i % 2);
    entries.keys[1].push_back(i / 2);
    entries.values.push_back(static_cast<double>(random() % 100));
  }
  const cpd::Params params{.rank = 2, .max_iterations = 2, .tolerance = 0, .seed = 1};
  const Plain plain(entries, params, 2);
  std::vector<double> first;
  for (const int threads : {1, 2, 3}) {
    omp_set_num_threads(threads);
    const Found found = run_on(entries, params, comm);
    expect_same(found, plain);
    std::vector<double> lambdas = found.result.lambdas;
    if (first.empty()) first = lambdas;
    EXPECT_EQ(first, lambdas) << "to the last bit for any threads";
    EXPECT_NEAR(found.result.fit, 1, 1e-6);
  }
}

/// A tensor that is a sum of `rank` products; every cell is an entry.
struct Planted {
  std::vector<std::vector<std::vector<double>>> factors;  ///< [mode][component][key]
  Entries entries;

  Planted(const std::vector<int64_t>& sizes, size_t rank, bool non_negative)
      : factors(sizes.size(), std::vector<std::vector<double>>(rank)),
        entries{std::vector<std::vector<int64_t>>(sizes.size()), {}} {
    std::mt19937_64 random(11);
    for (size_t mode = 0; mode < sizes.size(); ++mode)
      for (size_t r = 0; r < rank; ++r) {
        double squares = 0;
        for (int64_t i = 0; i < sizes[mode]; ++i) {
          const double value = static_cast<double>(random() % 1000) / 1000 - (non_negative ? 0.3 : 0.5);
          factors[mode][r].push_back(non_negative ? std::max(0.0, value) : value);
          squares += factors[mode][r].back() * factors[mode][r].back();
        }
        for (double& value : factors[mode][r]) value /= std::sqrt(squares);
      }
    std::vector<int64_t> at(sizes.size());
    const auto visit = [&](const auto& self, size_t mode) -> void {
      if (mode < sizes.size()) {
        for (at[mode] = 0; at[mode] < sizes[mode]; ++at[mode]) self(self, mode + 1);
        return;
      }
      double value = 0;
      for (size_t r = 0; r < rank; ++r) {
        double product = static_cast<double>(10 * (r + 1));
        for (size_t m = 0; m < at.size(); ++m) product *= factors[m][r][static_cast<size_t>(at[m])];
        value += product;
      }
      for (size_t m = 0; m < at.size(); ++m) entries.keys[m].push_back(at[m]);
      entries.values.push_back(value);
    };
    visit(visit, 0);
  }
};

TEST(Cpd, FindsFactorsThatAreKnown) {
  Comm& comm = test_comm();
  omp_set_num_threads(2);
  for (const bool non_negative : {false, true}) {
    SCOPED_TRACE(non_negative);
    const Planted planted({13, 11, 12}, 3, non_negative);
    const Found found =
        run_on(planted.entries,
               {.rank = 3, .max_iterations = 400, .tolerance = 1e-8, .non_negative = non_negative, .seed = 3}, comm);
    EXPECT_GT(found.result.fit, 1 - 1e-5);
    for (size_t i = 1; i < found.result.fits.size(); ++i)
      EXPECT_GE(found.result.fits[i], found.result.fits[i - 1] - 1e-7);
    for (size_t r = 0; r < 3; ++r) {  // each planted component is one of those found
      double best = 0, lambda = 0;
      for (size_t s = 0; s < 3; ++s) {
        double alike = 1;
        for (size_t mode = 0; mode < 3; ++mode) {
          double dot = 0;
          for (int64_t i = 0; i < found.result.factors[mode].rows; ++i)
            dot += planted.factors[mode][r][static_cast<size_t>(found.result.firsts[mode] + i)] *
                   found.result.factors[mode].row(i)[s];
          alike *= comm.allreduce(dot);
        }
        if (alike > best) best = alike, lambda = found.result.lambdas[s];
      }
      EXPECT_GT(best, 1 - 1e-4);
      EXPECT_NEAR(lambda, 10 * static_cast<double>(r + 1), 0.02 * static_cast<double>(r + 1));
    }
  }
}

TEST(Cpd, NonNegativeOnWhatIsNot) {
  Comm& comm = test_comm();
  omp_set_num_threads(2);
  const Entries entries = random_entries({12, 9, 10}, 400, false, 8);
  cpd::Params params{.rank = 4, .max_iterations = 30, .tolerance = 0, .non_negative = true, .seed = 3};
  const Found bounded = run_on(entries, params, comm);
  for (const FactorMatrix& factor : bounded.result.factors)
    for (const double value : factor.values) EXPECT_GE(value, 0);
  for (size_t i = 1; i < bounded.result.fits.size(); ++i)
    EXPECT_GE(bounded.result.fits[i], bounded.result.fits[i - 1] - 1e-12);
  params.non_negative = false;
  EXPECT_LT(bounded.result.fit, run_on(entries, params, comm).result.fit);
}

TEST(Cpd, MoreComponentsThanThereAre) {
  Comm& comm = test_comm();
  const Planted planted({6, 5, 4}, 1, false);
  for (const bool non_negative : {false, true}) {
    const Found found =
        run_on(planted.entries,
               {.rank = 9, .max_iterations = 5, .tolerance = 0, .non_negative = non_negative, .seed = 3}, comm);
    for (const double lambda : found.result.lambdas) EXPECT_TRUE(std::isfinite(lambda));
    EXPECT_GT(found.result.fit, non_negative ? 0 : 1 - 1e-6);
  }
}

TEST(Cpd, EndsWhereTheFitStaysAndCountsWhatRegularisationCosts) {
  Comm& comm = test_comm();
  const Entries entries = random_entries({8, 6, 7}, 150, false, 2);
  const cpd::Result found =
      run_on(entries, {.rank = 2, .max_iterations = 500, .tolerance = 1e-6, .regularisation = 2, .seed = 5}, comm)
          .result;
  EXPECT_TRUE(found.converged);
  EXPECT_LT(found.fits.size(), 500u);
  EXPECT_LT(std::abs(found.fits.end()[-1] - found.fits.end()[-2]), 1e-6);
  double squares = 0, cost = 0;
  Plain plain(entries, {.rank = 2, .seed = 5}, 0);
  for (const auto& [at, value] : plain.cells) squares += value * value;
  for (const double lambda : found.lambdas) cost += lambda * lambda;
  EXPECT_NEAR(found.objective, squares * (1 - found.fit) * (1 - found.fit) / 2 + cost, 1e-9 * squares);
}

TEST(Cpd, RunsAsAKernelOnKeysOfBothKinds) {
  Comm& comm = test_comm();
  Inputs inputs;
  const std::vector<std::string> users{"ann", "bob", "ann", "a name that is longer than the twenty", "bob"};
  const MemoryColumn place("place", users), item = longs("item", {-7, 8, 8, 1LL << 60, 8}),
                                            value = doubles("v", {1, 2, 3, 4, 5});
  inputs["data"] = memory_table("data", {place, item, value}, comm, 2);
  const Values values = validate(kKernel.spec, {{"modes", std::vector<std::string>{"place", "item"}},
                                                {"value", std::string("v")},
                                                {"rank", int64_t{2}},
                                                {"max_iter", int64_t{20}}});
  const Output output = kKernel.run(inputs, values, comm, {});
  ASSERT_EQ(output.columns.size(), kKernel.spec.output.size());
  for (size_t c = 0; c < output.columns.size(); ++c) EXPECT_EQ(output.columns[c].name, kKernel.spec.output[c].name);
  ASSERT_EQ(output.columns[2].width, 2);
  std::vector<std::pair<std::string, std::vector<double>>> mine;
  for (size_t row = 0; row < static_cast<size_t>(output.rows); ++row)
    mine.push_back({std::to_string(static_cast<const int64_t*>(output.columns[0].values)[row]) + " " +
                        std::string(output.columns[1].strings[row]),
                    {static_cast<const double*>(output.columns[2].values)[2 * row],
                     static_cast<const double*>(output.columns[2].values)[2 * row + 1]}});
  std::map<std::string, std::vector<double>> rows;
  for (const auto& [key, factor] : gather_rows(mine, comm)) rows[key] = factor;
  ASSERT_EQ(rows.size(), 6u);
  const std::vector<double>& lambdas = output.figures.at("lambdas");
  EXPECT_GE(lambdas[0], lambdas[1]);
  const auto model = [&](const std::string& a, const std::string& b) {
    double sum = 0;
    for (size_t r = 0; r < 2; ++r) sum += lambdas[r] * rows.at("0 " + a)[r] * rows.at("1 " + b)[r];
    return sum;
  };
  EXPECT_NEAR(model("bob", "8"), 6.98, 0.05);  // the best of two components leaves out the least singular value
  EXPECT_NEAR(model("ann", "8"), 3.05, 0.05);
  EXPECT_NEAR(model("a name that is longer than the twenty", std::to_string(1LL << 60)), 4, 0.05);
  EXPECT_EQ(output.figures.at("duplicates"), std::vector<double>{1});
  EXPECT_EQ(output.figures.at("entries"), std::vector<double>{4});
  EXPECT_EQ(output.figures.at("sizes"), (std::vector<double>{3, 3}));
}

TEST(Cpd, RefusesWhatIsNoTensor) {
  Comm comm;
  const auto refused = [&](std::vector<MemoryColumn> columns, Exit code = Exit::kData,
                           Values given = {{"modes", std::vector<std::string>{"a", "b"}}}) {
    Inputs inputs;
    inputs["data"] = memory_table("data", std::move(columns), comm);
    return error_text(code, [&] { (void)kKernel.run(inputs, validate(kKernel.spec, given), comm, {}); });
  };
  const auto with = [&](std::vector<double> values) {
    return std::vector<MemoryColumn>{longs("a", {1, 2}), longs("b", {1, 2}), doubles("value", values)};
  };
  EXPECT_EQ(refused({longs("a", {1, 2}).with_nulls({1}), longs("b", {1, 2}), doubles("value", {1, 2})}),
            "data.a: expected no nulls, found 1. Filter them out before the call.");
  EXPECT_EQ(refused({longs("a", {1, 2}), longs("b", {1, 2}), doubles("value", {1, 2}).with_nulls({0})}),
            "data.value: expected finite numbers, found a null in row 1. Fill or drop them.");
  EXPECT_EQ(refused(with({1, std::nan("")})),
            "data.value: expected finite numbers, found NaN in row 2. Fill or drop them.");
  EXPECT_EQ(refused(with({std::numeric_limits<double>::infinity(), 1})),
            "data.value: expected finite numbers, found infinity in row 1. Fill or drop them.");
  EXPECT_EQ(refused(with({0, 0})), "data: expected at least one value other than 0, found none. Check the values.");
  EXPECT_EQ(refused(with({1e200, 1})),
            "data: expected values whose squares have a finite sum, found infinity. Scale the values.");
  EXPECT_EQ(refused({longs("a", {1, 1}), longs("b", {1, 1}), doubles("value", {1e308, 1e308})}),
            "data: expected rows of the same keys whose values have a finite sum, found inf. Scale the values.");
  EXPECT_EQ(refused({longs("a", {}), longs("b", {}), doubles("value", {})}),
            "data: expected at least one row, found 0 rows. Check the table, or the filter that made it.");
  EXPECT_EQ(refused(with({1, 1}), Exit::kArguments, {}),
            "modes: expected two or more columns of data, found none. Name them.");
  EXPECT_EQ(refused(with({1, 1}), Exit::kArguments, {{"modes", std::string("a")}}),
            "modes: expected 2 to 32 columns of data, found 1. Name more, or fewer.");
  EXPECT_EQ(refused(with({1, 1}), Exit::kArguments, {{"modes", std::vector<std::string>{"a", "a"}}}),
            "modes: expected different columns, found one twice. Leave it out.");
  EXPECT_EQ(
      refused(with({1, 1}), Exit::kArguments, {{"modes", std::vector<std::string>{"a", "b"}}, {"rank", int64_t{0}}}),
      "rank: expected a whole number in [1, 1000], found 0. Choose another rank.");
}

}  // namespace
}  // namespace sparkgap
