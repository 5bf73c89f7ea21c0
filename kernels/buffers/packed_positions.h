// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sparkgap {

/// A set of positions below a bound in few bytes, as it travels between ranks: what each lies above the one before, in
/// seven bits of a byte and as many bytes as that takes, or, where this is shorter, a bit for each position. No byte
/// for no position.
///
/// Cost      at most bound / 8 + 6 bytes; where there are few, 1 to 2 for each
class PackedPositions {
 public:
  explicit PackedPositions(int64_t bound) : bound_(bound) {}

  /// Appends the set to `bytes`. No position is there twice; in any order.
  void pack(std::span<const uint32_t> positions, std::vector<uint8_t>& bytes);
  /// Reads one that pack() wrote at the beginning of `bytes`, into `positions`, rising. Returns what follows it.
  std::span<const uint8_t> unpack(std::span<const uint8_t> bytes, std::vector<uint32_t>& positions) const;

 private:
  void pack_gaps(std::span<const uint32_t> rising, std::vector<uint8_t>& bytes) const;
  size_t bytes_of_bits() const { return static_cast<size_t>(bound_ + 7) / 8; }

  int64_t bound_;
  std::vector<uint64_t> bits_;
  std::vector<uint32_t> sorted_;
};

}  // namespace sparkgap
