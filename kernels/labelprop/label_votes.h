// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "buffers/buffer.h"

namespace sparkgap {

/// Finds the most frequent of some labels, of equally frequent ones the one with the smallest place. One per thread.
///
/// Few labels are counted in a table that stays in the L1 cache. Many are counted in an array by label, which is fast
/// because labels are numbers of vertices in the order of their degree: those that occur often are small, and share the
/// cache.
class LabelVotes {
 public:
  /// Labels are below `labels`; places are by label. At most `longest` votes at a time.
  LabelVotes(int64_t labels, int64_t longest, const uint32_t* places)
      : places_(places), count_(static_cast<size_t>(labels)),
        seen_(static_cast<size_t>(std::min(labels, longest)) + 1) {}

  /// Of the votes label_of(place of v) for v in a and in b, together at least one.
  template <typename LabelOf>
  uint32_t winner(std::span<const uint32_t> a, std::span<const uint32_t> b, LabelOf&& label_of) {
    return a.size() + b.size() <= kFew ? of_few(a, b, label_of) : of_many(a, b, label_of);
  }

 private:
  static constexpr size_t kFew = 64;
  static constexpr int kTableBits = 8;  // four times kFew: most labels find their slot free
  struct Slot {
    uint32_t label, count;
  };

  /// The best so far.
  struct Best {
    uint32_t label = 0, count = 0, place = 0;
    void offer(uint32_t other, uint32_t times, const uint32_t* places) {
      if (times < count) return;
      const uint32_t at = places[other];
      if (times == count && at > place) return;
      *this = {other, times, at};
    }
  };

  template <typename LabelOf>
  uint32_t of_few(std::span<const uint32_t> a, std::span<const uint32_t> b, LabelOf& label_of) {
    uint8_t taken[kFew];
    size_t distinct = 0;
    const auto vote = [&](const uint32_t& vertex) {
      const uint32_t label = label_of(&vertex);
      uint32_t at = label * 0x9e3779b1u >> (32 - kTableBits);
      while (table_[at].count != 0 && table_[at].label != label) at = (at + 1) % (1u << kTableBits);
      taken[distinct] = static_cast<uint8_t>(at);
      distinct += table_[at].count == 0;
      table_[at] = {label, table_[at].count + 1};
    };
    for (const uint32_t& vertex : a) vote(vertex);
    for (const uint32_t& vertex : b) vote(vertex);
    Best best;
    for (size_t i = 0; i < distinct; ++i) {
      Slot& slot = table_[taken[i]];
      best.offer(slot.label, slot.count, places_);
      slot.count = 0;
    }
    return best.label;
  }

  template <typename LabelOf>
  uint32_t of_many(std::span<const uint32_t> a, std::span<const uint32_t> b, LabelOf& label_of) {
    size_t distinct = 0;
    uint32_t* const count = count_.data();
    uint32_t* const seen = seen_.data();
    const auto vote = [&](const uint32_t& vertex) {
      const uint32_t label = label_of(&vertex);
      seen[distinct] = label;  // overwritten by the next where it was there already
      distinct += count[label]++ == 0;
    };
    for (const uint32_t& vertex : a) vote(vertex);
    for (const uint32_t& vertex : b) vote(vertex);
    Best best;
    for (size_t i = 0; i < distinct; ++i) {
      const uint32_t label = seen[i];
      best.offer(label, count[label], places_);
      count[label] = 0;
    }
    return best.label;
  }

  const uint32_t* places_;
  Slot table_[1 << kTableBits] = {};
  Buffer<uint32_t> count_;  ///< by label, all 0 between calls
  Buffer<uint32_t> seen_;
};

}  // namespace sparkgap
