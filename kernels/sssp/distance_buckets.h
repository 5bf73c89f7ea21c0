// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "buffers/buffer.h"

namespace sparkgap {

/// A vertex that was reached, and a mark of the distance: 32 bits that are those of another distance by chance alone.
/// Out of date once it was reached nearer, which was kept too.
struct Reached {
  uint32_t vertex, mark;

  Reached() = default;
  Reached(uint32_t vertex_in, uint64_t distance_bits) : vertex(vertex_in), mark(mark_of(distance_bits)) {}
  bool is_at(uint64_t distance_bits) const { return mark == mark_of(distance_bits); }

 private:
  // Small whole numbers differ in the upper half alone.
  static uint32_t mark_of(uint64_t bits) { return static_cast<uint32_t>(bits >> 32 ^ bits); }
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

/// A part of a bucket.
struct ReachedBlock {
  static constexpr uint32_t kLength = 256;
  std::array<Reached, kLength> entries;
  ReachedBlock* next;
  uint32_t size;

  std::span<const Reached> reached() const { return {entries.data(), size}; }
};

/// What one thread reached and nobody has worked off yet, by bucket of one window. Blocks come from a stock and go back
/// to one, any thread's: what is worked off is in cache when it is filled anew, and nothing is moved when a bucket
/// grows.
class DistanceBuckets {
 public:
  void push(int into, Reached reached) {
    Bucket& bucket = buckets_[static_cast<size_t>(into)];
    if (bucket.free == 0) grow(bucket);
    bucket.block->entries[ReachedBlock::kLength - bucket.free--] = reached;
  }
  /// Appends the blocks of a bucket, which is empty then.
  void take(int bucket, std::vector<ReachedBlock*>& blocks) {
    Bucket& taken = buckets_[static_cast<size_t>(bucket)];
    if (taken.block == nullptr) return;
    taken.block->size = ReachedBlock::kLength - taken.free;
    for (ReachedBlock* block = taken.block; block != nullptr; block = block->next) blocks.push_back(block);
    taken = {};
  }
  void give_back(ReachedBlock* block) { block->next = std::exchange(stock_, block); }
  uint32_t blocks(int bucket) const { return buckets_[static_cast<size_t>(bucket)].blocks; }
  bool empty(int bucket) const { return buckets_[static_cast<size_t>(bucket)].block == nullptr; }
  /// The first bucket from `from` on that is not empty; kBuckets where none is.
  int next(int from) const {
    while (from < BucketWindow::kBuckets && empty(from)) ++from;
    return from;
  }

 private:
  struct Bucket {
    ReachedBlock* block = nullptr;  ///< the one to fill; full ones follow
    uint32_t free = 0, blocks = 0;
  };
  ReachedBlock* take_block() {
    if (stock_ != nullptr) return std::exchange(stock_, stock_->next);
    if (fresh_ == 0) {
      slabs_.emplace_back(size_t{16} << std::min(2 * slabs_.size(), size_t{6}), Content::kAnything);
      fresh_ = slabs_.back().size();
    }
    return &*(slabs_.back().end() - static_cast<std::ptrdiff_t>(fresh_--));
  }
  void grow(Bucket& bucket) {
    ReachedBlock* const block = take_block();
    block->next = bucket.block;
    block->size = ReachedBlock::kLength;
    bucket = {block, ReachedBlock::kLength, bucket.blocks + 1};
  }

  std::vector<Bucket> buckets_ = std::vector<Bucket>(BucketWindow::kBuckets + 1);
  std::vector<Buffer<ReachedBlock>> slabs_;
  size_t fresh_ = 0;  ///< blocks at the end of the last slab that nobody had yet: their memory was never touched
  ReachedBlock* stock_ = nullptr;
};

}  // namespace sparkgap
