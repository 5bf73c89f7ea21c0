// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "id_order/id_order.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <string>

#include "test/test_comm.h"

namespace sparkgap {
namespace {

/// By counting, for any kind of id.
template <typename Id>
std::vector<uint32_t> oracle(const std::vector<Id>& ids) {
  std::vector<Id> sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  std::vector<uint32_t> places;
  for (const Id& id : ids)
    places.push_back(static_cast<uint32_t>(std::find(sorted.begin(), sorted.end(), id) - sorted.begin()));
  return places;
}

std::vector<uint32_t> places(const VertexIds& ids, int threads = 1) {
  omp_set_num_threads(threads);
  const Buffer<uint32_t> found = places_of(ids);
  return {found.begin(), found.end()};
}

std::vector<uint32_t> places(const std::vector<int64_t>& ids) { return places(VertexIds(std::span(ids))); }
std::vector<uint32_t> places(const std::vector<std::string>& ids) {
  return places(VertexIds(std::vector<std::string_view>(ids.begin(), ids.end())));
}

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(), kGreatest = std::numeric_limits<int64_t>::max();

TEST(IdOrder, OfNoIds) {
  EXPECT_TRUE(places(std::vector<int64_t>{}).empty());
  EXPECT_TRUE(places(VertexIds(std::vector<std::string_view>{})).empty());
}

TEST(IdOrder, IsByValueOfIntegers) {
  EXPECT_EQ(places(std::vector<int64_t>{5}), (std::vector<uint32_t>{0}));
  EXPECT_EQ(places(std::vector<int64_t>{3, -1, 0, 64, 63}), (std::vector<uint32_t>{2, 0, 1, 4, 3}));
  EXPECT_EQ(places(std::vector<int64_t>{kGreatest, 0, kLeast, -1, 1}), (std::vector<uint32_t>{4, 2, 0, 1, 3}));
  EXPECT_EQ(places(std::vector<int64_t>{kGreatest, kGreatest - 1}), (std::vector<uint32_t>{1, 0}));
  EXPECT_EQ(places(std::vector<int64_t>{kLeast + 64, kLeast}), (std::vector<uint32_t>{1, 0}));
}

TEST(IdOrder, IsByBytesOfStrings) {
  const std::vector<std::string> ids{
      "b",    "",   "a", std::string("a\0", 2), "ä",   "Z", "aaaaaaaa", "aaaaaaaab", "aaaaaaaaa",
      "\x7f", "10", "9", std::string("\0", 1),  "日本"};
  EXPECT_EQ(places(ids), oracle(ids));
  EXPECT_EQ(places(ids)[4], ids.size() - 2);  // bytes above 127 are no negative numbers
}

TEST(IdOrder, OfManyIdsOfAllKinds) {
  std::mt19937_64 random(5);
  for (const size_t n : {20000, 70000})
    for (const uint64_t stride : {1ull, 50ull, 90ull, 123456789123ull, 1ull << 47}) {
      std::set<int64_t> distinct;
      for (size_t i = 0; i < n; ++i) distinct.insert(static_cast<int64_t>((random() % (2 * n) - n) * stride));
      std::vector<int64_t> ids(distinct.begin(), distinct.end());
      std::shuffle(ids.begin(), ids.end(), random);
      std::vector<std::string> texts, alike;
      for (const int64_t id : ids)
        texts.push_back(std::to_string(id)), alike.push_back("http://www.example.org/" + texts.back());
      for (const int threads : {1, 2}) {
        const auto found = places(VertexIds(std::span(ids)), threads);
        std::vector<int64_t> by_place(ids.size());
        for (size_t i = 0; i < ids.size(); ++i) by_place[found[i]] = ids[i];
        EXPECT_TRUE(std::equal(by_place.begin(), by_place.end(), distinct.begin(), distinct.end()))
            << n << " " << stride;
      }
      const std::set<std::string> sorted(texts.begin(), texts.end());
      for (const int threads : {1, 2}) {
        const auto found = places(VertexIds(std::vector<std::string_view>(texts.begin(), texts.end())), threads);
        EXPECT_EQ(places(VertexIds(std::vector<std::string_view>(alike.begin(), alike.end())), threads), found);
        std::vector<std::string> by_place(texts.size());
        for (size_t i = 0; i < texts.size(); ++i) by_place[found[i]] = texts[i];
        EXPECT_TRUE(std::equal(by_place.begin(), by_place.end(), sorted.begin(), sorted.end()));
      }
      if (test_comm().size() > 1) return;  // nothing here is over ranks
    }
}

TEST(IdOrder, GathersIdsRankByRank) {
  Comm& comm = test_comm();
  std::vector<int64_t> mine;
  std::vector<std::string> texts;
  for (int i = 0; i < comm.rank() * 3 + (comm.size() == 1); ++i)
    mine.push_back(comm.rank() * 100 + i),
        texts.push_back(i == 1 ? "" : std::string(static_cast<size_t>(i), 'a') + std::to_string(comm.rank()));
  std::vector<int64_t> expected;
  std::vector<std::string_view> views(texts.begin(), texts.end());
  for (int rank = 0; rank < comm.size(); ++rank)
    for (int i = 0; i < rank * 3 + (comm.size() == 1); ++i) expected.push_back(rank * 100 + i);
  const KeptIds integers = gather_ids(VertexIds(std::span(mine)), comm);
  EXPECT_TRUE(
      std::equal(integers.ids.integers().begin(), integers.ids.integers().end(), expected.begin(), expected.end()));
  // Rank 0 has no rows where there are several, and then does not know that the others have strings.
  const KeptIds strings = gather_ids(texts.empty() ? VertexIds() : VertexIds(views), comm);
  ASSERT_TRUE(strings.ids.strings());
  ASSERT_EQ(strings.ids.rows(), static_cast<int64_t>(expected.size()));
  for (size_t i = 0; i < expected.size(); ++i) {
    const int64_t rank = expected[i] / 100, at = expected[i] % 100;
    EXPECT_EQ(strings.ids.texts()[i], at == 1 ? "" : std::string(static_cast<size_t>(at), 'a') + std::to_string(rank));
  }
}

}  // namespace
}  // namespace sparkgap
