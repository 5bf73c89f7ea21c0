// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "graph/degree_order.h"
#include "graph/graph.h"
#include "rows/split.h"

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

/// How many of the 32 bits of OneWord are the source's.
struct SourceBits {
  int count;
  /// For sources below `sources`.
  explicit SourceBits(int64_t sources)
      : count(std::bit_width(static_cast<uint64_t>(std::max<int64_t>(sources, 1) - 1))) {}
  /// Whether a target of that many bits fits beside it.
  bool leave(int target_bits) const { return count < 32 && count + target_bits <= 32; }
};

/// The ends of an arc on its way into a row: `to` counts from the first row of its partition, `from` is the number of
/// the source vertex, or its place in `number_of` below. One word does for graphs of up to a few million vertices, and
/// halves what has to move.
struct OneWord {
  using Number = uint32_t;
  uint32_t word;
  void set(uint32_t to, uint32_t from, SourceBits bits) { word = to << bits.count | from; }
  void set_from(uint32_t from, SourceBits bits) { word = to(bits) << bits.count | from; }
  uint32_t to(SourceBits bits) const { return word >> bits.count; }
  uint32_t from(SourceBits bits) const { return word & ((uint32_t{1} << bits.count) - 1); }
};
/// The source's number has as many bits as T.
template <typename T>
struct Words {
  using Number = T;
  uint32_t to_word;
  T from_word;
  void set(uint32_t to, T from, SourceBits) { to_word = to, from_word = from; }
  void set_from(T from, SourceBits) { from_word = from; }
  uint32_t to(SourceBits) const { return to_word; }
  T from(SourceBits) const { return from_word; }
};
using TwoWords = Words<uint32_t>;
using ThreeWords = Words<uint64_t>;

template <bool weighted, typename Ends>
struct Arc : Weight<weighted>, Ends {
  static constexpr bool kWeighted = weighted;
};
#pragma pack(pop)

/// Fills the incoming arcs of a graph with numbered vertices (where rows are turned: the outgoing ones), then ids and
/// degrees. Takes `number_of` for the `from` of arcs, or nullptr where they are numbers already. Uses up the arcs. Keys
/// of strings become the texts of rows.strings.
template <typename Record>
void fill_rows(Graph& graph, const GraphRows& rows, const Slots& slots, const DegreeOrder& order,
               Partitioned<Record> arcs, SourceBits bits, const uint32_t* number_of);
/// Puts ends where their kind of number belongs.
inline void set_ends(Graph& graph, Adjacency& arcs, Buffer<uint32_t> ends) { arcs.ends = graph.own(std::move(ends)); }
inline void set_ends(Graph& graph, Adjacency& arcs, Buffer<uint64_t> ends) {
  const auto kept = std::make_shared<Buffer<uint64_t>>(std::move(ends));
  graph.keep_numbers.push_back(kept);
  arcs.far_ends = kept->span();
}

/// The two ways from rows to arcs at their owners. They end in fill_rows.
template <bool kWeighted>
void build_dense(Graph& graph, GraphRows& rows, const DenseIds& ids, Comm& comm);
template <bool kWeighted>
void build_sparse(Graph& graph, GraphRows& rows, const Numbering& numbering, Comm& comm);

}  // namespace sparkgap
