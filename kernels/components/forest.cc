// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "components/forest.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "process/parallel.h"

namespace sparkgap {
namespace {

constexpr int64_t kGrain = 1 << 14;
constexpr int64_t kDrawn = 1024;

using Parent = std::atomic_ref<uint32_t>;

uint32_t load(uint32_t& parent) { return Parent(parent).load(std::memory_order_relaxed); }

}  // namespace

Forest::Forest(int64_t vertices) : parent_(static_cast<size_t>(vertices)) {
  parallel_ranges(vertices, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v) parent_[static_cast<size_t>(v)] = static_cast<uint32_t>(v);
  });
}

uint32_t Forest::root(uint32_t vertex) const { return load(parent_[vertex]); }

void Forest::join(uint32_t a, uint32_t b) {
  a = load(parent_[a]), b = load(parent_[b]);
  while (a != b) {
    const uint32_t high = std::max(a, b), low = std::min(a, b);
    uint32_t above = load(parent_[high]);
    if (above == low) return;
    // Only a root may be pointed elsewhere, or its set would be torn apart.
    if (above == high && Parent(parent_[high]).compare_exchange_strong(above, low, std::memory_order_relaxed)) return;
    a = load(parent_[above]), b = load(parent_[low]);
  }
}

void Forest::compress() {
  parallel_ranges(size(), kGrain, [&](int64_t begin, int64_t end) {
    for (auto v = static_cast<size_t>(begin); v < static_cast<size_t>(end); ++v) {
      const uint32_t before = load(parent_[v]);
      uint32_t top = before;
      for (uint32_t above; (above = load(parent_[top])) != top;) top = above;
      if (top != before) Parent(parent_[v]).store(top, std::memory_order_relaxed);
    }
  });
}

void Forest::merge(Comm& comm) {
  if (comm.size() == 1) return;
  const int ranks = comm.size(), rank = comm.rank();
  Buffer<uint32_t> theirs(parent_.size());
  // After a step each rank knows what twice as many, itself and those below it, knew: for any number of ranks, as
  // nothing is lost when a join comes twice.
  for (int step = 1; step < ranks; step *= 2) {
    std::vector<int64_t> send(static_cast<size_t>(ranks)), receive(send.size());
    send[static_cast<size_t>((rank + step) % ranks)] = size();
    receive[static_cast<size_t>((rank + ranks - step) % ranks)] = size();
    comm.alltoallv<uint32_t>(parent_.span(), send, theirs.span(), receive);
    parallel_ranges(size(), kGrain, [&](int64_t begin, int64_t end) {
      for (auto v = static_cast<size_t>(begin); v < static_cast<size_t>(end); ++v)
        if (theirs[v] != v) join(static_cast<uint32_t>(v), theirs[v]);
    });
    compress();
  }
}

uint32_t Forest::root_of_largest() const {
  const int64_t drawn = std::min(size(), kDrawn);
  std::vector<uint32_t> roots;
  for (int64_t i = 0; i < drawn; ++i) roots.push_back(root(static_cast<uint32_t>(cut(size(), drawn, i))));
  std::sort(roots.begin(), roots.end());
  uint32_t largest = 0;
  int64_t most = 0;
  for (auto at = roots.begin(); at != roots.end();) {
    const auto end = std::upper_bound(at, roots.end(), *at);
    if (end - at > most) most = end - at, largest = *at;
    at = end;
  }
  return largest;
}

}  // namespace sparkgap
