// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "ids/vertex_slots.h"

namespace sparkgap {

/// Slots that are no vertex have no row.
inline constexpr uint32_t kNoRow = 0xffffffffu;

/// Degrees in classes, 0 the highest: below 2048 each has a class of its own, then there are 32 for every power of two.
inline constexpr int64_t kExactDegrees = 2048;
inline constexpr int kDegreeClasses = static_cast<int>(kExactDegrees) + 52 * 32;

inline int degree_class(int64_t degree) {
  if (degree < kExactDegrees) return kDegreeClasses - 1 - static_cast<int>(degree);
  const int octave = std::bit_width(static_cast<uint64_t>(degree)) - 1;
  const int step = static_cast<int>(degree >> (octave - 5)) & 31;
  return kDegreeClasses - 1 - (static_cast<int>(kExactDegrees) + (octave - 11) * 32 + step);
}

/// Rows for the vertices of this rank, by falling out-degree, equals in slot order: what most arcs come from then lies
/// together and stays in cache. By degree_class.
struct DegreeOrder {
  Buffer<uint32_t> row_of_slot;
  int64_t rows = 0;
};

/// A counting sort over degree classes, O(slots).
DegreeOrder order_by_degree(const Slots& slots, const Buffer<int64_t>& degrees);

}  // namespace sparkgap
