// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

#include "ids/graph_rows.h"
#include "ids/id_range.h"

namespace sparkgap {

/// Integer ids that fill a range so well that an array over the range is cheaper than hash tables. The range is dealt
/// out cyclically: id `first + o` is slot o / ranks of rank o mod ranks, and 2^shift consecutive slots are a partition.
struct DenseIds {
  int64_t first = 0;
  int64_t slots = 1;  ///< of each rank
  int shift = 0;
  Partitions partitions;

  /// The widest span of ids (greatest less least) that is still dense: 1.25 times the arcs, and the vertices listed
  /// beside them.
  static uint64_t widest(int64_t arcs, int64_t listed, int ranks);
  /// All ids of a range.
  static DenseIds over(const IdRange& range, int64_t arcs, int ranks);
  /// Nothing where ids are strings, or their span is wider than that. Collective.
  static std::optional<DenseIds> find(const GraphRows& rows, Comm& comm);

  uint32_t offset(int64_t id) const {
    return static_cast<uint32_t>(static_cast<uint64_t>(id) - static_cast<uint64_t>(first));
  }
  struct Place {
    uint32_t rank, slot;
  };
  Place place(uint32_t offset) const {
    const auto ranks = static_cast<uint32_t>(partitions.ranks);
    if (ranks == 1) return {0, offset};
    return {offset % ranks, offset / ranks};
  }
  int partition(Place place) const {
    return static_cast<int>(place.rank) * partitions.per_rank + static_cast<int>(place.slot >> shift);
  }
  /// All slots of all ranks in one row, rank by rank, each rank's from a multiple of 64 on.
  uint32_t flat(Place place) const { return place.rank * static_cast<uint32_t>(stride()) + place.slot; }
  int64_t stride() const { return (slots + 63) / 64 * 64; }
  int64_t id(int rank, int64_t slot) const {
    return static_cast<int64_t>(static_cast<uint64_t>(first) + static_cast<uint64_t>(slot * partitions.ranks + rank));
  }
};

}  // namespace sparkgap
