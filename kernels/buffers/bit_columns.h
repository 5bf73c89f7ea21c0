// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace sparkgap {

/// Counts, for each of the 64 bits of a word, in how many words it was set: binary digits of all 64 counts side by
/// side, added to by carry-save adders, so that a word costs about 6 instructions instead of one or more per set bit.
class BitColumns {
 public:
  void add(uint64_t word) {
    uint64_t carry = ones_ & word;
    ones_ ^= word;
    uint64_t next = twos_ & carry;
    twos_ ^= carry;
    carry = fours_ & next;
    fours_ ^= next;
    if (carry != 0) add_eights(carry);
  }
  void add8(const uint64_t* word) {
    const uint64_t twos_a = full(ones_, word[0], word[1]), twos_b = full(ones_, word[2], word[3]);
    const uint64_t fours_a = full(twos_, twos_a, twos_b);
    const uint64_t twos_c = full(ones_, word[4], word[5]), twos_d = full(ones_, word[6], word[7]);
    const uint64_t fours_b = full(twos_, twos_c, twos_d);
    add_eights(full(fours_, fours_a, fours_b));
  }
  uint32_t count(int bit) const {
    uint64_t sum = (ones_ >> bit & 1) | (twos_ >> bit & 1) << 1 | (fours_ >> bit & 1) << 2;
    for (int digit = 0; digit < digits_; ++digit) sum |= (high_[digit] >> bit & 1) << (digit + 3);
    return static_cast<uint32_t>(sum);
  }

 private:
  /// Adds two digits to a third of the same place; what is carried.
  static uint64_t full(uint64_t& sum, uint64_t a, uint64_t b) {
    const uint64_t both = sum ^ a, carry = (sum & a) | (both & b);
    sum = both ^ b;
    return carry;
  }
  void add_eights(uint64_t carry) {
    for (int digit = 0; carry != 0; ++digit) {
      if (digit == digits_) high_[digits_++] = 0;
      const uint64_t next = high_[digit] & carry;
      high_[digit] ^= carry;
      carry = next;
    }
  }
  uint64_t ones_ = 0, twos_ = 0, fours_ = 0;
  uint64_t high_[29];
  int digits_ = 0;
};

}  // namespace sparkgap
