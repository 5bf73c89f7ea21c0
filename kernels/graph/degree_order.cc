// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "graph/degree_order.h"

namespace sparkgap {

DegreeOrder order_by_degree(const Slots& slots, const Buffer<int64_t>& degrees) {
  const int64_t groups = std::clamp<int64_t>(slots.size() >> 15, 1, 4 * threads());
  SplitPlan plan(groups, kDegreeClasses);
  const auto each = [&](int64_t group, auto&& body) {
    for (int64_t s = cut(slots.size(), groups, group), end = cut(slots.size(), groups, group + 1); s < end; ++s) {
      const auto slot = static_cast<size_t>(s);
      if (slots.is_vertex(slot)) body(slot, static_cast<size_t>(degree_class(degrees[slot])));
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
    for (int64_t s = cut(slots.size(), groups, group), end = cut(slots.size(), groups, group + 1); s < end; ++s)
      order.row_of_slot[static_cast<size_t>(s)] = kNoRow;
    each(group, [&](size_t slot, size_t c) { order.row_of_slot[slot] = static_cast<uint32_t>(places[c]++); });
  });
  return order;
}

}  // namespace sparkgap
