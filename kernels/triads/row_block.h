// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "triads/oriented_rows.h"

namespace sparkgap {

/// Oriented rows of some labels, ready to be met by any others: a row with few words below its label for its
/// length also stands as a bitmap.
class RowBlock {
 public:
  /// `rows` must outlive this.
  RowBlock(const OrientedRows& rows, bool mutual);

  /// Where a row is found: one cache line for all that a meeting asks first.
  struct Place {
    int64_t at;  ///< in bitmaps where dense, else in ends
    uint32_t length;
    bool dense;
  };
  bool has(uint32_t label) const {
    const uint32_t from_first = label - first_;  // far above all rows where the label is below the first
    return stride_ == 1 ? from_first < places_.size() : from_first % stride_ == 0 && label >= first_;
  }
  const Place& place(uint32_t label) const {
    return places_[stride_ == 1 ? label - first_ : (label - first_) / stride_];
  }
  /// Bits by label up to the row's own; with `mutual`, every word is followed by one with the mutual neighbours alone.
  const uint64_t* words(const Place& place) const { return bitmaps_.data() + place.at; }
  std::span<const uint32_t> ends(const Place& place) const {
    return rows_.ends.span().subspan(static_cast<size_t>(place.at), place.length);
  }
  std::span<const uint8_t> mutual(const Place& place) const {
    return rows_.mutual.span().subspan(static_cast<size_t>(place.at), place.length);
  }
  /// The first lines of a row, which is not in cache when it is asked for.
  void prefetch_ends(const Place& place) const {
    const uint32_t* ends = rows_.ends.data() + place.at;
    for (int line = 0; line < 3; ++line) __builtin_prefetch(ends + 16 * line);
  }
  void prefetch_place(uint32_t label) const {
    if (has(label)) __builtin_prefetch(&place(label));
  }

 private:
  const OrientedRows& rows_;
  uint32_t first_, stride_;
  Buffer<Place> places_;
  Buffer<uint64_t> bitmaps_;
};

}  // namespace sparkgap
