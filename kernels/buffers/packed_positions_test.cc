// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "buffers/packed_positions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace sparkgap {
namespace {

using Positions = std::vector<uint32_t>;

/// How many bytes the set took, after what stands before and behind it was found as it was.
size_t expect_round_trip(const Positions& positions, int64_t bound) {
  std::vector<uint8_t> bytes{7};
  PackedPositions packed(bound);
  packed.pack(positions, bytes);
  const size_t size = bytes.size() - 1;
  bytes.insert(bytes.end(), {8, 9});
  Positions expected(positions), found;
  std::sort(expected.begin(), expected.end());
  const std::span<const uint8_t> all(bytes);
  if (!positions.empty()) {
    packed.each(all.subspan(1), [&](uint32_t position) { found.push_back(position); });
    const auto after = packed.after(all.subspan(1));
    EXPECT_EQ(found, expected);
    EXPECT_EQ(Positions(after.begin(), after.end()), Positions({8, 9}));
  }
  EXPECT_EQ(bytes[0], 7);
  std::vector<uint64_t> bits(static_cast<size_t>(bound) / 64 + 1);
  if (bound < 1 << 20) {
    for (const uint32_t position : positions) bits[position / 64] |= uint64_t{1} << position % 64;
    std::vector<uint8_t> of_bits{7};
    packed.pack_bits(bits, of_bits);
    bytes.resize(size + 1);
    EXPECT_EQ(of_bits, bytes);
  }
  return size;
}

TEST(PackedPositions, NoneTakeNothing) {
  EXPECT_EQ(expect_round_trip({}, 1000), 0u);
  PackedPositions(1000).each({}, [](uint32_t) { FAIL(); });
  EXPECT_TRUE(PackedPositions(1000).after({}).empty());
}

TEST(PackedPositions, TheLastOfManyIsFound) {
  constexpr int64_t kAll = int64_t{1} << 32;
  EXPECT_LE(expect_round_trip({0xffffffff, 0, 0x80000000, 127, 128}, kAll), 16u);
  EXPECT_EQ(expect_round_trip({0}, 1), 1u) << "that it is all says which";
  EXPECT_EQ(expect_round_trip({1}, 2), 2u);
}

TEST(PackedPositions, TakeAByteEachOrABitForAll) {
  std::mt19937_64 random(5);
  for (const int64_t bound : {1, 63, 64, 65, 1000, 100003})
    for (const int64_t every : {1, 2, 5, 9, 20, 100, 300, 5000}) {
      SCOPED_TRACE(testing::Message() << bound << " every " << every);
      Positions positions;
      for (uint32_t position = 0; position < bound; ++position)
        if (static_cast<int64_t>(random() % static_cast<uint64_t>(every)) == 0) positions.push_back(position);
      const size_t rising = expect_round_trip(positions, bound);
      std::shuffle(positions.begin(), positions.end(), random);
      EXPECT_EQ(expect_round_trip(positions, bound), rising);
      EXPECT_LE(rising, static_cast<size_t>(bound / 8 + bound / 1024) + 7);
      EXPECT_LE(rising, 2 * positions.size() + 6);
    }
}

}  // namespace
}  // namespace sparkgap
