// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "table/seal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "table/crc32c.h"
#include "table/segment_writer.h"
#include "test/scratch.h"

namespace sparkgap {
namespace {

struct Seals : ::testing::Test {
  Seals() : arcs(write_arcs({3, 10, {{"vertex", Type::kInt32, ends, {}}}}, "in", scratch.path(), 0)) {}
  bool sealed(int64_t bound = 10) const { return sealed(arcs.path, arcs.crc32c, bound); }
  static bool sealed(const std::string& path, const std::string& crc32c, int64_t bound) {
    return is_sealed(MappedFile(path, "arcs"), crc32c, bound);
  }
  static constexpr int32_t ends[] = {1, 9, 4};
  Scratch scratch;
  Segment arcs;
};

TEST_F(Seals, AreOfTheChecksumAndTheBound) {
  EXPECT_TRUE(sealed());
  EXPECT_FALSE(sealed(9));
  EXPECT_FALSE(sealed(11));
  EXPECT_FALSE(sealed(arcs.path, "", 10)) << "not known";
  EXPECT_FALSE(sealed(arcs.path, "12345678", 10));
  EXPECT_FALSE(sealed(arcs.path, arcs.crc32c + "g", 10));
}

TEST_F(Seals, BreakWhenTheFileIsWrittenTo) {
  const std::string bytes = read_text(arcs.path);
  const int file = open(arcs.path.c_str(), O_WRONLY);
  ASSERT_EQ(pwrite(file, bytes.data(), 1, 0), 1);  // even the same
  close(file);
  EXPECT_FALSE(sealed());
}

TEST_F(Seals, StayWithFurtherNamesAndBreakInCopies) {
  std::filesystem::create_hard_link(arcs.path, scratch / "link");
  std::filesystem::copy_file(arcs.path, scratch / "copy");
  EXPECT_TRUE(sealed(scratch / "link", arcs.crc32c, 10));
  EXPECT_FALSE(sealed(scratch / "copy", arcs.crc32c, 10));
}

TEST_F(Seals, AreThoseOfThisUser) {
  if (geteuid() != 0) GTEST_SKIP() << "needs a file of another user";
  ASSERT_EQ(chown(arcs.path.c_str(), 12345, 12345), 0);
  EXPECT_FALSE(sealed());
}

TEST_F(Seals, AreNoneOfTables) {
  Output output;
  output.rows = 3;
  output.columns = {{"vertex", Type::kInt32, ends, {}}};
  const Segment table = write_segments(output, scratch.path(), 0, kDefaultSegmentBytes).at(0);
  EXPECT_FALSE(sealed(table.path, table.crc32c, 10));
}

}  // namespace
}  // namespace sparkgap
