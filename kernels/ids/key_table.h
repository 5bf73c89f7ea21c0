// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "rows/partitions.h"

namespace sparkgap {

/// The distinct keys of one partition, numbered 0, 1, ... in order of first appearance. Every int64 is a legal key: the
/// slots hold numbers, and emptiness is marked there. At most half of the slots are taken; keys and slots of a
/// partition of the usual size stay in the L2 cache.
class KeyTable {
 public:
  static constexpr uint32_t kNone = 0xffffffffu;

  uint32_t size() const { return static_cast<uint32_t>(keys_.size()); }
  const std::vector<int64_t>& keys() const { return keys_; }

  /// The number of the key, which is the old size() where it is new. `hash` is mix(key).
  uint32_t insert(int64_t key, uint64_t hash) {
    if (2 * keys_.size() >= slots_.size()) grow();
    for (uint64_t slot = hash & mask_;; slot = (slot + 1) & mask_) {
      const uint32_t number = slots_[slot];
      if (number == kNone) {
        slots_[slot] = size();
        keys_.push_back(key);
        return slots_[slot];
      }
      if (keys_[number] == key) return number;
    }
  }
  /// kNone where the key is not there.
  uint32_t find(int64_t key, uint64_t hash) const {
    if (slots_.empty()) return kNone;
    for (uint64_t slot = hash & mask_;; slot = (slot + 1) & mask_) {
      const uint32_t number = slots_[slot];
      if (number == kNone || keys_[number] == key) return number;
    }
  }

 private:
  void grow() {
    const size_t size = slots_.empty() ? 64 : 2 * slots_.size();
    slots_ = {};  // not beside the new ones
    slots_.assign(size, kNone);
    mask_ = slots_.size() - 1;
    for (uint32_t number = 0; number < keys_.size(); ++number) {
      uint64_t slot = mix(keys_[number]) & mask_;
      while (slots_[slot] != kNone) slot = (slot + 1) & mask_;
      slots_[slot] = number;
    }
  }
  std::vector<int64_t> keys_;
  std::vector<uint32_t> slots_;
  uint64_t mask_ = 0;
};

}  // namespace sparkgap
