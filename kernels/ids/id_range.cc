// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "ids/id_range.h"

#include <atomic>

#include "arithmetic/wide.h"
#include "process/parallel.h"

namespace sparkgap {
namespace {

SPARKGAP_WIDE IdRange range_of(const int64_t* ids, int64_t n) {
  int64_t low = IdRange().low, high = IdRange().high;
  for (int64_t i = 0; i < n; ++i) low = ids[i] < low ? ids[i] : low, high = ids[i] > high ? ids[i] : high;
  return {low, high};
}

}  // namespace

IdRange range_of(const KeyRows& rows, uint64_t widest) {
  std::atomic<bool> wide{false};
  return parallel_sum<IdRange>(rows.rows(), 1 << 16, [&](int64_t begin, int64_t end) {
    IdRange range;
    rows.blocks<false>(begin, end, [&](const KeyBlock& block) {
      if (wide.load(std::memory_order_relaxed)) return;
      range += range_of(block.a, block.rows);
      if (block.b != nullptr) range += range_of(block.b, block.rows);
      if (range.span() > widest) wide = true;
    });
    return range;
  });
}

}  // namespace sparkgap
