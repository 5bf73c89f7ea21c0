// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "buffers/buffer.h"
#include "id_order/id_order.h"
#include "ids/vertex_ids.h"
#include "mpi/comm.h"

namespace sparkgap {

/// The ids of all ranks in their order: integers by value, strings by bytes. Each rank has a range of them, so that
/// none has all.
///
/// Memory     8 bytes and a sort for each id of the range, which are about as many as each rank brings; strings 16 and
///            their characters
/// Parallel   collective over comm
class IdDirectory {
 public:
  /// The ids of all ranks, which must be distinct.
  IdDirectory(const VertexIds& mine, Comm& comm);

  /// By index of `mine`: how many ids of all ranks are smaller.
  const Buffer<int64_t>& places() const { return places_; }
  /// The ids with these places. Collective.
  KeptIds ids_at(std::span<const int64_t> places, Comm& comm) const;

 private:
  KeptIds range_;                ///< as they came
  Buffer<uint32_t> by_place_;    ///< of the range, their indices
  std::vector<int64_t> firsts_;  ///< place of each rank's first, and the number of all
  Buffer<int64_t> places_;
};

}  // namespace sparkgap
