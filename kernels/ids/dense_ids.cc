// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "ids/dense_ids.h"

namespace sparkgap {

uint64_t DenseIds::widest(int64_t arcs, int64_t listed, int ranks) {
  // Slots cost up to 24 bytes, so that the widest range still costs less than hash tables would.
  return static_cast<uint64_t>(
      std::min<int64_t>(arcs + arcs / 4 + listed, (int64_t{1} << 32) - 64 * int64_t{ranks + 1}));
}

std::optional<DenseIds> DenseIds::find(const GraphRows& rows, Comm& comm) {
  if (rows.strings) return std::nullopt;
  const int64_t listed = rows.vertices ? rows.vertices->table().rows_global : 0;
  const uint64_t widest = DenseIds::widest(rows.arcs_global, listed, comm.size());
  IdRange range = range_of(rows.edges, widest);
  if (rows.vertices && range.span() <= widest) range += range_of(*rows.vertices, widest);
  range.low = comm.allreduce<int64_t>(range.low, Reduce::kMin);
  range.high = comm.allreduce<int64_t>(range.high, Reduce::kMax);
  if (range.span() > widest) return std::nullopt;
  return over(range, rows.arcs_global, comm.size());
}

DenseIds DenseIds::over(const IdRange& range, int64_t arcs, int ranks) {
  DenseIds ids;
  ids.first = range.low;
  ids.partitions = Partitions::for_edges(arcs, ranks);
  ids.slots = static_cast<int64_t>(range.span()) / ranks + 1;
  const int64_t in_one = (ids.slots + ids.partitions.per_rank - 1) / ids.partitions.per_rank;
  ids.shift = std::bit_width(static_cast<uint64_t>(in_one - 1));
  ids.partitions.per_rank = static_cast<int>((ids.slots - 1) >> ids.shift) + 1;
  return ids;
}

}  // namespace sparkgap
