// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "degree_order.h"
#include "graph.h"
#include "split.h"

namespace sparkgap {

#pragma pack(push, 4)
/// What a record carries with weights, and nothing without.
template <bool kWeighted>
struct Weight {
  void set_weight(const KeyBlock&, int64_t) {}
};
template <>
struct Weight<true> {
  double weight;
  void set_weight(const KeyBlock& block, int64_t row) { weight = block.weight[row]; }
};

/// An arc on its way into a row.
template <bool kWeighted>
struct Arc : Weight<kWeighted> {
  uint32_t to;    ///< slot, counted from the first of its partition
  uint32_t from;  ///< number of the source vertex, or its place in `number_of` below
};
#pragma pack(pop)

/// Fills the incoming arcs of a graph with numbered vertices (where rows are turned: the outgoing ones), then ids and degrees. Takes `number_of` for the `from` of arcs, or
/// nullptr where they are numbers already. Uses up the arcs. Keys of strings become the texts of rows.strings.
template <bool kWeighted>
void fill_rows(Graph& graph, const GraphRows& rows, const Slots& slots, const DegreeOrder& order, Partitioned<Arc<kWeighted>> arcs, const uint32_t* number_of);

/// The two ways from rows to arcs at their owners. They end in fill_rows.
template <bool kWeighted>
void build_dense(Graph& graph, GraphRows& rows, const DenseIds& ids, Comm& comm);
template <bool kWeighted>
void build_sparse(Graph& graph, GraphRows& rows, Comm& comm);

}  // namespace sparkgap
