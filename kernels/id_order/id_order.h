// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "buffers/buffer.h"
#include "ids/vertex_ids.h"
#include "mpi/comm.h"

// Ids in order: integers by value, strings by bytes. For kernels whose result depends on which of two ids is smaller.

namespace sparkgap {

/// Ids, and what they lie in unless it is what the ids they were made of lie in.
struct KeptIds {
  VertexIds ids;
  std::vector<std::shared_ptr<const void>> keep = {};
};

/// Every rank's ids on every rank, rank by rank: those of a graph stand at the numbers of their vertices.
///
/// Cost       8 bytes per id on each rank; strings 16 (more than one rank: 20) and their characters
/// Parallel   collective over comm; nothing is copied of integers where there is one rank
[[nodiscard]] KeptIds gather_ids(const VertexIds& mine, Comm& comm);

/// Sends ids, `counts` of them to each rank in the order of ranks; `received` of each come. Collective.
[[nodiscard]] KeptIds send_ids(std::span<const int64_t> ids, const std::vector<int64_t>& counts,
                               std::vector<int64_t>& received, Comm& comm);
[[nodiscard]] KeptIds send_ids(std::span<const std::string_view> ids, const std::vector<int64_t>& counts,
                               std::vector<int64_t>& received, Comm& comm);

/// By index: how many of these ids are smaller. The ids must be distinct.
///
/// Cost       integers that lie close together (64 times as many at most): 2 reads and a bit per possible id; others: a
///            sort, 33 bytes per id
/// Parallel   local; all threads; the same result for any number of them
[[nodiscard]] Buffer<uint32_t> places_of(const VertexIds& ids);

}  // namespace sparkgap
