// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sparkgap {

/// A vertex that was reached at some distance. Out of date once it was reached nearer.
struct Reached {
  double distance;
  uint32_t vertex;
};

/// Which distances the buckets hold: bucket i those from base + i * delta on; what lies beyond the last one is far.
struct BucketWindow {
  static constexpr int kBuckets = 1024;
  double base = 0, delta = 1, per_delta = 1;

  BucketWindow(double base_in, double delta_in) : base(base_in), delta(delta_in), per_delta(1 / delta_in) {}
  /// Never falls when the distance grows, whatever the rounding. kBuckets where it is far.
  int bucket(double distance) const {
    const double at = (distance - base) * per_delta;
    return at < kBuckets ? static_cast<int>(at) : kBuckets;
  }
};

/// What one thread reached and nobody has worked off yet, by bucket of one window.
class DistanceBuckets {
 public:
  void push(const BucketWindow& window, Reached reached) { buckets_[static_cast<size_t>(window.bucket(reached.distance))].push_back(reached); }
  std::vector<Reached>& operator[](int bucket) { return buckets_[static_cast<size_t>(bucket)]; }
  std::vector<Reached>& far() { return buckets_.back(); }
  /// The first bucket from `from` on that is not empty; kBuckets where none is.
  int next(int from) const {
    while (from < BucketWindow::kBuckets && buckets_[static_cast<size_t>(from)].empty()) ++from;
    return from;
  }

 private:
  std::vector<std::vector<Reached>> buckets_ = std::vector<std::vector<Reached>>(BucketWindow::kBuckets + 1);
};

}  // namespace sparkgap
