// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "table/crc32c.h"

#include <array>
#include <bit>
#include <cstdio>
#include <cstring>

#ifdef __SSE4_2__
#include <nmmintrin.h>
#endif

namespace sparkgap {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // bits reversed

using ByteTable = std::array<uint32_t, 256>;

constexpr ByteTable one_byte_table() {
  ByteTable table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    table[i] = crc;
  }
  return table;
}

#ifdef __SSE4_2__

// The crc32 instruction takes 3 cycles but one can start each cycle, so three parts of a block are summed side by side.
// A part's sum is then moved over the bytes that follow it. That move is linear in the 32 bits of the sum: a table for
// each of its four bytes does it.
constexpr size_t kPart = 4096;

using MoveTable = std::array<ByteTable, 4>;

constexpr MoveTable move_table(size_t zero_bytes) {
  constexpr ByteTable step = one_byte_table();
  // Column b of the map is what becomes of bit b. Only a few thousand steps for a table, done by the compiler.
  std::array<uint32_t, 32> column{};
  for (uint32_t b = 0; b < 32; ++b) column[b] = uint32_t{1} << b;
  // moved(bits) applies the map found so far to any value.
  auto moved = [](const std::array<uint32_t, 32>& map, uint32_t bits) {
    uint32_t sum = 0;
    for (uint32_t b = 0; b < 32; ++b) sum ^= ((bits >> b) & 1) != 0 ? map[b] : 0;
    return sum;
  };
  for (auto& c : column) c = step[c & 255] ^ (c >> 8);   // one byte
  for (size_t done = 1; done < zero_bytes; done *= 2) {  // doubling, zero_bytes is a power of two
    std::array<uint32_t, 32> twice{};
    for (size_t b = 0; b < 32; ++b) twice[b] = moved(column, column[b]);
    column = twice;
  }
  MoveTable table{};
  for (uint32_t byte = 0; byte < 4; ++byte)
    for (uint32_t value = 0; value < 256; ++value) table[byte][value] = moved(column, value << (8 * byte));
  return table;
}
constexpr MoveTable kMovePart = move_table(kPart);
static_assert(std::has_single_bit(kPart));

uint32_t move_part(uint32_t crc) {
  return kMovePart[0][crc & 255] ^ kMovePart[1][(crc >> 8) & 255] ^ kMovePart[2][(crc >> 16) & 255] ^
         kMovePart[3][crc >> 24];
}

uint64_t load(const uint8_t* p) {
  uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

uint32_t extend(uint32_t crc, const uint8_t* p, size_t n) {
  for (; n >= 3 * kPart; p += 3 * kPart, n -= 3 * kPart) {
    uint64_t a = crc, b = 0, c = 0;
    for (size_t i = 0; i < kPart; i += 8) {
      a = _mm_crc32_u64(a, load(p + i));
      b = _mm_crc32_u64(b, load(p + kPart + i));
      c = _mm_crc32_u64(c, load(p + 2 * kPart + i));
    }
    crc = move_part(move_part(static_cast<uint32_t>(a)) ^ static_cast<uint32_t>(b)) ^ static_cast<uint32_t>(c);
  }
  for (; n >= 8; p += 8, n -= 8) crc = static_cast<uint32_t>(_mm_crc32_u64(crc, load(p)));
  for (; n > 0; ++p, --n) crc = _mm_crc32_u8(crc, *p);
  return crc;
}

#else

uint32_t extend(uint32_t crc, const uint8_t* p, size_t n) {
  static constexpr ByteTable kTable = one_byte_table();
  for (; n > 0; ++p, --n) crc = kTable[(crc ^ *p) & 255] ^ (crc >> 8);
  return crc;
}

#endif

}  // namespace

uint32_t crc32c(uint32_t before, const void* data, size_t bytes) {
  return ~extend(~before, static_cast<const uint8_t*>(data), bytes);
}

std::string crc32c_text(uint32_t crc) {
  char text[9];
  std::snprintf(text, sizeof text, "%08x", crc);
  return text;
}

}  // namespace sparkgap
