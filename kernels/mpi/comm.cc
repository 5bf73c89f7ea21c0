// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "mpi/comm.h"

#include <cstdlib>
#include <cstring>

namespace sparkgap {

int64_t Comm::exscan(int64_t value) {
  const std::vector<int64_t> all = allgather(value);
  return std::accumulate(all.begin(), all.begin() + rank(), int64_t{0});
}

void Comm::abort(int code) { std::_Exit(code); }

void Comm::alltoallv_bytes(const void* send, std::span<const int64_t> send_counts, void* receive,
                           std::span<const int64_t>, std::span<const int64_t> places, size_t element_bytes) {
  const size_t bytes = static_cast<size_t>(send_counts[0]) * element_bytes,
               at = places.empty() ? 0 : static_cast<size_t>(places[0]) * element_bytes;
  if (bytes > 0) std::memcpy(static_cast<std::byte*>(receive) + at, send, bytes);
}

void Comm::begin_bytes(const void* send, std::span<const int64_t> send_counts, std::span<const int64_t> send_places,
                       void* receive, std::span<const int64_t> receive_counts, std::span<const int64_t> places,
                       size_t element_bytes) {
  const auto* from = static_cast<const std::byte*>(send) + static_cast<size_t>(send_places[0]) * element_bytes;
  alltoallv_bytes(from, send_counts, receive, receive_counts, places, element_bytes);
}

}  // namespace sparkgap
