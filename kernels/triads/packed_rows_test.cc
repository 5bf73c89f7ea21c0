// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "triads/packed_rows.h"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <random>
#include <set>

#include "process/parallel.h"

namespace sparkgap {
namespace {

/// By label: neighbours and whether each goes both ways.
using Rows = std::map<uint32_t, std::pair<std::vector<uint32_t>, std::vector<uint8_t>>>;

Rows rows_of(const OrientedRows& rows, bool mutual) {
  Rows found;
  for (int64_t row = 0; row < rows.rows; ++row) {
    const auto ends = rows.of(row);
    const auto both = mutual ? rows.mutual_of(row) : std::span<const uint8_t>();
    if (!ends.empty()) found[rows.label(row)] = {{ends.begin(), ends.end()}, {both.begin(), both.end()}};
  }
  return found;
}

/// Rows first, first + stride, ... of random lengths, many of them 0.
OrientedRows random_rows(uint64_t seed, int64_t rows, uint32_t first, uint32_t stride, uint32_t most) {
  std::mt19937_64 random(seed);
  std::vector<std::set<uint32_t>> ends(static_cast<size_t>(rows));
  int64_t edges = 0;
  for (auto& row : ends) {
    for (uint64_t n = random() % 4 == 0 ? random() % 300 : random() % 3; n > 0; --n)
      row.insert(static_cast<uint32_t>(random() % most));
    edges += static_cast<int64_t>(row.size());
  }
  OrientedRows made;
  made.rows = rows, made.first = first, made.stride = stride;
  made.starts = Buffer<int64_t>(ends.size() + 1);
  made.ends = Buffer<uint32_t>(static_cast<size_t>(edges));
  made.mutual = Buffer<uint8_t>(static_cast<size_t>(edges));
  size_t at = 0;
  for (size_t row = 0; row < ends.size(); ++row) {
    for (const uint32_t end : ends[row]) made.mutual[at] = random() & 1, made.ends[at++] = end;
    made.starts[row + 1] = static_cast<int64_t>(at);
  }
  return made;
}

TEST(PackedRows, AreTheSameUnpacked) {
  for (const bool mutual : {false, true})
    for (const int64_t rows : {0, 1, 2, 50, 20000})
      for (const uint32_t most : {3u, 4000u, 0xffffffffu}) {
        SCOPED_TRACE(testing::Message() << mutual << " " << rows << " " << most);
        const OrientedRows made = random_rows(static_cast<uint64_t>(rows) + most, rows, 3, 7, most);
        const PackedRows packed(made, mutual);
        const OrientedRows again = packed.unpack();
        EXPECT_EQ(again.rows, rows);
        EXPECT_EQ(again.mutual.size(), mutual ? made.ends.size() : 0);
        const Rows expected = rows_of(made, mutual);
        EXPECT_EQ(rows_of(again, mutual), expected);
        Rows met;
        std::mutex one;
        parallel_for(packed.chunks(), [&](int64_t chunk) {
          packed.each_row(chunk, [&](uint32_t label, const auto& ends, const auto& both) {
            const std::lock_guard guard(one);
            EXPECT_TRUE(met.emplace(label, std::pair(ends, both)).second) << label;
          });
        });
        EXPECT_EQ(met, expected);
      }
}

}  // namespace
}  // namespace sparkgap
