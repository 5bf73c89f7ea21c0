// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "degree_order.h"

#include <bit>

namespace sparkgap {
namespace {

constexpr int64_t kExact = 2048;  // degrees below have a class each, then 32 classes per power of two
constexpr int kClasses = kExact + 52 * 32;

/// 0 for the highest degrees, kClasses - 1 for degree 0.
int class_of(int64_t degree) {
  if (degree < kExact) return kClasses - 1 - static_cast<int>(degree);
  const int octave = std::bit_width(static_cast<uint64_t>(degree)) - 1;
  const int step = static_cast<int>(degree >> (octave - 5)) & 31;
  return kClasses - 1 - (static_cast<int>(kExact) + (octave - 11) * 32 + step);
}

}  // namespace

DegreeOrder order_by_degree(const Slots& slots) {
  const int64_t groups = std::clamp<int64_t>(slots.size() >> 15, 1, 4 * threads());
  SplitPlan plan(groups, kClasses);
  const auto each = [&](int64_t group, auto&& body) {
    for (int64_t s = cut(slots.size(), groups, group), end = cut(slots.size(), groups, group + 1); s < end; ++s) {
      const auto slot = static_cast<size_t>(s);
      if (slots.is_vertex(slot)) body(slot, static_cast<size_t>(class_of(slots.out_degree[slot])));
    }
  };
  parallel_for(groups, [&](int64_t group) {
    const auto counts = plan.row(group);
    each(group, [&](size_t, size_t c) { ++counts[c]; });
  });
  plan.finish();
  DegreeOrder order;
  order.rows = plan.records();
  order.row_of_slot = Buffer<uint32_t>(static_cast<size_t>(slots.size()));
  parallel_for(groups, [&](int64_t group) {
    const auto places = plan.row(group);
    for (int64_t s = cut(slots.size(), groups, group); s < cut(slots.size(), groups, group + 1); ++s) order.row_of_slot[static_cast<size_t>(s)] = kNoRow;
    each(group, [&](size_t slot, size_t c) { order.row_of_slot[slot] = static_cast<uint32_t>(places[c]++); });
  });
  return order;
}

}  // namespace sparkgap
