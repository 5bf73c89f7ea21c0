// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "table/crc32c.h"

#include <gtest/gtest.h>

#include <random>

namespace sparkgap {
namespace {

// Bit by bit, after the definition.
uint32_t plain(const std::string& bytes) {
  uint32_t crc = ~0u;
  for (const char byte : bytes) {
    crc ^= static_cast<uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0x82f63b78u & (0u - (crc & 1)));
  }
  return ~crc;
}

TEST(Crc32c, KnownVectors) {
  EXPECT_EQ(crc32c(0, "123456789", 9), 0xe3069283u);
  EXPECT_EQ(crc32c(0, std::string(32, '\0').data(), 32), 0x8a9136aau);  // RFC 3720, B.4
  EXPECT_EQ(crc32c(0, std::string(32, '\xff').data(), 32), 0x62a8ab43u);
  EXPECT_EQ(crc32c(0, nullptr, 0), 0u);
  EXPECT_EQ(crc32c_text(0x9aed), "00009aed");
}

TEST(Crc32c, EveryLengthAndCutGivesTheSame) {
  std::mt19937 random(7);
  std::string bytes(40000, '\0');  // three interleaved blocks and a rest
  for (char& byte : bytes) byte = static_cast<char>(random());
  for (const size_t n : {1, 7, 8, 9, 255, 4096, 12287, 12288, 12289, 24576, 39999, 40000}) {
    const std::string part = bytes.substr(0, n);
    EXPECT_EQ(crc32c(0, part.data(), n), plain(part)) << n;
    for (const size_t cut : {size_t{0}, n / 3, n / 2, n})
      EXPECT_EQ(crc32c(crc32c(0, part.data(), cut), part.data() + cut, n - cut), plain(part));
    EXPECT_EQ(crc32c(0, bytes.data() + 3, n - (n > 3 ? 3 : n)), plain(bytes.substr(3, n - (n > 3 ? 3 : n))))
        << "unaligned " << n;
  }
}

}  // namespace
}  // namespace sparkgap
