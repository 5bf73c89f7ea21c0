// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "buffers/packed_positions.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "buffers/leb128.h"
#include "buffers/shared_bits.h"

namespace sparkgap {
namespace {

/// body(position) of each bit, rising.
template <typename Body>
void each_bit(std::span<const uint64_t> words, Body&& body) {
  for (size_t i = 0; i < words.size(); ++i)
    for (uint64_t left = words[i]; left != 0; left &= left - 1)
      body(static_cast<uint32_t>(i * 64 + static_cast<size_t>(std::countr_zero(left))));
}

}  // namespace

void PackedPositions::pack(std::span<const uint32_t> positions, std::vector<uint8_t>& bytes) {
  if (positions.empty()) return;
  constexpr size_t kFewOfBits = 256, kLongGap = 128;
  const auto bound = static_cast<size_t>(bound_);
  const bool as_bits = positions.size() + bound / kLongGap >= bytes_of_bits();
  put_number(positions.size() * 2 + (as_bits ? 1 : 0), bytes);
  const bool rise = std::is_sorted(positions.begin(), positions.end());
  if (!as_bits && rise) {
    pack_gaps(positions, bytes);
    return;
  }
  if (!as_bits && positions.size() < bound / kFewOfBits) {
    sorted_.assign(positions.begin(), positions.end());
    std::sort(sorted_.begin(), sorted_.end());
    pack_gaps(sorted_, bytes);
    return;
  }
  bits_.assign(words_for(bound_), 0);
  for (const uint32_t position : positions) bits_[position / 64] |= uint64_t{1} << position % 64;
  if (as_bits) {
    const auto* const from = reinterpret_cast<const uint8_t*>(bits_.data());
    bytes.insert(bytes.end(), from, from + bytes_of_bits());
    return;
  }
  sorted_.clear();
  each_bit(bits_, [&](uint32_t position) { sorted_.push_back(position); });
  pack_gaps(sorted_, bytes);
}

void PackedPositions::pack_gaps(std::span<const uint32_t> rising, std::vector<uint8_t>& bytes) const {
  uint32_t before = 0;
  for (const uint32_t position : rising) put_number(position - before, bytes), before = position;
}

std::span<const uint8_t> PackedPositions::unpack(std::span<const uint8_t> bytes,
                                                 std::vector<uint32_t>& positions) const {
  positions.clear();
  if (bytes.empty()) return bytes;
  const uint8_t* at = bytes.data();
  const uint64_t head = take_number(at);
  positions.reserve(head / 2);
  if (head % 2 == 0) {
    uint32_t position = 0;
    for (uint64_t i = 0; i < head / 2; ++i) positions.push_back(position += static_cast<uint32_t>(take_number(at)));
  } else {
    std::vector<uint64_t> words(words_for(bound_));
    std::memcpy(words.data(), at, bytes_of_bits());
    each_bit(words, [&](uint32_t position) { positions.push_back(position); });
    at += bytes_of_bits();
  }
  return bytes.subspan(static_cast<size_t>(at - bytes.data()));
}

}  // namespace sparkgap
