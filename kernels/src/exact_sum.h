// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparkgap {

/// A sum that carries along what rounding drops (Kahan). A plain sum of n equal numbers is off by up to n * 1e-16, too much for
/// millions of terms where results must agree to 1e-12 for any cut of the rows.
class ExactSum {
 public:
  void add(double value) {
    const double rest = value - dropped_;
    const double next = sum_ + rest;
    dropped_ = (next - sum_) - rest;
    sum_ = next;
  }
  ExactSum& operator+=(const ExactSum& other) {
    add(other.sum_);
    add(-other.dropped_);
    return *this;
  }
  double value() const { return sum_; }

 private:
  double sum_ = 0, dropped_ = 0;
};

}  // namespace sparkgap
