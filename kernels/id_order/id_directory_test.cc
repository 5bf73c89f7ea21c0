// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "id_order/id_directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "test/test_comm.h"

namespace sparkgap {
namespace {

/// What a rank has of distinct ids, which are the same list on every rank: shares of any size, none too.
template <typename Id>
std::vector<Id> share_of(const std::vector<Id>& all, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Id> mine;
  const auto ranks = static_cast<uint64_t>(test_comm().size());
  for (const Id& id : all) {
    const uint64_t drawn = random() % 8 == 0 ? random() % ranks : random() % ranks * (random() % 2);
    if (drawn == static_cast<uint64_t>(test_comm().rank())) mine.push_back(id);
  }
  return mine;
}

VertexIds list_of(const std::vector<int64_t>& ids) { return VertexIds(std::span<const int64_t>(ids)); }
VertexIds list_of(const std::vector<std::string>& ids) {
  return VertexIds(std::vector<std::string_view>(ids.begin(), ids.end()));
}

/// `all` is sorted.
template <typename Id>
void expect_order(const std::vector<Id>& all, uint64_t seed) {
  const std::vector<Id> mine = share_of(all, seed);
  const VertexIds ids = list_of(mine);
  const IdDirectory directory(ids, test_comm());
  ASSERT_EQ(directory.places().size(), mine.size());
  for (size_t i = 0; i < mine.size(); ++i)
    EXPECT_EQ(directory.places()[i], std::lower_bound(all.begin(), all.end(), mine[i]) - all.begin());
  // Any places, in any order, twice too; nothing on some rank.
  std::mt19937_64 random(seed + static_cast<uint64_t>(test_comm().rank()));
  std::vector<int64_t> wanted;
  for (uint64_t n = all.empty() ? 0 : random() % 20; n > 0; --n)
    wanted.push_back(static_cast<int64_t>(random() % all.size()));
  const KeptIds found = directory.ids_at(wanted, test_comm());
  const VertexIds expected = list_of(all);
  ASSERT_EQ(found.ids.rows(), static_cast<int64_t>(wanted.size()));
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_EQ(found.ids.text(static_cast<int64_t>(i)), expected.text(wanted[i]));
}

TEST(IdDirectory, OrdersIntegersByValue) {
  for (const size_t n : {0, 1, 2, 50, 3000}) {
    std::mt19937_64 random(n);
    std::set<int64_t> all;
    while (all.size() < n) all.insert(static_cast<int64_t>(random() % 3 == 0 ? random() : random() % 10000) - 5000);
    for (uint64_t seed = 0; seed < 5; ++seed) expect_order(std::vector<int64_t>(all.begin(), all.end()), seed);
  }
}

TEST(IdDirectory, OrdersStringsByBytes) {
  for (const size_t n : {1, 3, 800}) {
    std::mt19937_64 random(n);
    std::set<std::string> all{""};
    while (all.size() < n) {
      std::string text;
      for (uint64_t length = random() % 12; length > 0; --length) text += static_cast<char>(random() % 256);
      all.insert(text);
    }
    for (uint64_t seed = 0; seed < 5; ++seed) expect_order(std::vector<std::string>(all.begin(), all.end()), seed);
  }
}

}  // namespace
}  // namespace sparkgap
