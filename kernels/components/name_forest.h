// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "ids/key_table.h"

namespace sparkgap {

/// A partition of some numbers of vertices, of any ranks, which grows coarser. By one thread.
class NameForest {
 public:
  /// The smallest number of the set; the number itself where nothing is known of it.
  int64_t top(int64_t name) const {
    const uint32_t at = table_.find(name, mix(name));
    return at == KeyTable::kNone ? name : table_.keys()[top_of(at)];
  }
  /// Makes two sets one; whether they were two.
  bool join(int64_t a, int64_t b) {
    uint32_t one = top_of(add(a)), other = top_of(add(b));
    if (one == other) return false;
    if (table_.keys()[one] > table_.keys()[other]) std::swap(one, other);
    parent_[other] = one;
    return true;
  }

 private:
  uint32_t add(int64_t name) {
    const uint32_t at = table_.insert(name, mix(name));
    if (at == parent_.size()) parent_.push_back(at);
    return at;
  }
  uint32_t top_of(uint32_t at) const {
    for (; parent_[at] != at; at = parent_[at]) parent_[at] = parent_[parent_[at]];
    return at;
  }

  KeyTable table_;
  mutable std::vector<uint32_t> parent_;  ///< by position in the table; ways get shorter as they are gone
};

}  // namespace sparkgap
