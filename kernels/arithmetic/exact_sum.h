// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparkgap {

/// A sum that adds up apart what rounding drops, which is exact for one addition (Knuth's TwoSum). A plain sum of n
/// equal numbers is off by up to n * 1e-16, too much for millions of terms where results must agree to 1e-12 for any
/// cut of the rows. This one is off by less than the last bit, so that it hardly ever depends on the order of the
/// terms, never with whole numbers below 2^53 or the like. What it waits for is one addition per term; Kahan's sum
/// would wait for four.
class ExactSum {
 public:
  void add(double value) {
    const double next = sum_ + value, part = next - sum_;
    dropped_ += (sum_ - (next - part)) + (value - part);
    sum_ = next;
  }
  ExactSum& operator+=(const ExactSum& other) {
    add(other.sum_);
    dropped_ += other.dropped_;
    return *this;
  }
  /// Infinity where the sum is beyond the largest double.
  double value() const { return sum_ <= 1.7976931348623157e308 ? sum_ + dropped_ : sum_; }

 private:
  double sum_ = 0, dropped_ = 0;
};

}  // namespace sparkgap
