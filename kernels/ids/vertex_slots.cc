// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "ids/vertex_slots.h"

#include <algorithm>

namespace sparkgap {

Slots dense_slots(const GraphRows& rows, const DenseIds& ids, Comm& comm) {
  Slots slots;
  for (int p = 0; p <= ids.partitions.per_rank; ++p)
    slots.starts.push_back(std::min(ids.slots, int64_t{p} << ids.shift));
  const auto n = static_cast<size_t>(ids.slots);
  slots.in_degree = Buffer<int64_t>(n);
  slots.out_degree = Buffer<int64_t>(n);
  if (rows.sum_weights) slots.weight_sum = Buffer<ExactSum>(n);
  slots.marked = Buffer<uint8_t>(n);
  slots.dense_first = ids.id(comm.rank(), 0);
  slots.dense_stride = comm.size();
  if (rows.vertices) {
    const auto listed =
        split_rows<uint32_t>(*rows.vertices, ids.partitions, comm, [&](const KeyBlock& block, auto&& out) {
          for (int64_t i = 0; i < block.rows; ++i) {
            const auto place = ids.place(ids.offset(block.a[i]));
            out(ids.partition(place), place.slot);
          }
        });
    parallel_for(listed.partitions, [&](int64_t p) {
      for (int rank = 0; rank < listed.ranks; ++rank)
        for (const uint32_t slot : listed.piece(static_cast<int>(p), rank)) slots.marked[slot] = 1;
    });
  }
  return slots;
}

Slots sparse_slots(std::vector<PartitionVertices> partitions, bool weighted) {
  Slots slots;
  slots.starts.push_back(0);
  for (const PartitionVertices& p : partitions) slots.starts.push_back(slots.starts.back() + p.table.size());
  const auto n = static_cast<size_t>(slots.size());
  slots.in_degree = Buffer<int64_t>(n);
  slots.out_degree = Buffer<int64_t>(n);
  slots.ids = Buffer<int64_t>(n);
  if (weighted) slots.weight_sum = Buffer<ExactSum>(n);
  parallel_for(static_cast<int64_t>(partitions.size()), [&](int64_t p) {
    PartitionVertices& from = partitions[static_cast<size_t>(p)];
    const int64_t at = slots.starts[static_cast<size_t>(p)];
    std::copy(from.in_degree.begin(), from.in_degree.end(), slots.in_degree.begin() + at);
    std::copy(from.out_degree.begin(), from.out_degree.end(), slots.out_degree.begin() + at);
    std::copy(from.table.keys().begin(), from.table.keys().end(), slots.ids.begin() + at);
    if (weighted) std::copy(from.weight_sum.begin(), from.weight_sum.end(), slots.weight_sum.begin() + at);
    from = {};
  });
  return slots;
}

void number_listed(const GraphRows& rows, Partitions partitions, std::vector<PartitionVertices>& mine, Comm& comm) {
  if (!rows.vertices) return;
  const auto listed = split_rows<int64_t>(*rows.vertices, partitions, comm, [&](const KeyBlock& block, auto&& out) {
    for (int64_t i = 0; i < block.rows; ++i) out(partitions.of_hash(mix(block.a[i])), block.a[i]);
  });
  parallel_for(listed.partitions, [&](int64_t p) {
    for (int rank = 0; rank < listed.ranks; ++rank)
      for (const int64_t key : listed.piece(static_cast<int>(p), rank)) mine[static_cast<size_t>(p)].number(key);
  });
}

}  // namespace sparkgap
