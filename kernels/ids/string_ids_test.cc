// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "ids/string_ids.h"

#include <gtest/gtest.h>

#include <map>

#include "test/memory_table.h"
#include "test/test_comm.h"

namespace sparkgap {
namespace {

const std::vector<std::string> kNames{"",         "a",       "b",
                                      "ab",       "ba",      std::string("a\0b", 3),
                                      "Zürich",   "日本",    "a much longer name than eight bytes",
                                      "12345678", "1234567", "123456789"};

/// Collides with seeds 0 and 1: only the length counts.
uint64_t weak_at_first(std::string_view text, uint64_t seed) {
  return seed < 2 ? text.size() : hash_string(text, seed);
}
uint64_t always_weak(std::string_view text, uint64_t) { return text.size(); }

struct Rows {
  std::vector<std::string> names;
  Table table;
  KeyRows keys;
  explicit Rows(int64_t n)
      : names([n] {
          std::vector<std::string> many;
          for (int64_t i = 0; i < n; ++i)
            many.push_back(i % 3 == 0 ? kNames[static_cast<size_t>(i * i) % kNames.size()]
                                      : "v" + std::to_string(i * 7919 % 5000));
          return many;
        }()),
        table(memory_table("edges", {MemoryColumn("name", names)}, test_comm(), 1000)), keys(table, {0}, -1) {}
};

/// Equal strings have equal keys, unequal ones do not, and the owner of each, one rank, tells it back.
void expect_exact(const Rows& rows, const StringIds& ids) {
  Comm& comm = test_comm();
  std::map<std::string, int64_t> key_of;
  std::map<int64_t, std::string> name_of;
  int64_t row = cut(static_cast<int64_t>(rows.names.size()), comm.size(), comm.rank());
  rows.keys.blocks(0, rows.keys.rows(), [&](const KeyBlock& block) {
    for (int64_t i = 0; i < block.rows; ++i, ++row) {
      const std::string& name = rows.names[static_cast<size_t>(row)];
      EXPECT_EQ(key_of.emplace(name, block.a[i]).first->second, block.a[i]);
      EXPECT_EQ(name_of.emplace(block.a[i], name).first->second, name);
      EXPECT_EQ(ids.key_of(name), block.a[i]);
    }
  });
  std::vector<int64_t> holders;
  for (const std::string& name : std::set<std::string>(rows.names.begin(), rows.names.end())) {
    holders.push_back(ids.holds(name));
    if (ids.holds(name)) {
      EXPECT_EQ(ids.text(ids.key_of(name)), name);
    }
  }
  comm.allreduce(std::span<int64_t>(holders));
  EXPECT_EQ(std::count(holders.begin(), holders.end(), 1), static_cast<int64_t>(holders.size()));
  EXPECT_FALSE(ids.holds("nobody"));
}

TEST(StringIds, KeepsStringsApart) {
  for (const int threads : {1, 2})
    for (const int64_t n : {1, 2, 100, 60000}) {
      omp_set_num_threads(threads);
      Rows rows(n);
      KeyRows* const tables[] = {&rows.keys};
      expect_exact(rows, StringIds(tables, test_comm()));
    }
}

TEST(StringIds, TakesTheNextSeedWhereHashesCollide) {
  Rows rows(3000);
  KeyRows* const tables[] = {&rows.keys};
  const StringIds ids(tables, test_comm(), weak_at_first);
  EXPECT_EQ(ids.seed(), 2u);
  expect_exact(rows, ids);
}

TEST(StringIds, SeesACollisionBetweenTwoRanksOnly) {
  Comm& comm = test_comm();
  // One string per rank, all of one length: nobody sees the collision alone.
  std::vector<std::string> names;
  for (int rank = 0; rank < comm.size(); ++rank) names.push_back("r" + std::to_string(rank));
  const Table table = memory_table("edges", {MemoryColumn("name", names)}, comm);
  KeyRows keys(table, {0}, -1);
  KeyRows* const tables[] = {&keys};
  const StringIds ids(tables, comm, weak_at_first);
  EXPECT_EQ(ids.seed(), comm.size() == 1 ? 0u : 2u);
}

TEST(StringIds, GivesUpAfterSomeSeeds) {
  Rows rows(100);
  KeyRows* const tables[] = {&rows.keys};
  EXPECT_THROW(StringIds(tables, test_comm(), always_weak), std::exception);
}

TEST(StringHash, ReadsEveryByteAndTheSeed) {
  std::string text(40, 'x');
  for (size_t length = 0; length <= text.size(); ++length) {
    const uint64_t before = hash_string({text.data(), length}, 0);
    EXPECT_NE(before, hash_string({text.data(), length}, 1)) << length;
    for (size_t i = 0; i < length; ++i) {
      text[i] ^= 1;
      EXPECT_NE(before, hash_string({text.data(), length}, 0)) << length << " " << i;
      text[i] ^= 1;
    }
  }
}

// Ids that are numbers as text are common, and so are those that differ only in leading zeros or in their length.
TEST(StringHash, TellsNumbersApart) {
  for (const uint64_t seed : {0, 1, 2}) {
    std::map<uint64_t, std::string> seen;
    const auto expect_new = [&](const std::string& text) {
      EXPECT_TRUE(seen.emplace(hash_string(text, seed), text).second) << text;
    };
    for (int i = 0; i < 60000; ++i) expect_new(std::to_string(i));
    for (int i = 0; i < 10000; ++i)
      for (size_t digits = 5; digits < 20; digits += 3)
        expect_new(std::string(digits, '0') + std::to_string(10000 + i));
  }
}

}  // namespace
}  // namespace sparkgap
