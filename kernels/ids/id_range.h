// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "ids/keys.h"

namespace sparkgap {

/// The least and the greatest of some integer ids.
struct IdRange {
  int64_t low = std::numeric_limits<int64_t>::max(), high = std::numeric_limits<int64_t>::min();

  IdRange& operator+=(const IdRange& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
    return *this;
  }
  bool empty() const { return low > high; }
  /// high - low, or 0 where there are no ids.
  uint64_t span() const { return empty() ? 0 : static_cast<uint64_t>(high) - static_cast<uint64_t>(low); }
};

/// The range of the ids in these rows, read once by all threads. Reading stops where the span exceeds `widest`; the
/// result's span exceeds it too then.
IdRange range_of(const KeyRows& rows, uint64_t widest);

}  // namespace sparkgap
