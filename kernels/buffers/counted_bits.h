// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "buffers/buffer.h"
#include "buffers/shared_bits.h"

namespace sparkgap {

/// A set of numbers below a bound, that threads make together. Once it is counted each has a position among them.
///
/// Cost      1/8 byte per number below the bound while it is made, then 1/4; a position is one look at a word
class CountedBits {
 public:
  CountedBits() = default;
  explicit CountedBits(int64_t bound) : met_(words_for(bound)) {}

  /// From any thread, before count().
  void add(uint64_t number) { claim_bit(met_.data(), number); }
  /// By one thread; what follows needs it.
  void count() {
    words_ = Buffer<Word>(met_.size());
    for (size_t i = 0; i < words_.size(); ++i) {
      words_[i] = {met_[i], size_};
      size_ += static_cast<uint32_t>(std::popcount(met_[i]));
    }
    met_.clear();
  }

  uint32_t size() const { return size_; }
  /// How many are lower: the position of one that is in the set.
  uint32_t before(uint64_t number) const {
    if (number / 64 >= words_.size()) return size_;
    const Word& word = words_[number / 64];
    return word.before + static_cast<uint32_t>(std::popcount(word.bits & ((uint64_t{1} << number % 64) - 1)));
  }
  /// body(number) of each, rising.
  template <typename Body>
  void each(Body&& body) const {
    for (size_t i = 0; i < words_.size(); ++i)
      for (uint64_t left = words_[i].bits; left != 0; left &= left - 1)
        body(i * 64 + static_cast<uint64_t>(std::countr_zero(left)));
  }

 private:
  struct Word {
    uint64_t bits;
    uint32_t before;  ///< in all words before
  };
  Buffer<uint64_t> met_;
  Buffer<Word> words_;
  uint32_t size_ = 0;
};

}  // namespace sparkgap
