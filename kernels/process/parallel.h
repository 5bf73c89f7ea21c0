// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <omp.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <vector>

namespace sparkgap {

/// Threads of this rank, as set by main (omp_set_num_threads).
inline int threads() { return omp_get_max_threads(); }

/// body(i) for i in [0, n) on all threads, one at a time from a common queue. The first exception of a body comes out
/// here.
template <typename Body>
void parallel_for(int64_t n, Body&& body) {
  std::exception_ptr failure;
  std::atomic<bool> failed{false};
#pragma omp parallel for schedule(dynamic, 1) if (n > 1)
  for (int64_t i = 0; i < n; ++i) {
    if (failed.load(std::memory_order_relaxed)) continue;
    try {
      body(i);
    } catch (...) {
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

/// [0, n) cut into ranges of nearly equal length: range i is [cut(n, parts, i), cut(n, parts, i + 1)).
inline int64_t cut(int64_t n, int64_t parts, int64_t i) {
  return static_cast<int64_t>(static_cast<__int128>(n) * i / parts);
}

/// body(begin, end) on ranges of [0, n) of at least `grain` elements. The ranges depend on n and grain alone.
template <typename Body>
void parallel_ranges(int64_t n, int64_t grain, Body&& body) {
  const int64_t parts = n / grain < 1 ? 1 : n / grain > 1024 ? 1024 : n / grain;
  parallel_for(n == 0 ? 0 : parts, [&](int64_t i) { body(cut(n, parts, i), cut(n, parts, i + 1)); });
}

/// The sum, over the same ranges and in their order, of what body(begin, end) returns: the same for any number of
/// threads.
template <typename Value, typename Body>
Value parallel_sum(int64_t n, int64_t grain, Body&& body) {
  const int64_t parts = n / grain < 1 ? 1 : n / grain > 1024 ? 1024 : n / grain;
  std::vector<Value> part(static_cast<size_t>(parts));
  parallel_for(parts, [&](int64_t i) { part[static_cast<size_t>(i)] = body(cut(n, parts, i), cut(n, parts, i + 1)); });
  Value sum{};
  for (const Value& value : part) sum += value;
  return sum;
}

}  // namespace sparkgap
