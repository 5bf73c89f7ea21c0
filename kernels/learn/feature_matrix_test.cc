// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "learn/feature_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>

#include "spec/table_reader.h"
#include "test/arrow_file.h"
#include "test/error_text.h"
#include "test/scratch.h"

namespace sparkgap {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// What a column of vectors is made of, and a table of it in batches of three rows.
struct Vectors {
  struct Row {
    std::vector<int32_t> indices = {};  ///< a sparse one; then `values` belong to them
    std::vector<double> values = {};
    int32_t size = -1;  ///< of a sparse one
    int8_t form = 1;
  };
  std::vector<Row> rows;
  std::vector<int8_t> forms;
  std::vector<int32_t> sizes, index_ends{0}, value_ends{0}, indices;
  std::vector<double> values;
  Table table{.name = "rows", .column_names = {"features"}, .types = {Type::kStruct}};

  explicit Vectors(std::vector<Row> from) : rows(std::move(from)) {
    for (const Row& row : rows) {
      forms.push_back(row.size >= 0 ? int8_t{0} : row.form);
      sizes.push_back(row.size);
      indices.insert(indices.end(), row.indices.begin(), row.indices.end());
      values.insert(values.end(), row.values.begin(), row.values.end());
      index_ends.push_back(static_cast<int32_t>(indices.size()));
      value_ends.push_back(static_cast<int32_t>(values.size()));
    }
    for (size_t first = 0; first < rows.size(); first += 3) {
      const auto at = static_cast<int64_t>(first);
      const ColumnView index_list{.type = Type::kArray,
                                  .offsets = index_ends.data(),
                                  .offset = at,
                                  .children = {{.type = Type::kInt32, .values = indices.data()}}};
      const ColumnView value_list{.type = Type::kArray,
                                  .offsets = value_ends.data(),
                                  .offset = at,
                                  .children = {{.type = Type::kFloat64, .values = values.data()}}};
      const ColumnView form{.type = Type::kInt8, .values = forms.data(), .offset = at},
          size{.type = Type::kInt32, .values = sizes.data(), .offset = at};
      table.batches.push_back(
          {std::min<int64_t>(3, static_cast<int64_t>(rows.size()) - at),
           {{.type = Type::kStruct, .offset = at, .children = {form, size, index_list, value_list}}}});
    }
    table.rows = table.rows_global = static_cast<int64_t>(rows.size());
  }
};

std::vector<std::vector<double>> all_rows(const FeatureMatrix& features, int64_t begin, int64_t end, int64_t block,
                                          FeatureMatrix::Pass pass = FeatureMatrix::Pass::kOneOfMany) {
  std::vector<std::vector<double>> all;
  const auto add = [&](int64_t row, int64_t n, const double* x) {
    EXPECT_EQ(row, begin + static_cast<int64_t>(all.size()));
    EXPECT_LE(n, block);
    for (int64_t i = 0; i < n; ++i) all.emplace_back(x + i * features.width(), x + (i + 1) * features.width());
  };
  features.for_blocks(begin, end, block, add, pass);
  return all;
}

/// Row by row, the zeroes filled in here.
std::vector<std::vector<double>> filled_rows(const FeatureMatrix& features, int64_t begin, int64_t end) {
  std::vector<std::vector<double>> all;
  features.for_rows(begin, end, [&](int64_t row, int64_t n, const int32_t* index, const double* value) {
    EXPECT_EQ(row, begin + static_cast<int64_t>(all.size()));
    all.emplace_back(features.width());
    for (int64_t i = 0; i < n; ++i) all.back()[static_cast<size_t>(index == nullptr ? i : index[i])] = value[i];
  });
  return all;
}

TEST(FeatureMatrix, DenseAndSparseVectors) {
  const Vectors made({{.values = {1, 2, 3}},
                      {.values = {4, 5, 6}},
                      {.values = {7, 8, 9}},  // read where they are
                      {.indices = {1}, .values = {5}, .size = 3},
                      {.values = {0, 1, 0}},
                      {.size = 3},  // filled
                      {.indices = {0, 2}, .values = {1, -1}, .size = 3}});
  Comm comm;
  const FeatureMatrix features(made.table, 0, 1, comm);
  ASSERT_EQ(features.width(), 3);
  const std::vector<std::vector<double>> expected{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {0, 5, 0},
                                                  {0, 1, 0}, {0, 0, 0}, {1, 0, -1}};
  for (const int64_t block : {1, 2, 100}) EXPECT_EQ(all_rows(features, 0, 7, block), expected) << block;
  EXPECT_EQ(all_rows(features, 2, 5, 2), (std::vector<std::vector<double>>{{7, 8, 9}, {0, 5, 0}, {0, 1, 0}}));
  EXPECT_TRUE(all_rows(features, 4, 4, 2).empty());
  EXPECT_EQ(filled_rows(features, 0, 7), expected);
  EXPECT_EQ(filled_rows(features, 1, 5), std::vector<std::vector<double>>(expected.begin() + 1, expected.begin() + 5));
  int64_t entries = 0;
  features.for_rows(3, 6, [&](int64_t, int64_t n, const int32_t*, const double*) { entries += n; });
  EXPECT_EQ(entries, 1 + 3 + 0);
  EXPECT_FALSE(features.is_sparse());
  const Vectors few({{.indices = {1}, .values = {5}, .size = 9}, {.size = 9}});
  EXPECT_TRUE(FeatureMatrix(few.table, 0, 1, comm).is_sparse());
  features.for_blocks(0, 3, 3, [&](int64_t, int64_t, const double* x) { EXPECT_EQ(x, made.values.data()); });
}

TEST(FeatureMatrix, RowsThatAreReadButOnceAreCopied) {
  Scratch scratch;
  std::vector<std::optional<std::string>> lists, others;
  std::vector<std::vector<double>> expected;
  for (int i = 0; i < 100; ++i) {
    lists.push_back(std::to_string(i) + " 0.5");
    others.push_back("7 7");
    expected.push_back({static_cast<double>(i), 0.5});
  }
  const auto write = [&](const std::string& name, const auto& cells) {
    write_arrow_file(scratch / name, {{"list", NANOARROW_TYPE_LIST, cells, true}}, 30);
  };
  write("a.arrow", lists);
  write("b.arrow", lists);
  const Table table =
      read_table("rows", {{"", scratch / "a.arrow"}, {"", scratch / "b.arrow"}}, {{"list", "features"}}, {0, 1});
  Comm comm;
  const FeatureMatrix features(table, 0, 1, comm);
  const std::vector<std::vector<double>> twice = [&] {
    std::vector<std::vector<double>> all = expected;
    all.insert(all.end(), expected.begin(), expected.end());
    return all;
  }();
  const auto rows = [&](int64_t block) { return all_rows(features, 0, 200, block, FeatureMatrix::Pass::kOnly); };
  for (const int64_t block : {1, 7, 64, 1000}) EXPECT_EQ(rows(block), twice) << block;
  const auto in_mapping = [&](const double* x) {
    return std::any_of(table.batches.begin(), table.batches.end(),
                       [&](const Batch& batch) { return batch.file->holds(x, 8); });
  };
  features.for_blocks(0, 200, 64, [&](int64_t, int64_t, const double* x) { EXPECT_TRUE(in_mapping(x)); });
  features.for_blocks(
      0, 200, 64, [&](int64_t, int64_t, const double* x) { EXPECT_FALSE(in_mapping(x)); }, FeatureMatrix::Pass::kOnly);
  // What is mapped stays when its file is another one, or none.
  std::filesystem::remove(scratch / "a.arrow");
  std::filesystem::remove(scratch / "b.arrow");
  write("a.arrow", others);
  EXPECT_EQ(rows(64), twice);
}

TEST(FeatureMatrix, WhatIsNoVector) {
  const auto refused = [](std::vector<Vectors::Row> rows) {
    const Vectors made(std::move(rows));
    Comm comm;
    return error_text(Exit::kData, [&] {
      const FeatureMatrix features(made.table, 0, 1, comm);
      filled_rows(features, 0, features.rows());
    });
  };
  const std::string where = "rows.features: ";
  EXPECT_EQ(refused({{.values = {1, 2}}, {.values = {1, 2}}, {.values = {1}}}),
            where + "expected 2 features as in the rows before, found 1 in row 3. Make them equally long.");
  EXPECT_EQ(refused({{.values = {1, 2}}, {.size = 3}}),
            where + "expected 2 features as in the rows before, found 3 in row 2. Make them equally long.");
  for (const Vectors::Row& bad : {Vectors::Row{.indices = {2}, .values = {1}, .size = 2},
                                  {.indices = {-1}, .values = {1}, .size = 2},
                                  {.indices = {1, 1}, .values = {1, 2}, .size = 2},
                                  {.indices = {1, 0}, .values = {1, 2}, .size = 2},
                                  {.indices = {0, 1}, .values = {1}, .size = 2}})
    EXPECT_EQ(refused({{.values = {1, 2}}, bad}), where +
                                                      "expected indices of a sparse vector that ascend within its "
                                                      "size, found others in row 2. Make the vector anew.");
  EXPECT_EQ(refused({{.values = {1, 2}, .form = 7}}),
            where + "expected vectors, found something else in row 1. Name a column of vectors.");
  EXPECT_EQ(refused({{.values = {1, 2}}, {.values = {0, 0}}, {.values = {0, 0}}, {.values = {0, kNan}}}),
            where + "expected finite numbers, found NaN in row 4. Fill or drop them.");
  EXPECT_EQ(refused({{.values = {1, 2}}, {.indices = {1}, .values = {-1e308 * 10}, .size = 2}}),
            where + "expected finite numbers, found infinity in row 2. Fill or drop them.");
}

TEST(FeatureMatrix, ArraysAndColumnsOfAFile) {
  Scratch scratch;
  std::vector<std::optional<std::string>> lists, whole, real;
  std::vector<std::vector<double>> expected_lists, expected_columns;
  for (int i = 0; i < 20; ++i) {
    lists.push_back(std::to_string(i) + " " + std::to_string(i * i) + " 0.5");
    whole.push_back(std::to_string(i));
    real.push_back(std::to_string(i) + ".25");
    expected_lists.push_back({static_cast<double>(i), static_cast<double>(i * i), 0.5});
    expected_columns.push_back({static_cast<double>(i), i + 0.25, static_cast<double>(i)});
  }
  const auto read = [&](const std::vector<ColumnRequest>& columns) {
    return read_table("rows", {{"", scratch / "a.arrow"}}, columns, {0, 1});
  };
  const auto write = [&] {
    write_arrow_file(scratch / "a.arrow",
                     {{"list", NANOARROW_TYPE_LIST, lists, true},
                      {"whole", NANOARROW_TYPE_INT16, whole},
                      {"real", NANOARROW_TYPE_FLOAT, real},
                      {"x", NANOARROW_TYPE_STRUCT, whole}},
                     7);
  };
  write();
  Comm comm;
  const Table table = read({{"list", "features"}});
  EXPECT_EQ(all_rows(FeatureMatrix(table, 0, 1, comm), 0, 20, 4), expected_lists);
  EXPECT_EQ(filled_rows(FeatureMatrix(table, 0, 1, comm), 0, 20), expected_lists);
  for (const int part : {0, 1, 2}) {
    const Table share = read_table("rows", {{"", scratch / "a.arrow"}}, {{"list", "features"}}, {part, 3});
    const int64_t first = 20 * part / 3;
    const std::vector<std::vector<double>> mine(expected_lists.begin() + first,
                                                expected_lists.begin() + first + share.rows);
    EXPECT_EQ(all_rows(FeatureMatrix(share, 0, 1, comm), 0, share.rows, 4), mine);
  }
  const Table columns = read({{"whole", "features"}, {"real", "features"}, {"whole", "number"}});
  EXPECT_EQ(all_rows(FeatureMatrix(columns, 0, 3, comm), 0, 20, 4), expected_columns);
  EXPECT_EQ(error_text(Exit::kData, [&] { (void)read({{"x", "features"}}); }),
            "rows.x: expected numbers (integer, float or double), arrays of numbers or vectors, found struct. Cast the "
            "column or name another.");
  real[9].reset();
  lists[12].reset();
  write();
  for (const std::string& name : {std::string("list"), std::string("real")}) {
    const Table nulls = read({{name, "features"}});
    EXPECT_EQ(error_text(Exit::kData, [&] { FeatureMatrix(nulls, 0, 1, comm); }),
              "rows." + name + ": expected no nulls, found one in row " + (name == "list" ? "13" : "10") +
                  ". Fill or drop them.");
  }
}

}  // namespace
}  // namespace sparkgap
