// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "buffers/leb128.h"

namespace sparkgap {

/// A set of positions below a bound in few bytes, as it travels between ranks: what each lies above the one before, in
/// seven bits of a byte and as many bytes as that takes, or, where this is shorter, a bit for each position. No byte
/// for no position, and nothing but the number for all.
///
/// Cost      at most bound / 8 + 6 bytes; where there are few, 1 to 2 for each
class PackedPositions {
 public:
  explicit PackedPositions(int64_t bound) : bound_(bound) {}
  /// That a set may take.
  static int64_t most_bytes(int64_t bound) { return (bound + 7) / 8 + 6; }

  /// Appends the set to `bytes`. No position is there twice; in any order.
  void pack(std::span<const uint32_t> positions, std::vector<uint8_t>& bytes);
  /// The same of a bit for each position, and 0 behind the last.
  void pack_bits(std::span<const uint64_t> bits, std::vector<uint8_t>& bytes) const;
  /// body(position), rising, of a set that stands at the beginning of `bytes`.
  template <typename Body>
  void each(std::span<const uint8_t> bytes, Body&& body) const;
  /// What follows it.
  std::span<const uint8_t> after(std::span<const uint8_t> bytes) const;

 private:
  enum class Form { kAll, kBits, kGaps };
  Form form_of(size_t count) const;
  /// Of a set that is there; moves `at` behind the number of its positions.
  Form take_form(const uint8_t*& at, size_t& count) const;
  size_t bytes_of_bits() const { return static_cast<size_t>(bound_ + 7) / 8; }

  int64_t bound_;
  std::vector<uint64_t> bits_;
  std::vector<uint32_t> sorted_;
};

template <typename Body>
void PackedPositions::each(std::span<const uint8_t> bytes, Body&& body) const {
  if (bytes.empty()) return;
  const uint8_t* at = bytes.data();
  size_t count = 0;
  switch (take_form(at, count)) {
    case Form::kAll:
      for (uint32_t position = 0; position < count; ++position) body(position);
      break;
    case Form::kBits:
      for (size_t first = 0; first < bytes_of_bits(); first += 8, at += 8) {
        uint64_t word = 0;
        std::memcpy(&word, at, std::min<size_t>(8, bytes_of_bits() - first));
        for (; word != 0; word &= word - 1) body(static_cast<uint32_t>(8 * first) + std::countr_zero(word));
      }
      break;
    case Form::kGaps:
      uint32_t position = 0;
      for (size_t i = 0; i < count; ++i) body(position += static_cast<uint32_t>(take_number(at)));
  }
}

}  // namespace sparkgap
