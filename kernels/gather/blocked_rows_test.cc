// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "gather/blocked_rows.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <random>

namespace sparkgap {
namespace {

constexpr int64_t kVertices = 5 << 16;

/// Rows of arcs, most from the first vertices, in an order that is not quite theirs: empty ones, long ones, one end
/// again and again.
struct Rows {
  std::vector<int64_t> starts{0};
  std::vector<uint32_t> ends;
  std::vector<double> weights;

  explicit Rows(bool weighted, int64_t rows = 70000) {
    std::mt19937_64 random(7);
    for (int64_t row = 0; row < rows; ++row) {
      const uint64_t arcs = row == 3 ? 20000 : row % 5 == 0 ? 0 : random() % 40;
      for (uint64_t i = 0; i < arcs; ++i) {
        const uint64_t most = random() % 8 == 0 ? kVertices : random() % 3 == 0 ? 1 << 17 : 1 << 15;
        ends.push_back(row % 977 == 1 ? 12345 : static_cast<uint32_t>(random() % most));
        if (weighted) weights.push_back(static_cast<double>(random() % 64) / 4);
      }
      if (row % 3 != 0) std::sort(ends.begin() + starts.back(), ends.end());
      starts.push_back(static_cast<int64_t>(ends.size()));
    }
  }
  Adjacency arcs() const { return {starts, ends, {}, weights}; }
};

void expect_sums(const Rows& rows, const std::vector<int64_t>& near) {
  std::vector<double> values(kVertices);
  for (size_t v = 0; v < values.size(); ++v) values[v] = static_cast<double>(v % 1024) / 8;  // sums are exact
  const RowChunks chunks(rows.starts);
  for (const int n_threads : {1, 2}) {
    omp_set_num_threads(n_threads);
    const BlockedRows blocked(rows.arcs(), chunks.chunks, kVertices, near);
    std::vector<double> found(rows.starts.size() - 1, -1), sums(BlockedRows::kMostRows);
    for (int64_t group = 0; group < blocked.groups(); ++group) {
      blocked.sum(group, values.data(), sums.data());
      const RowChunk range = blocked.rows(group);
      for (int64_t row = range.begin; row < range.end; ++row) {
        EXPECT_EQ(found[static_cast<size_t>(row)], -1) << "row " << row << " is in two groups";
        found[static_cast<size_t>(row)] = sums[static_cast<size_t>(row - range.begin)];
      }
    }
    size_t n_short = 0;
    for (const RowChunk& chunk : chunks.chunks)
      for (int64_t row = chunk.begin; row < chunk.end; ++row, ++n_short) {
        double expected = 0;
        for (int64_t k = rows.starts[static_cast<size_t>(row)]; k < rows.starts[static_cast<size_t>(row) + 1]; ++k) {
          const auto at = static_cast<size_t>(k);
          expected += values[rows.ends[at]] * (rows.weights.empty() ? 1 : rows.weights[at]);
        }
        ASSERT_EQ(found[static_cast<size_t>(row)], expected) << "row " << row;
      }
    EXPECT_EQ(n_short + chunks.long_rows.size(), found.size());
  }
}

TEST(BlockedRows, SumsAreThoseOfTheArcs) {
  for (const bool weighted : {false, true})
    for (const auto& near : {std::vector<int64_t>{0}, {0, 1, 4}, {2}, {}}) expect_sums(Rows(weighted), near);
}

TEST(BlockedRows, OfOneRowAndOfFew) {
  expect_sums(Rows(true, 4), {0, 1});
  expect_sums(Rows(false, 1), {0});
}

TEST(BlockedRows, NearBlocksAreThoseOfManyArcs) {
  Rows rows(false);
  const auto each_row = [&](auto&& body) {
    for (size_t row = 0; row + 1 < rows.starts.size(); ++row)
      body(rows.ends.begin() + rows.starts[row], rows.ends.begin() + rows.starts[row + 1]);
  };
  each_row([](auto begin, auto end) { std::sort(begin, end); });
  EXPECT_EQ(BlockedRows::near_blocks(rows.arcs(), kVertices), (std::vector<int64_t>{0, 1}));
  EXPECT_TRUE(BlockedRows::near_blocks(rows.arcs(), 200'000).empty()) << "all values fit the cache";
  std::mt19937_64 random(1);
  each_row([&](auto begin, auto end) { std::generate(begin, end, [&] { return random() % kVertices; }); });
  EXPECT_TRUE(BlockedRows::near_blocks(rows.arcs(), kVertices).empty()) << "arcs come from everywhere";
}

}  // namespace
}  // namespace sparkgap
