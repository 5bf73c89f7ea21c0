// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "table/segment_writer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <sys/mount.h>
#include <unistd.h>

#include "table/crc32c.h"
#include "table/segment_plan.h"
#include "table/segment_reader.h"
#include "test/error_text.h"
#include "test/scratch.h"

namespace sparkgap {
namespace {

// Rows 0..n-1: their number, half of it, whether it is odd and its digits.
struct Result {
  explicit Result(int64_t n) : ids(static_cast<size_t>(n)), halves(ids.size()), odd(ids.size()), digits(ids.size()) {
    output.rows = n;
    for (size_t i = 0; i < ids.size(); ++i) {
      ids[i] = static_cast<int64_t>(i);
      halves[i] = 0.5 * static_cast<double>(i);
      odd[i] = i % 2;
      digits[i] = std::to_string(i);
    }
    output.columns = {{"id", Type::kInt64, ids.data(), {}},
                      {"half", Type::kFloat64, halves.data(), {}},
                      {"odd", Type::kBool, odd.data(), {}},
                      {"digits", Type::kString, nullptr, {digits.begin(), digits.end()}}};
  }
  std::vector<int64_t> ids;
  std::vector<double> halves;
  std::vector<uint8_t> odd;
  std::vector<std::string> digits;
  Output output;
};

void expect_round_trip(const std::vector<Segment>& segments, int64_t rows) {
  int64_t at = 0;
  for (const Segment& segment : segments) {
    const std::string bytes = read_text(segment.path);
    EXPECT_EQ(static_cast<int64_t>(bytes.size()), segment.bytes);
    EXPECT_EQ(crc32c_text(crc32c(0, bytes.data(), bytes.size())), segment.crc32c);
    const MappedFile file(segment.path, "result");
    const SegmentContent content = read_segment(file, "result");
    EXPECT_EQ(content.rows, segment.rows);
    EXPECT_GE(content.batches.size(), 1u);
    EXPECT_EQ(content.columns[3].name, "digits");
    for (const SegmentBatch& batch : content.batches) {
      EXPECT_LE(batch.rows, kMaxBatchRows);
      for (const ColumnView& view : batch.columns) {
        EXPECT_EQ(view.validity, nullptr);
        EXPECT_EQ((static_cast<const uint8_t*>(view.values) - file.data()) % 64, 0) << "alignment within the file";
        if (view.offsets != nullptr) {
          EXPECT_EQ((reinterpret_cast<const uint8_t*>(view.offsets) - file.data()) % 64, 0);
        }
      }
      EXPECT_TRUE(offsets_are_sound(batch.columns[3], batch.rows));
      for (int64_t i = 0; i < batch.rows; ++i, ++at) {
        ASSERT_EQ(batch.columns[0].data<int64_t>()[i], at);
        ASSERT_EQ(batch.columns[1].data<double>()[i], 0.5 * static_cast<double>(at));
        ASSERT_EQ((static_cast<const uint8_t*>(batch.columns[2].values)[i / 8] >> (i % 8)) & 1, at % 2);
        ASSERT_EQ(batch.columns[3].string(i), std::to_string(at));
      }
    }
  }
  EXPECT_EQ(at, rows);
}

TEST(SegmentWriter, RoundTrip) {
  for (const int64_t rows : {int64_t{1}, int64_t{13}, kMaxBatchRows, kMaxBatchRows + 1}) {
    Scratch scratch;
    const Result result(rows);
    const auto segments = write_segments(result.output, scratch.path(), 3, kDefaultSegmentBytes);
    ASSERT_EQ(segments.size(), 1u);
    EXPECT_EQ(segments[0].path, scratch / "rank-00003-0.arrow");
    expect_round_trip(segments, rows);
  }
}

TEST(SegmentWriter, ArraysGoRoundTrip) {
  const int64_t rows = kMaxBatchRows + 1000, width = 3;
  std::vector<double> numbers(static_cast<size_t>(rows * width));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = 0.5 * static_cast<double>(i);
  Output output;
  output.rows = rows;
  output.columns = {{.name = "triple", .type = Type::kArray, .values = numbers.data(), .strings = {}, .width = width}};
  for (const int64_t segment_bytes : {kDefaultSegmentBytes, int64_t{3000000}}) {
    Scratch scratch;
    const auto segments = write_segments(output, scratch.path(), 0, segment_bytes);
    EXPECT_EQ(segments.size() > 1, segment_bytes < kDefaultSegmentBytes);
    int64_t at = 0;
    for (const Segment& segment : segments) {
      EXPECT_LE(segment.bytes, segment_bytes);
      const MappedFile file(segment.path, "result");
      for (const SegmentBatch& batch : read_segment(file, "result").batches) {
        const ColumnView& triples = batch.columns.at(0);
        ASSERT_TRUE(offsets_are_sound(triples, batch.rows));
        EXPECT_EQ(triples.children.at(0).validity, nullptr);
        for (int64_t i = 0; i < batch.rows; ++i) {
          ASSERT_EQ(triples.offsets[i + 1] - triples.offsets[i], width);
          for (int32_t e = triples.offsets[i]; e < triples.offsets[i + 1]; ++e, ++at)
            ASSERT_EQ(triples.children[0].data<double>()[e], 0.5 * static_cast<double>(at));
        }
      }
    }
    EXPECT_EQ(at, rows * width);
  }
}

TEST(SegmentWriter, NoRowsAreOneEmptyBatch) {
  Scratch scratch;
  const auto segments = write_segments(Result(0).output, scratch.path(), 0, kDefaultSegmentBytes);
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_EQ(segments[0].rows, 0);
  const MappedFile file(segments[0].path, "result");
  EXPECT_EQ(read_segment(file, "result").batches.size(), 1u);
}

TEST(SegmentWriter, RollsBeforeTheLimit) {
  Scratch scratch;
  const Result result(200000);
  for (const int64_t limit : {int64_t{100000}, int64_t{1000000}, int64_t{3000000}}) {
    const auto segments = write_segments(result.output, scratch.path(), 0, limit);
    EXPECT_GT(segments.size(), 1u);
    for (const Segment& segment : segments) EXPECT_LE(segment.bytes, limit);
    for (size_t i = 0; i + 1 < segments.size(); ++i) EXPECT_GT(segments[i].bytes, limit / 2) << "no tiny files";
    expect_round_trip(segments, 200000);
  }
  // A limit below any row: one row each, still right.
  expect_round_trip(write_segments(Result(5).output, scratch.path(), 0, 1), 5);
}

// A nullable number, boolean and string; every third row from `first_null` on is null.
struct NullableResult : Result {
  explicit NullableResult(int64_t n, int64_t first_null) : Result(n), valid(static_cast<size_t>(n), 1) {
    for (auto i = static_cast<size_t>(first_null); i < valid.size(); i += 3) valid[i] = 0;
    for (OutputColumn& column : output.columns)
      if (column.name != "id") column.nullable = true, column.validity = valid.data();
  }
  std::vector<uint8_t> valid;
};

TEST(SegmentWriter, NullsGoRoundTrip) {
  const int64_t rows = kMaxBatchRows + 1000;
  for (const int64_t first_null : {int64_t{0}, int64_t{5}, kMaxBatchRows + 3, rows})
    for (const int64_t segment_bytes : {kDefaultSegmentBytes, int64_t{3000000}}) {
      SCOPED_TRACE(testing::Message() << "first null " << first_null << " segment bytes " << segment_bytes);
      Scratch scratch;
      const NullableResult result(rows, first_null);
      const auto segments = write_segments(result.output, scratch.path(), 0, segment_bytes);
      int64_t at = 0;
      for (const Segment& segment : segments) {
        if (segments.size() > 1) {
          EXPECT_LE(segment.bytes, segment_bytes);
        }
        const MappedFile file(segment.path, "result");
        const SegmentContent content = read_segment(file, "result");
        for (const SegmentBatch& batch : content.batches) {
          const bool nulls = std::find(result.valid.begin() + at, result.valid.begin() + at + batch.rows, 0) !=
                             result.valid.begin() + at + batch.rows;
          EXPECT_EQ(batch.columns[0].validity, nullptr) << "not nullable";
          for (size_t c = 1; c < 4; ++c) {
            ASSERT_EQ(batch.columns[c].validity != nullptr, nulls) << "no bitmap without nulls";
            if (nulls) {
              EXPECT_EQ((batch.columns[c].validity - file.data()) % 64, 0) << "alignment within the file";
            }
          }
          for (int64_t i = 0; i < batch.rows; ++i, ++at) {
            const bool null = result.valid[static_cast<size_t>(at)] == 0;
            for (size_t c = 1; c < 4; ++c) ASSERT_EQ(batch.columns[c].is_null(i), null);
            ASSERT_EQ(batch.columns[0].data<int64_t>()[i], at);
            if (!null) {
              ASSERT_EQ(batch.columns[1].data<double>()[i], 0.5 * static_cast<double>(at));
              ASSERT_EQ(batch.columns[3].string(i), std::to_string(at));
            }
          }
        }
      }
      EXPECT_EQ(at, rows);
    }
}

TEST(SegmentWriter, NullableWithoutNullsIsTheSameWithAndWithoutValidity) {
  Scratch scratch, other;
  NullableResult result(1000, 1000);
  const auto with = write_segments(result.output, scratch.path(), 0, kDefaultSegmentBytes);
  for (OutputColumn& column : result.output.columns) column.validity = nullptr;
  const auto without = write_segments(result.output, other.path(), 0, kDefaultSegmentBytes);
  EXPECT_EQ(with.at(0).crc32c, without.at(0).crc32c);
  for (OutputColumn& column : result.output.columns) column.nullable = false;
  EXPECT_NE(write_segments(result.output, other.path(), 1, kDefaultSegmentBytes).at(0).crc32c, with.at(0).crc32c)
      << "the schema tells";
}

TEST(SegmentPlan, FixedWidthNeverPassesTheLimit) {
  Output output;
  output.rows = 5000000;
  output.columns = {{"id", Type::kInt64, nullptr, {}}, {"rank", Type::kFloat64, nullptr, {}}};
  const auto plan = plan_segments(output, 40000000);
  int64_t at = 0;
  for (const auto& segment : plan) {
    int64_t rows = 0;
    for (const RowRange& range : segment) {
      EXPECT_EQ(range.first, at + rows);
      EXPECT_LE(range.rows, kMaxBatchRows);
      rows += range.rows;
    }
    EXPECT_LE(rows * 16, 40000000);
    at += rows;
  }
  EXPECT_EQ(at, output.rows);
}

TEST(SegmentWriter, FailuresNameTheDirectoryAndLeaveNothing) {
  Scratch scratch;
  const Result result(1000);
  const std::string gone = scratch / "gone";
  const std::string text =
      error_text(Exit::kNoRoom, [&] { (void)write_segments(result.output, gone, 0, kDefaultSegmentBytes); });
  EXPECT_EQ(text.find(gone + ": expected room to write "), 0u) << text;

  // The second segment cannot be made, so the first must go again.
  std::filesystem::create_directories(scratch / "rank-00000-1.arrow.part");
  (void)error_text(Exit::kNoRoom, [&] { (void)write_segments(result.output, scratch.path(), 0, 9000); });
  EXPECT_FALSE(std::filesystem::exists(scratch / "rank-00000-0.arrow"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "rank-00000-0.arrow.part"));
}

TEST(SegmentWriter, FullStore) {
  Scratch scratch;
  if (mount("tmpfs", scratch.path().c_str(), "tmpfs", 0, "size=64k") != 0) GTEST_SKIP() << "a small tmpfs needs root";
  const std::string text = error_text(
      Exit::kNoRoom, [&] { (void)write_segments(Result(100000).output, scratch.path(), 0, kDefaultSegmentBytes); });
  EXPECT_NE(text.find("found No space left on device with "), std::string::npos) << text;
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
  umount(scratch.path().c_str());
}

}  // namespace
}  // namespace sparkgap
