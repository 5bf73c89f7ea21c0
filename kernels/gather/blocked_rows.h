// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph/graph.h"
#include "rows/row_chunks.h"

namespace sparkgap {

/// Rows of arcs laid out for sums over the values of their far ends, where all these values do not fit the cache that a
/// core has for itself.
///
/// Vertices stand in blocks of 64 Ki, whose values fit. Rows stand in groups, and those of a group are summed block
/// after block: first the blocks that many of their arcs come from, where 16 bits say an end, then what is left, whose
/// values are asked for beforehand. In a block, rows with equally many arcs stand together, for a loop whose length
/// changes from row to row takes longer than its additions.
///
/// Source     Zhang, Kiriansky, Mendis, Amarasinghe, Zaharia 2017, Making Caches Work for Graph Analytics: segments of
///            the sources; SELL of Kreutzer, Hager, Wellein, Fehske, Bishop 2014: rows by their length
/// Cost       about 3 (weights: 11) bytes per arc; making it takes as long as two or three plain sums
class BlockedRows {
 public:
  static constexpr int64_t kMostRows = int64_t{1} << 15;  ///< of a group

  /// The blocks that many arcs of a row come from, by a sample of the rows; none where sums are not worth the layout,
  /// for values that fit the cache or arcs that come from everywhere.
  static std::vector<int64_t> near_blocks(const Adjacency& arcs, int64_t vertices);

  /// The rows of these chunks. The same for any number of threads.
  BlockedRows(const Adjacency& arcs, std::span<const RowChunk> chunks, int64_t vertices,
              std::vector<int64_t> near_blocks);

  int64_t groups() const { return static_cast<int64_t>(groups_.size()); }
  RowChunk rows(int64_t group) const { return groups_[static_cast<size_t>(group)].rows; }
  /// For each row of a group the sum over its arcs of values[end], times the weight where there are weights, in `sums`
  /// from its start on. At most 255 terms are added up plainly; those sums, one for each block or more, too.
  void sum(int64_t group, const double* values, double* sums) const;

 private:
  /// `rows` that have `arcs` each in a part.
  struct Lengths {
    uint32_t arcs, rows;
  };
  /// Of a group: all of one block, or what is left.
  struct Part {
    int64_t block;  ///< kFar: what is left
    size_t end;     ///< in Group::lengths
  };
  struct Group {
    RowChunk rows;
    std::vector<Part> parts;
    std::vector<Lengths> lengths;
    Buffer<uint16_t> row;  ///< counted from rows.begin, as `lengths` says
    Buffer<uint16_t> near;
    Buffer<uint32_t> far;
    Buffer<double> weight;  ///< of near, then of far; empty without
  };
  static constexpr int64_t kFar = -1;

  void lay_out(Group& group, const Adjacency& arcs, const std::vector<uint32_t>& part_of_block) const;
  template <bool kWeighted>
  static void sum_parts(const Group& group, const double* values, double* sums);

  std::vector<int64_t> near_blocks_;
  std::vector<Group> groups_;
};

}  // namespace sparkgap
