// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "triads/row_reader.h"

#include <algorithm>

namespace sparkgap {
namespace {

constexpr int64_t kHub = 1 << 14;  ///< arcs of a vertex most of whose neighbours have higher labels

}  // namespace

int64_t write_row(std::span<ArcKey> keys, uint32_t* ends, uint8_t* mutual) {
  std::sort(keys.begin(), keys.end());
  int64_t n = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto label = static_cast<uint32_t>(keys[i] >> 1);
    const bool again = i > 0 && keys[i - 1] >> 1 == label;
    if (!again) ends[n++] = label;
    if (mutual == nullptr) continue;
    // Sorted, so a change of direction within a label is seen at the one place where it happens.
    if (!again) mutual[n - 1] = 0;
    if (again && keys[i - 1] != keys[i]) mutual[n - 1] = 1;
  }
  return n;
}

int64_t RowReader::count(int64_t vertex) const {
  const uint32_t own = label_of(vertex);
  const auto lower = [&](std::span<const uint32_t> arcs) {
    int64_t n = 0;
    for (const uint32_t v : arcs) n += label_[v] < own;
    return n;
  };
  return lower(graph_.in.of(vertex)) + (graph_.directed ? lower(graph_.out.of(vertex)) : 0);
}

void RowReader::read(int64_t vertex) {
  const uint32_t own = label_of(vertex);
  const int64_t arcs = graph_.in.degree(vertex) + (graph_.directed ? graph_.out.degree(vertex) : 0);
  const auto most = static_cast<size_t>(arcs < kHub ? arcs : count(vertex));
  if (keys_.size() <= most) keys_.resize(most + 1);
  size_t n = 0;
  const auto pull = [&](std::span<const uint32_t> to, ArcKey direction) {
    for (const uint32_t v : to) {
      keys_[n] = ArcKey{label_[v]} << 1 | direction;
      n += label_[v] < own;  // no branch to guess
    }
  };
  pull(graph_.in.of(vertex), 0);
  if (graph_.directed) pull(graph_.out.of(vertex), 1);
  if (ends_.size() < n) ends_.resize(n);
  if (is_mutual_ && mutual_.size() < n) mutual_.resize(n);
  length_ = static_cast<size_t>(write_row({keys_.data(), n}, ends_.data(), is_mutual_ ? mutual_.data() : nullptr));
}

}  // namespace sparkgap
