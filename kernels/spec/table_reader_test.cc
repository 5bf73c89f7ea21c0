// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "spec/table_reader.h"

#include <gtest/gtest.h>

#include "buffers/mapped_file.h"
#include "table/crc32c.h"
#include "table/segment_reader.h"
#include "test/arrow_file.h"
#include "test/error_text.h"
#include "test/scratch.h"

namespace sparkgap {
namespace {

const std::vector<ColumnRequest> kSrc{{"src", "id"}};

std::vector<std::optional<std::string>> numbers(int64_t first, int64_t last) {
  std::vector<std::optional<std::string>> cells;
  for (int64_t i = first; i < last; ++i) cells.push_back(std::to_string(i));
  return cells;
}

std::vector<int64_t> values(const Table& table, size_t column = 0) {
  std::vector<int64_t> all;
  for (const Batch& batch : table.batches)
    for (int64_t i = 0; i < batch.rows; ++i) all.push_back(batch.columns[column].data<int64_t>()[i]);
  return all;
}

// Two segments of 10 and 7 rows, 0..16, in batches of 4.
struct Files : ::testing::Test {
  Files() {
    write_arrow_file(scratch / "a.arrow",
                     {{"src", NANOARROW_TYPE_INT64, numbers(0, 10)}, {"other", NANOARROW_TYPE_INT64, numbers(0, 10)}},
                     4);
    write_arrow_file(scratch / "b.arrow",
                     {{"other", NANOARROW_TYPE_INT64, numbers(0, 7)}, {"src", NANOARROW_TYPE_INT64, numbers(10, 17)}},
                     4);
    segments = {{"", scratch / "a.arrow"}, {"", scratch / "b.arrow"}};
  }
  Scratch scratch;
  std::vector<Segment> segments;
};

TEST_F(Files, EveryShareHasItsRowsInOrder) {
  for (int parts = 1; parts <= 20; ++parts) {
    std::vector<int64_t> all;
    for (int part = 0; part < parts; ++part) {
      const Table table = read_table("edges", segments, kSrc, {part, parts});
      EXPECT_EQ(table.rows_global, 17);
      EXPECT_NEAR(static_cast<double>(table.rows), 17.0 / parts, 1);
      EXPECT_EQ(table.types, std::vector<Type>{Type::kInt64}) << "even without rows";
      const auto mine = values(table);
      EXPECT_EQ(static_cast<int64_t>(mine.size()), table.rows);
      for (const Batch& batch : table.batches) EXPECT_GT(batch.rows, 0);
      all.insert(all.end(), mine.begin(), mine.end());
    }
    std::vector<int64_t> expected(17);
    for (int64_t i = 0; i < 17; ++i) expected[static_cast<size_t>(i)] = i;
    EXPECT_EQ(all, expected) << parts;
  }
}

TEST_F(Files, ColumnsComeInTheAskedOrder) {
  const Table table = read_table("edges", segments, {{"other", "number"}, {"src", "id"}}, {0, 1});
  EXPECT_EQ(table.column_names, (std::vector<std::string>{"other", "src"}));
  EXPECT_EQ(values(table, 0)[12], 2);
  EXPECT_EQ(values(table, 1)[12], 12);
}

TEST_F(Files, NothingIsCopied) {
  const MappedFile file(scratch / "a.arrow", "edges");
  const SegmentContent content = read_segment(file, "edges");
  ASSERT_EQ(content.batches.size(), 3u);
  for (const SegmentBatch& batch : content.batches)
    for (const ColumnView& view : batch.columns) EXPECT_TRUE(file.holds(view.values, batch.rows * 8));
}

TEST_F(Files, MissingColumnsAreNamedWithThoseThatExist) {
  EXPECT_EQ(error_text(Exit::kData, [&] { (void)read_table("edges", segments, {{"from", "id"}}, {0, 1}); }),
            "edges.from: expected a column of this name, found columns src, other. Name one of the columns of edges.");
}

TEST_F(Files, ChecksWhatTheManifestSays) {
  segments[0].rows = 11;
  EXPECT_NE(
      error_text(Exit::kData, [&] { (void)read_table("edges", segments, kSrc, {0, 1}); }).find("expected 11 rows in"),
      std::string::npos);
  segments[0].rows = 10;
  segments[0].bytes = 5;
  EXPECT_NE(
      error_text(Exit::kData, [&] { (void)read_table("edges", segments, kSrc, {0, 1}); }).find("expected 5 bytes in"),
      std::string::npos);
  segments[0].bytes = -1;
  const std::string bytes = read_text(scratch / "a.arrow");
  segments[0].crc32c = crc32c_text(crc32c(0, bytes.data(), bytes.size()));
  EXPECT_EQ(read_table("edges", segments, kSrc, {0, 1}, true).rows, 17);
  segments[0].crc32c = "00000000";
  EXPECT_EQ(read_table("edges", segments, kSrc, {0, 1}).rows, 17) << "checked on request only";
  EXPECT_NE(error_text(Exit::kData, [&] { (void)read_table("edges", segments, kSrc, {0, 1}, true); })
                .find("CRC-32C 00000000"),
            std::string::npos);
}

TEST_F(Files, TypesMustBeAccepted) {
  write_arrow_file(scratch / "c.arrow",
                   {{"text", NANOARROW_TYPE_STRING, {"x"}},
                    {"real", NANOARROW_TYPE_DOUBLE, {"1.5"}},
                    {"wide", NANOARROW_TYPE_UINT64, {"1"}},
                    {"long", NANOARROW_TYPE_LARGE_STRING, {"x"}},
                    {"small", NANOARROW_TYPE_INT8, {"1"}},
                    {"single", NANOARROW_TYPE_FLOAT, {"2"}}},
                   9);
  const std::vector<Segment> c{{"", scratch / "c.arrow"}};
  auto refused = [&](const char* name, const char* accepts) {
    return error_text(Exit::kData, [&] { (void)read_table("edges", c, {{name, accepts}}, {0, 1}); });
  };
  EXPECT_EQ(refused("real", "id"),
            "edges.real: expected integers or strings, found double. Cast the column or name another.");
  EXPECT_EQ(refused("text", "number"),
            "edges.text: expected numbers (integer, float or double), found string. Cast the column or name another.");
  EXPECT_EQ(refused("wide", "id"),
            "edges.wide: expected integers or strings, found Arrow type uint64. Cast the column or name another.");
  EXPECT_NE(refused("long", "id").find("found Arrow type large_string"), std::string::npos);
  const Table table =
      read_table("edges", c, {{"text", "id"}, {"small", "id"}, {"single", "number"}, {"real", "number"}}, {0, 1});
  EXPECT_EQ(table.types, (std::vector<Type>{Type::kString, Type::kInt8, Type::kFloat32, Type::kFloat64}));
  EXPECT_EQ(table.batches[0].columns[0].string(0), "x");
  EXPECT_EQ(table.batches[0].columns[2].data<float>()[0], 2.0f);

  write_arrow_file(scratch / "d.arrow", {{"src", NANOARROW_TYPE_INT32, {"1"}}}, 9);
  segments.push_back({"", scratch / "d.arrow"});
  const Table mixed = read_table("edges", segments, kSrc, {0, 1});
  EXPECT_EQ(mixed.types, std::vector<Type>{Type::kInt64});
  EXPECT_EQ(mixed.batches.back().columns[0].data<int32_t>()[0], 1);
  write_arrow_file(scratch / "e.arrow", {{"src", NANOARROW_TYPE_STRING, {"1"}}}, 9);
  segments.push_back({"", scratch / "e.arrow"});
  EXPECT_NE(error_text(Exit::kData, [&] { (void)read_table("edges", segments, kSrc, {0, 1}); })
                .find("expected one type in all segments, found bigint and string"),
            std::string::npos);
}

TEST_F(Files, NullsAndStringsInSlices) {
  std::vector<std::optional<std::string>> names, weights;
  for (int i = 0; i < 30; ++i) {
    names.push_back(i % 4 == 1
                        ? std::nullopt
                        : std::optional(std::string(static_cast<size_t>(i % 5), static_cast<char>('a' + i % 26))));
    weights.push_back(i < 16 ? std::optional<std::string>("1") : std::nullopt);
  }
  write_arrow_file(scratch / "n.arrow",
                   {{"name", NANOARROW_TYPE_STRING, names}, {"weight", NANOARROW_TYPE_DOUBLE, weights}}, 16);
  for (const int parts : {1, 3, 7}) {
    size_t at = 0;
    for (int part = 0; part < parts; ++part) {
      const Table table =
          read_table("edges", {{"", scratch / "n.arrow"}}, {{"name", "id"}, {"weight", "number"}}, {part, parts});
      for (const Batch& batch : table.batches)
        for (int64_t i = 0; i < batch.rows; ++i, ++at) {
          EXPECT_EQ(batch.columns[0].is_null(i), !names[at]) << at;
          EXPECT_EQ(names[at] ? batch.columns[0].string(i) : "", names[at].value_or(""));
          EXPECT_EQ(batch.columns[1].is_null(i), !weights[at]);
        }
      EXPECT_TRUE(part > 0 || table.batches[0].columns[1].validity == nullptr) << "no null in the first batch";
    }
    EXPECT_EQ(at, names.size());
  }
}

TEST_F(Files, ArraysAndStructsAreSteppedOver) {
  std::vector<std::optional<std::string>> counts, texts;
  for (int i = 0; i < 30; ++i) {
    counts.push_back(i % 4 == 1 ? std::nullopt : std::optional(std::to_string(i % 5)));
    texts.push_back("v" + std::to_string(i));
  }
  write_arrow_file(scratch / "n.arrow",
                   {{"tags", NANOARROW_TYPE_LIST, counts},
                    {"src", NANOARROW_TYPE_INT64, numbers(0, 30)},
                    {"point", NANOARROW_TYPE_STRUCT, counts},
                    {"more", NANOARROW_TYPE_LIST, counts},
                    {"name", NANOARROW_TYPE_STRING, texts}},
                   16);
  const std::vector<Segment> n{{"", scratch / "n.arrow"}};
  for (const int parts : {1, 3}) {
    int64_t at = 0;
    for (int part = 0; part < parts; ++part)
      for (const Batch& batch : read_table("edges", n, {{"name", "id"}, {"src", "id"}}, {part, parts}).batches)
        for (int64_t i = 0; i < batch.rows; ++i, ++at) {
          EXPECT_EQ(batch.columns[0].string(i), "v" + std::to_string(at));
          EXPECT_EQ(batch.columns[1].data<int64_t>()[i], at);
        }
    EXPECT_EQ(at, 30);
  }
  auto refused = [&](const char* name, const char* accepts) {
    return error_text(Exit::kData, [&] { (void)read_table("edges", n, {{name, accepts}}, {0, 1}); });
  };
  EXPECT_EQ(refused("tags", "id"),
            "edges.tags: expected integers or strings, found array. Cast the column or name another.");
  EXPECT_EQ(refused("point", "number"),
            "edges.point: expected numbers (integer, float or double), found struct. Cast the column or name another.");
  EXPECT_NE(refused("x", "id").find("found columns tags, src, point, more, name"), std::string::npos)
      << "fields are no columns";
}

TEST_F(Files, NoRowsAndNoSegments) {
  write_arrow_file(scratch / "empty.arrow", {{"src", NANOARROW_TYPE_STRING, {}}}, 4);
  const Table empty = read_table("edges", {{"", scratch / "empty.arrow"}}, kSrc, {0, 2});
  EXPECT_EQ(empty.rows_global, 0);
  EXPECT_EQ(empty.types, std::vector<Type>{Type::kString});
  const Table none = read_table("edges", {}, kSrc, {1, 2});
  EXPECT_EQ(none.rows, 0);
  EXPECT_EQ(none.types.size(), 1u);
}

TEST_F(Files, MissingFilesAreData) {
  EXPECT_NE(error_text(Exit::kData, [&] { (void)read_table("edges", {{"", scratch / "gone.arrow"}}, kSrc, {0, 1}); })
                .find("No such file"),
            std::string::npos);
  EXPECT_NE(error_text(Exit::kData, [&] { (void)read_table("edges", {{"", scratch.path()}}, kSrc, {0, 1}); })
                .find("no regular file"),
            std::string::npos);
}

}  // namespace
}  // namespace sparkgap
