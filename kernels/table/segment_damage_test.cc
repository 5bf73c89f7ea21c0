// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
//
// Whatever happened to a file, reading it either works or throws Error(kData): it never crashes and no view leaves the
// file.
#include <gtest/gtest.h>

#include <random>

#include "fuzz/seed_file.h"
#include "process/error.h"
#include "spec/table_reader.h"
#include "table/segment_writer.h"
#include "test/arrow_file.h"
#include "test/error_text.h"
#include "test/scratch.h"

namespace sparkgap {
namespace {

// Reads all columns and touches every row. Returns whether the file was accepted.
bool read_all(const std::string& path) {
  try {
    const Table table = read_table("edges", {{"", path}}, {{"id", "id"}, {"name", "id"}, {"weight", "number"}}, {0, 1});
    volatile size_t sum = 0;
    for (const Batch& batch : table.batches)
      for (int64_t i = 0; i < batch.rows; ++i) {
        sum = sum + static_cast<size_t>(batch.columns[0].is_null(i)) + batch.columns[1].string(i).size();
        for (const char c : batch.columns[1].string(i)) sum = sum + static_cast<size_t>(c);
        if (table.types[0] == Type::kInt64) sum = sum + static_cast<size_t>(batch.columns[0].data<int64_t>()[i]);
      }
    return true;
  } catch (const Error& e) {
    EXPECT_EQ(static_cast<int>(e.code()), static_cast<int>(Exit::kData)) << e.what();
    return false;
  }
}

struct Damage : ::testing::Test {
  Damage() {
    std::vector<std::optional<std::string>> ids, names, weights, lists;
    for (int i = 0; i < 40; ++i) {
      ids.push_back(i % 7 == 3 ? std::nullopt : std::optional(std::to_string(i)));
      names.push_back("v" + std::to_string(i * i));
      weights.push_back("0.5");
      lists.push_back(i % 5 == 2 ? std::nullopt : std::optional(std::to_string(i % 3)));
    }
    write_arrow_file(scratch / "whole.arrow",
                     {{"id", NANOARROW_TYPE_INT64, ids},
                      {"list", NANOARROW_TYPE_LIST, lists},
                      {"name", NANOARROW_TYPE_STRING, names},
                      {"weight", NANOARROW_TYPE_DOUBLE, weights}},
                     16);
    whole = read_text(scratch / "whole.arrow");
  }
  bool read(const std::string& bytes) {
    write_text(scratch / "damaged.arrow", bytes);
    return read_all(scratch / "damaged.arrow");
  }
  Scratch scratch;
  std::string whole;
};

TEST_F(Damage, TheWholeFileIsGood) { EXPECT_TRUE(read(whole)); }

TEST_F(Damage, EveryTruncationIsRefused) {
  for (size_t n = 0; n < whole.size(); ++n) EXPECT_FALSE(read(whole.substr(0, n))) << n;
  EXPECT_FALSE(read(std::string("ARROW1\0\0ARROW1", 14)));
  EXPECT_FALSE(read("src,dst\n1,2\n3,4\n5,6\n"));
}

TEST_F(Damage, EveryByteMayBeAnything) {
  for (size_t at = 0; at < whole.size(); ++at)
    for (const char byte : {'\0', '\x01', '\x7f', '\x80', '\xff'}) {
      std::string bytes = whole;
      bytes[at] = byte;
      (void)read(bytes);
    }
}

TEST_F(Damage, EveryWordMayBeHuge) {
  for (size_t at = 0; at + 8 <= whole.size(); at += 4)
    for (const int64_t word : {INT64_MAX, INT64_MIN, int64_t{0x7fffffff}, int64_t{0x7fffffff7fffffff}, int64_t{-8}}) {
      std::string bytes = whole;
      bytes.replace(at, 8, reinterpret_cast<const char*>(&word), 8);
      (void)read(bytes);
    }
}

TEST_F(Damage, RandomDamage) {
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = whole;
    for (int n = 0; n < 8; ++n) bytes[random() % bytes.size()] = static_cast<char>(random());
    (void)read(bytes);
  }
}

/// What reading a seed says after the changes.
std::string refused(const std::string& seed, const std::vector<std::pair<std::string, int64_t>>& changes,
                    const ColumnRequest& column) {
  Scratch scratch;
  const SeedFile file(seed);
  std::string bytes = file.bytes();
  for (const auto& [field, value] : changes) file.set(bytes, field, value);
  write_text(scratch / "lies.arrow", bytes);
  return error_text(Exit::kData, [&] { (void)read_table("edges", {{"", scratch / "lies.arrow"}}, {column}, {0, 1}); });
}

TEST(Lies, OfLengthsNearTwoToThe62) {
  // (2^62 - 1 + 1) * 4 bytes of offsets are none at all in 64 bits, and then all memory is read as offsets.
  const int64_t wrapping = (int64_t{1} << 62) - 1;
  EXPECT_NE(refused("texts", {{"batch0.2.0", wrapping}, {"batch0.2.1[0].length", wrapping}}, {"name", "id"})
                .find("found a batch of 4611686018427387903 rows in "),
            std::string::npos);
  for (const int64_t rows : {(int64_t{1} << 62) - 1, int64_t{1} << 61, INT64_MAX, int64_t{1} << 40}) {
    std::vector<std::pair<std::string, int64_t>> changes{{"batch0.2.0", rows}};
    for (int column = 0; column < 13; ++column)
      changes.push_back({"batch0.2.1[" + std::to_string(column) + "].length", rows});
    EXPECT_NE(refused("flat", changes, {"name", "id"}).find("found a batch of " + std::to_string(rows) + " rows in "),
              std::string::npos)
        << rows;
  }
}

TEST(Lies, OfElementsNearTwoToThe62) {
  // The elements of "ints", which stand behind it.
  for (const int64_t rows : {(int64_t{1} << 62) - 1, INT64_MAX, int64_t{-1}})
    EXPECT_NE(refused("nested", {{"batch0.2.1[2].length", rows}}, {"id", "id"})
                  .find("found a batch of " + std::to_string(rows) + " rows in "),
              std::string::npos)
        << rows;
}

// Which a flatbuffer may leave out, and nanoarrow takes the length of.
TEST(Lies, OfMetadata) {
  for (const char* slot : {"footer.1.2[0].slot0", "footer.1.2[0].slot1"})
    EXPECT_NE(refused("texts", {{slot, 0}}, {"name", "id"}).find("metadata without a key or a value"),
              std::string::npos)
        << slot;
}

TEST(Lies, OfNulls) {
  for (const int64_t nulls : {int64_t{4}, int64_t{-2}, INT64_MAX, INT64_MIN})
    EXPECT_NE(refused("flat", {{"batch0.2.1[4].nulls", nulls}}, {"id", "id"})
                  .find("found " + std::to_string(nulls) + " nulls in 3 rows"),
              std::string::npos)
        << nulls;
}

TEST(Lies, OfBatchesThatShareTheirBytes) {
  const SeedFile edges("edges");
  const std::string bytes = edges.bytes();
  const int64_t body = edges.get(bytes, "footer.3[0].offset") + edges.get(bytes, "footer.3[0].metadata");
  EXPECT_NE(refused("edges", {{"footer.3[0].body", static_cast<int64_t>(bytes.size()) - body}}, {"src", "id"})
                .find("found batches upon each other"),
            std::string::npos);
}

}  // namespace
}  // namespace sparkgap
