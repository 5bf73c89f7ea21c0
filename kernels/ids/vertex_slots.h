// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "arithmetic/exact_sum.h"
#include "buffers/buffer.h"
#include "ids/dense_ids.h"
#include "ids/graph_rows.h"
#include "ids/key_table.h"

namespace sparkgap {

/// The places for vertices on this rank while a graph is built, partition by partition. With sparse ids every slot is a
/// vertex; with dense ids a slot is one if it is marked or has a degree.
struct Slots {
  std::vector<int64_t> starts;  ///< first slot of each partition, and their number
  Buffer<int64_t> in_degree, out_degree;
  Buffer<ExactSum> weight_sum;  ///< of outgoing arcs; empty unless GraphRows::sum_weights
  Buffer<uint8_t> marked;       ///< dense: listed among the vertices; empty for sparse ids
  Buffer<int64_t> ids;          ///< sparse: by slot
  int64_t dense_first = 0, dense_stride = 1;

  int64_t size() const { return starts.back(); }
  bool is_vertex(size_t slot) const {
    return marked.empty() || marked[slot] || in_degree[slot] > 0 || out_degree[slot] > 0;
  }
  int64_t id(size_t slot) const {
    return ids.empty()
               ? static_cast<int64_t>(static_cast<uint64_t>(dense_first) + slot * static_cast<uint64_t>(dense_stride))
               : ids[slot];
  }
};

/// The vertices of one partition while sparse ids are numbered.
struct PartitionVertices {
  KeyTable table;
  std::vector<int64_t> in_degree, out_degree;
  std::vector<ExactSum> weight_sum;  ///< may be shorter

  void add_weight(uint32_t n, double weight) {
    if (n >= weight_sum.size()) weight_sum.resize(in_degree.size());
    weight_sum[n].add(weight);
  }

  uint32_t number(int64_t key) {
    const uint32_t n = table.insert(key, mix(key));
    if (n == in_degree.size()) {
      in_degree.push_back(0);
      out_degree.push_back(0);
    }
    return n;
  }
};

/// Empty slots of this rank for dense ids, with the vertices table marked. Collective.
Slots dense_slots(const GraphRows& rows, const DenseIds& ids, Comm& comm);

/// Slots out of numbered partitions, which are given back on the way.
Slots sparse_slots(std::vector<PartitionVertices> partitions, bool weighted);

/// Adds the ids of the vertices table, if any, to the partitions of their owners. Collective.
void number_listed(const GraphRows& rows, Partitions partitions, std::vector<PartitionVertices>& mine, Comm& comm);

}  // namespace sparkgap
