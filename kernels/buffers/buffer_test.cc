// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "buffers/buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sparkgap {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

Buffer<char> written(size_t bytes, Content content = Content::kAnything) {
  Buffer<char> buffer(bytes, content);
  std::fill(buffer.begin(), buffer.end(), 'x');
  return buffer;
}

bool zeroes(const Buffer<char>& buffer) {
  return std::all_of(buffer.begin(), buffer.end(), [](char c) { return c == 0; });
}

TEST(Buffer, IsZeroedAndOnHugePages) {
  const Buffer<char> small(100), large(5 * kMiB);
  EXPECT_TRUE(zeroes(small) && zeroes(large));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(small.data()) % 64, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(large.data()) % (2 * kMiB), 0u);
  EXPECT_EQ(Buffer<char>(0).data(), nullptr);
}

TEST(Buffer, IsNewWithoutReuse) {
  written(4 * kMiB).clear();
  EXPECT_TRUE(zeroes(Buffer<char>(4 * kMiB, Content::kAnything)));
}

TEST(MemoryReuse, CutsKeptMemoryUp) {
  const MemoryReuse reuse;
  char* const first = written(11 * kMiB).data();  // given back here
  const Buffer<char> a = written(3 * kMiB), b = written(4 * kMiB), c = written(4 * kMiB);
  EXPECT_EQ(a.data(), first);
  EXPECT_EQ(b.data(), first + 4 * kMiB);
  EXPECT_NE(c.data(), first + 8 * kMiB);  // 3 MiB are left
  EXPECT_EQ(written(3 * kMiB).data(), first + 8 * kMiB);
}

TEST(MemoryReuse, TakesTheLeastThatFits) {
  const MemoryReuse reuse;
  Buffer<char> large = written(20 * kMiB), small = written(6 * kMiB);
  char* const wanted = small.data();
  large.clear();
  small.clear();
  EXPECT_EQ(written(5 * kMiB).data(), wanted);
}

TEST(MemoryReuse, NeverStandsForZeroes) {
  const MemoryReuse reuse;
  {
    const MemoryReuse inner;
    written(4 * kMiB).clear();
  }
  EXPECT_TRUE(zeroes(Buffer<char>(4 * kMiB)));
  EXPECT_EQ(written(4 * kMiB)[0], 'x');
}

TEST(MemoryReuse, GivesAllBackAtTheEnd) {
  {
    const MemoryReuse reuse;
    written(4 * kMiB).clear();
  }
  EXPECT_TRUE(zeroes(Buffer<char>(4 * kMiB, Content::kAnything)));
}

}  // namespace
}  // namespace sparkgap
