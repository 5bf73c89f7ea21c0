// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "components/forest.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "buffers/shared_bits.h"
#include "graph/owners.h"
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

uint32_t Forest::top(uint32_t vertex) const {
  for (uint32_t above; (above = load(parent_[vertex])) != vertex;) vertex = above;
  return vertex;
}

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
      const uint32_t before = load(parent_[v]), root = top(before);
      if (root != before) Parent(parent_[v]).store(root, std::memory_order_relaxed);
    }
  });
}

/// Vertices of other ranks that have come into a set since the last merge, and roots of theirs that such a set has.
std::vector<uint32_t> Forest::joined_of_others(const Graph& graph) const {
  const auto is_own = [&](uint32_t vertex) {
    return static_cast<uint64_t>(static_cast<int64_t>(vertex) - graph.first) < static_cast<uint64_t>(graph.rows);
  };
  Buffer<uint64_t> has_grown(words_for(size()));
  parallel_ranges(size(), kGrain, [&](int64_t begin, int64_t end) {
    for (auto v = static_cast<uint32_t>(begin); v < static_cast<uint32_t>(end); ++v)
      if (const uint32_t root = parent_[v]; root != v && was_root(v) && !is_own(root))
        claim_bit(has_grown.data(), root);
  });
  const int64_t pieces = std::max<int64_t>(1, size() / kGrain);
  std::vector<std::vector<uint32_t>> parts(static_cast<size_t>(pieces));
  parallel_for(pieces, [&](int64_t i) {
    const auto end = static_cast<uint32_t>(cut(size(), pieces, i + 1));
    for (auto v = static_cast<uint32_t>(cut(size(), pieces, i)); v < end; ++v)
      if (!is_own(v) && was_root(v) && (parent_[v] != v || has_bit(has_grown.data(), v)))
        parts[static_cast<size_t>(i)].push_back(v);
  });
  std::vector<uint32_t> found;
  for (const std::vector<uint32_t>& part : parts) found.insert(found.end(), part.begin(), part.end());
  return found;
}

void Forest::merge(const Graph& graph, Comm& comm) {
  if (comm.size() == 1) return;
  const auto sorted = [](std::vector<uint32_t>& names) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
  };
  // All that is known of a vertex comes together where it is at home.
  const std::vector<uint32_t> vertices = joined_of_others(graph);
  std::vector<uint32_t> met;  // names that go from rank to rank now
  for (const uint32_t vertex : vertices) met.push_back(parent_[vertex]);
  const std::vector<Joined> told = tell_owners<Joined>(
      graph, comm, [&](auto&& visit) { std::for_each(vertices.begin(), vertices.end(), visit); },
      [&](uint32_t vertex) { return Joined{vertex, parent_[vertex]}; });
  for (const Joined& each : told) {
    met.push_back(each.root);
    join(each.vertex, each.root);
  }
  // Whoever knows two names of one set says so: of those that are new to others, and of those that were roots. After a
  // step each rank knows what twice as many, itself and those below it, knew: for any number of ranks, as nothing is
  // lost when it comes twice.
  for (const uint32_t name : names_)
    if (was_root(name)) met.push_back(name);
  const auto ranks = static_cast<size_t>(comm.size()), rank = static_cast<size_t>(comm.rank());
  for (size_t step = 1; step < ranks; step *= 2) {
    sorted(met);
    std::vector<Joined> mine;
    for (const uint32_t name : met)
      if (const uint32_t root = top(name); root != name) mine.push_back({name, root});
    for (const Joined& each : mine) met.push_back(each.root);
    std::vector<int64_t> send(ranks), receive(ranks);
    send[(rank + step) % ranks] = receive[(rank + ranks - step) % ranks] = 1;
    const auto sent = static_cast<int64_t>(mine.size());
    int64_t received = 0;
    comm.alltoallv<int64_t>(std::span(&sent, 1), send, std::span(&received, 1), receive);
    send[(rank + step) % ranks] = sent, receive[(rank + ranks - step) % ranks] = received;
    std::vector<Joined> theirs(static_cast<size_t>(received));
    comm.alltoallv<Joined>(mine, send, std::span(theirs), receive);
    for (const Joined& each : theirs) {
      met.insert(met.end(), {each.vertex, each.root});
      join(each.vertex, each.root);
    }
  }
  names_.insert(names_.end(), met.begin(), met.end());
  sorted(names_);
  compress();
  if (merged_.empty()) merged_ = Buffer<uint32_t>(parent_.size(), Content::kAnything);
  parallel_ranges(size(), kGrain, [&](int64_t begin, int64_t end) {
    std::copy(parent_.data() + begin, parent_.data() + end, merged_.data() + begin);
  });
}

uint32_t Forest::root_of_largest(const Graph& graph, Comm& comm) const {
  const int64_t drawn = std::min(size(), kDrawn);
  std::vector<uint32_t> roots(static_cast<size_t>(drawn));
  std::vector<int64_t> counts(static_cast<size_t>(comm.size()));
  for (int64_t i = 0; i < drawn; ++i) {
    const auto vertex = static_cast<uint32_t>(cut(size(), drawn, i));
    const int owner = graph.rank_of(vertex);
    ++counts[static_cast<size_t>(owner)];
    if (owner == comm.rank()) roots[static_cast<size_t>(i)] = root(vertex);
  }
  comm.allgatherv(std::span(roots), counts);
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
