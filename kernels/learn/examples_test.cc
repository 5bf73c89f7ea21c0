// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "learn/examples.h"

#include <gtest/gtest.h>

#include <cmath>

#include "test/error_text.h"
#include "test/memory_table.h"
#include "test/test_comm.h"

namespace sparkgap {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string refused(std::vector<double> y, std::vector<double> w) {
  Comm comm;
  const Table table =
      memory_table("data", {doubles("a", std::vector<double>(y.size(), 1)), doubles("y", y), doubles("w", w)}, comm, 2);
  return error_text(Exit::kData, [&] { const Examples examples(table, 1, true, true, comm); });
}

TEST(Examples, FeaturesLabelsAndWeightsOfTheSameRow) {
  Comm& comm = test_comm();
  std::vector<int64_t> a;
  std::vector<double> b, y, w;
  for (int i = 0; i < 50; ++i) a.push_back(i), b.push_back(i + 0.5), y.push_back(-i), w.push_back(2 * i);
  const Table table = memory_table("data", {longs("a", a), doubles("b", b), doubles("y", y), doubles("w", w)}, comm, 7);
  const Examples both(table, 2, true, true, comm), weight(table, 3, false, true, comm);
  ASSERT_EQ(both.rows(), table.rows);
  ASSERT_EQ(both.width(), 2);
  ASSERT_EQ(weight.width(), 3);
  const auto first = static_cast<double>(cut(50, comm.size(), comm.rank()));
  for (const int64_t begin : {0, 3}) {
    int64_t next = begin;
    both.for_blocks(begin, table.rows, 4,
                    [&](int64_t row, int64_t n, const double* x, const double* label, const double* weights) {
                      EXPECT_EQ(row, next);
                      for (int64_t i = 0; i < n; ++i) {
                        const double id = first + static_cast<double>(row + i);
                        EXPECT_EQ(std::vector<double>({x[2 * i], x[2 * i + 1], label[i], weights[i]}),
                                  std::vector<double>({id, id + 0.5, -id, 2 * id}));
                      }
                      next += n;
                    });
    EXPECT_EQ(next, table.rows);
  }
  const Buffer<double> labels = both.labels(), weights = weight.weights();
  for (int64_t row = 0; row < table.rows; ++row) {
    EXPECT_EQ(labels[static_cast<size_t>(row)], -first - static_cast<double>(row));
    EXPECT_EQ(weights[static_cast<size_t>(row)], 2 * (first + static_cast<double>(row)));
  }
  EXPECT_TRUE(weight.labels().empty());
  weight.for_blocks(0, table.rows, 4, [&](int64_t, int64_t, const double*, const double* label, const double*) {
    EXPECT_EQ(label, nullptr);
  });
}

TEST(Examples, WhatIsNoLabelAndNoWeight) {
  EXPECT_EQ(refused({1, 2, std::nan("")}, {1, 1, 1}),
            "data.y: expected finite numbers, found NaN in row 3. Fill or drop them.");
  EXPECT_EQ(refused({1, 2, 3}, {1, -kInfinity, 1}),
            "data.w: expected finite numbers of at least 0, found infinity in row 2. Fill or drop them.");
  EXPECT_EQ(refused({1, 2, 3}, {-1, 1, 1}),
            "data.w: expected finite numbers of at least 0, found -1.000000 in row 1. Fill or drop them.");
  Comm comm;
  const Table nulls = memory_table("data", {doubles("a", {1, 2}), doubles("y", {1, 2}).with_nulls({1})}, comm);
  EXPECT_EQ(error_text(Exit::kData, [&] { const Examples examples(nulls, 1, true, false, comm); }),
            "data.y: expected finite numbers, found a null in row 2. Fill or drop them.");
}

TEST(Examples, SeveralColumnsHoldNumbers) {
  Comm comm;
  Table table = memory_table("data", {doubles("a", {1, 2}), doubles("v", {1, 2})}, comm);
  table.types[1] = Type::kStruct;
  EXPECT_EQ(error_text(Exit::kData, [&] { const Examples examples(table, 2, false, false, comm); }),
            "data.v: expected numbers, as there are several columns of features, found struct. Name it alone, or "
            "columns of numbers.");
}

}  // namespace
}  // namespace sparkgap
