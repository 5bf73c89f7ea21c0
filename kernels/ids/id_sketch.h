// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ids/string_hash.h"

namespace sparkgap {

/// About how many distinct ids there are, from one look at each. Sketches of parts add up to that of the whole. Not
/// thread-safe.
///
/// Cost       4 KiB; about 2 ns per integer
/// Error      standard error 1.6 %
/// Source     HyperLogLog, Flajolet, Fusy, Gandouet, Meunier 2007
class IdSketch {
 public:
  void add(int64_t id) {
    // The last steps of splitmix64.
    auto h = static_cast<uint64_t>(id);
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    offer(h ^ (h >> 31));
  }
  void add(std::string_view id) { offer(hash_string(id, 0)); }
  IdSketch& operator+=(const IdSketch& other);

  /// An upper bound that fails once in a billion: six standard errors are added. It is never below 3000 or so.
  int64_t distinct_at_most() const;

  /// The registers, one printable character each.
  std::string text() const;
  /// The sketch that gave this text; nothing for any other text.
  static std::optional<IdSketch> of_text(const std::string& text);

 private:
  static constexpr int kBits = 12;
  static constexpr size_t kRegisters = size_t{1} << kBits;

  void offer(uint64_t hash) {
    const size_t at = hash >> (64 - kBits);
    const auto rank = static_cast<uint8_t>(std::countl_zero(hash << kBits | uint64_t{1} << (kBits - 1)) + 1);
    if (rank > registers_[at]) registers_[at] = rank;
  }

  std::array<uint8_t, kRegisters> registers_ = {};
};

}  // namespace sparkgap
