// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>

#include "buffers/buffer.h"

namespace sparkgap {

/// Labels that are numbers of vertices: below the number of all vertices, and the more often they occur the smaller.
/// Which of two ids is smaller, their places say.
struct NumberLabels {
  using Label = uint32_t;
  int64_t vertices;
  const uint32_t* places;  ///< by label
  uint32_t place(uint32_t label) const { return places[label]; }
};

/// Labels that are places of ids among those of all ranks.
template <typename T>
struct PlaceLabels {
  using Label = T;
  T place(T label) const { return label; }
};

/// Finds the most frequent of some labels, of equally frequent ones the one with the smallest place. One per thread.
///
/// Few labels are counted in a table that stays in the L1 cache. Many are counted in an array by label where there is
/// one number for each label, which is fast because those that occur often share the cache; else in a table that holds
/// the longest row.
template <typename Labels>
class LabelVotes {
 public:
  using Label = typename Labels::Label;

  /// At most `longest` votes at a time.
  LabelVotes(const Labels& labels, int64_t longest) : labels_(labels) {
    if constexpr (kByNumber) {
      count_ = Buffer<uint32_t>(static_cast<size_t>(labels.vertices));
      seen_ = Buffer<uint32_t>(static_cast<size_t>(std::min(labels.vertices, longest)) + 1);
    } else if (longest > int64_t{kFew}) {
      const auto slots = std::bit_ceil(2 * static_cast<uint64_t>(longest));
      many_ = Buffer<Slot>(static_cast<size_t>(slots));
      many_shift_ = 64 - std::countr_zero(slots);
      seen_ = Buffer<uint32_t>(static_cast<size_t>(longest) + 1);
    }
  }

  /// Of the votes label_of(place of v) for v in a and in b, together at least one.
  template <typename LabelOf>
  Label winner(std::span<const uint32_t> a, std::span<const uint32_t> b, LabelOf&& label_of) {
    return a.size() + b.size() <= kFew ? of_few(a, b, label_of) : of_many(a, b, label_of);
  }

 private:
  static constexpr size_t kFew = 64;
  static constexpr int kTableBits = 8;  // four times kFew: most labels find their slot free
  static constexpr bool kByNumber = std::is_same_v<Labels, NumberLabels>;
  struct Slot {
    Label label;
    uint32_t count;
  };

  /// The best so far.
  struct Best {
    Label label = 0;
    uint32_t count = 0;
    Label place = 0;
    void offer(Label other, uint32_t times, const Labels& labels) {
      if (times < count) return;
      const Label at = labels.place(other);
      if (times == count && at > place) return;
      *this = {other, times, at};
    }
  };

  /// The slot of a label, or the free one that it gets.
  static uint32_t slot_of(const Slot* table, int shift, Label label) {
    const uint32_t last = static_cast<uint32_t>((uint64_t{1} << (64 - shift)) - 1);
    uint32_t at;
    if constexpr (sizeof(Label) == 4) at = label * 0x9e3779b1u >> (shift - 32);
    else at = static_cast<uint32_t>(label * 0x9e3779b97f4a7c15u >> shift);
    while (table[at].count != 0 && table[at].label != label) at = (at + 1) & last;
    return at;
  }

  template <typename LabelOf>
  Label of_few(std::span<const uint32_t> a, std::span<const uint32_t> b, LabelOf& label_of) {
    uint8_t taken[kFew];
    size_t distinct = 0;
    const auto vote = [&](const uint32_t& vertex) {
      const Label label = label_of(&vertex);
      const uint32_t at = slot_of(table_, 64 - kTableBits, label);
      taken[distinct] = static_cast<uint8_t>(at);
      distinct += table_[at].count == 0;
      table_[at] = {label, table_[at].count + 1};
    };
    for (const uint32_t& vertex : a) vote(vertex);
    for (const uint32_t& vertex : b) vote(vertex);
    Best best;
    for (size_t i = 0; i < distinct; ++i) {
      Slot& slot = table_[taken[i]];
      best.offer(slot.label, slot.count, labels_);
      slot.count = 0;
    }
    return best.label;
  }

  template <typename LabelOf>
  Label of_many(std::span<const uint32_t> a, std::span<const uint32_t> b, LabelOf& label_of) {
    size_t distinct = 0;
    uint32_t* const seen = seen_.data();
    Best best;
    if constexpr (!kByNumber) {
      Slot* const table = many_.data();
      const auto vote = [&](const uint32_t& vertex) {
        const Label label = label_of(&vertex);
        const uint32_t at = slot_of(table, many_shift_, label);
        seen[distinct] = at;
        distinct += table[at].count == 0;
        table[at] = {label, table[at].count + 1};
      };
      for (const uint32_t& vertex : a) vote(vertex);
      for (const uint32_t& vertex : b) vote(vertex);
      for (size_t i = 0; i < distinct; ++i) {
        Slot& slot = table[seen[i]];
        best.offer(slot.label, slot.count, labels_);
        slot.count = 0;
      }
      return best.label;
    }
    uint32_t* const count = count_.data();
    const auto vote = [&](const uint32_t& vertex) {
      const uint32_t label = static_cast<uint32_t>(label_of(&vertex));
      seen[distinct] = label;  // overwritten by the next where it was there already
      distinct += count[label]++ == 0;
    };
    for (const uint32_t& vertex : a) vote(vertex);
    for (const uint32_t& vertex : b) vote(vertex);
    for (size_t i = 0; i < distinct; ++i) {
      const uint32_t label = seen[i];
      best.offer(label, count[label], labels_);
      count[label] = 0;
    }
    return best.label;
  }

  const Labels labels_;
  Slot table_[1 << kTableBits] = {};
  Buffer<uint32_t> count_;  ///< by label, all 0 between calls
  Buffer<Slot> many_;       ///< likewise, by hash
  int many_shift_ = 0;
  Buffer<uint32_t> seen_;  ///< labels, or slots
};

}  // namespace sparkgap
