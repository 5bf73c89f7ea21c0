// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vertex_slots.h"

namespace sparkgap {

/// Slots that are no vertex have no row.
inline constexpr uint32_t kNoRow = 0xffffffffu;

/// Rows for the vertices of this rank, by falling out-degree, equals in slot order: what most arcs come from then lies together
/// and stays in cache. Degrees above 2047 are told apart to 5 bits only.
struct DegreeOrder {
  Buffer<uint32_t> row_of_slot;
  int64_t rows = 0;
};

/// A counting sort over degree classes, O(slots).
DegreeOrder order_by_degree(const Slots& slots);

}  // namespace sparkgap
