// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "ids/dense_ids.h"

#include <atomic>
#include <limits>

#include "arithmetic/wide.h"

namespace sparkgap {
namespace {

struct Range {
  int64_t low = std::numeric_limits<int64_t>::max(), high = std::numeric_limits<int64_t>::min();

  Range& operator+=(const Range& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
    return *this;
  }
  /// high - low, or 0 where there are no keys.
  uint64_t span() const { return low > high ? 0 : static_cast<uint64_t>(high) - static_cast<uint64_t>(low); }
};

SPARKGAP_WIDE Range range_of(const int64_t* keys, int64_t n) {
  int64_t low = Range().low, high = Range().high;
  for (int64_t i = 0; i < n; ++i) low = keys[i] < low ? keys[i] : low, high = keys[i] > high ? keys[i] : high;
  return {low, high};
}

/// Stops early where the range is too wide already.
Range range_of(const KeyRows& rows, uint64_t widest) {
  std::atomic<bool> wide{false};
  return parallel_sum<Range>(rows.rows(), 1 << 16, [&](int64_t begin, int64_t end) {
    Range range;
    rows.blocks<false>(begin, end, [&](const KeyBlock& block) {
      if (wide.load(std::memory_order_relaxed)) return;
      range += range_of(block.a, block.rows);
      if (block.b != nullptr) range += range_of(block.b, block.rows);
      if (range.span() > widest) wide = true;
    });
    return range;
  });
}

}  // namespace

std::optional<DenseIds> DenseIds::find(const GraphRows& rows, Comm& comm) {
  if (rows.strings) return std::nullopt;
  const int64_t listed = rows.vertices ? rows.vertices->table().rows_global : 0;
  // Slots cost up to 24 bytes, so that the widest range still costs less than hash tables would.
  const auto widest = static_cast<uint64_t>(std::min<int64_t>(rows.arcs_global + rows.arcs_global / 4 + listed,
                                                              (int64_t{1} << 32) - 64 * int64_t{comm.size() + 1}));
  Range range = range_of(rows.edges, widest);
  if (rows.vertices && range.span() <= widest) range += range_of(*rows.vertices, widest);
  range.low = comm.allreduce<int64_t>(range.low, Reduce::kMin);
  range.high = comm.allreduce<int64_t>(range.high, Reduce::kMax);
  if (range.span() > widest) return std::nullopt;

  DenseIds ids;
  ids.first = range.low;
  ids.partitions = Partitions::for_edges(rows.arcs_global, comm.size());
  ids.slots = static_cast<int64_t>(range.span()) / comm.size() + 1;
  const int64_t in_one = (ids.slots + ids.partitions.per_rank - 1) / ids.partitions.per_rank;
  ids.shift = std::bit_width(static_cast<uint64_t>(in_one - 1));
  ids.partitions.per_rank = static_cast<int>((ids.slots - 1) >> ids.shift) + 1;
  return ids;
}

}  // namespace sparkgap
