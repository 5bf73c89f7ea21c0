// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "buffers/buffer.h"
#include "ghosts/ghosts.h"
#include "mpi/comm.h"

namespace sparkgap {

template <typename T>
void make_set(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// Sets of names, which are numbers of vertices, over ranks: the rank that has a vertex keeps a lower name of its set
/// with it, so none has all. Of two lower ones the higher is joined to the lower, where it is at home.
///
/// Source     Patwary, Blair, Manne 2010, Experiments on Union-Find Algorithms for the Disjoint-Set Data Structure
///            (Rem's); Shiloach, Vishkin 1982, An O(log n) parallel connectivity algorithm (pointer jumping)
/// Memory     a Name for each row, and what is on its way
/// Parallel   one thread; what takes a Comm is collective
template <typename Name>
class NameSets {
 public:
  explicit NameSets(const Ghosts& ghosts) : ghosts_(&ghosts), above_(static_cast<size_t>(ghosts.rows())) {
    std::iota(above_.begin(), above_.end(), static_cast<Name>(ghosts.first()));
  }

  /// Makes two sets one, after the next settle().
  void join(Name a, Name b) {
    while (a != b) {
      const Join next{std::max(a, b), std::min(a, b)};
      if (!is_own(next.high)) return away_.push_back(next);
      Name& above = above_of(next.high);
      a = std::exchange(above, std::min(above, next.low));
      if (a == next.high) return;
      b = next.low;
    }
  }

  void settle(Comm& comm) {
    for (int round = 1;; ++round) {
      make_set(away_);
      if (comm.allreduce(static_cast<int64_t>(away_.size())) == 0) break;
      std::vector<int64_t> received;
      const std::vector<Join> joins =
          comm.alltoallv<Join>(away_, counts_of(away_, [](const Join& one) { return one.high; }), received);
      away_.clear();
      for (const Join& one : joins) join(one.high, one.low);
      // Long ways would go through as many rounds.
      if (round % 4 == 0) shorten(joined_rows(), comm);
    }
    for (std::vector<uint32_t> rows = joined_rows(); comm.allreduce(static_cast<int64_t>(rows.size())) > 0;)
      rows = shorten(std::move(rows), comm);
  }

  /// The lowest of the sets of these, which rise, after settle().
  std::vector<Name> tops(const std::vector<Name>& names, Comm& comm) const {
    std::vector<int64_t> asked, ignored;
    const std::vector<Name> here = comm.alltoallv<Name>(names, counts_of(names, [](Name name) { return name; }), asked);
    std::vector<Name> answers;
    answers.reserve(here.size());
    for (const Name name : here) answers.push_back(above_of(name));
    return comm.alltoallv<Name>(answers, asked, ignored);
  }

 private:
  struct Join {
    Name high, low;
    bool operator==(const Join&) const = default;
    bool operator<(const Join& other) const { return std::tie(high, low) < std::tie(other.high, other.low); }
  };
  int64_t row_of(Name name) const { return static_cast<int64_t>(name) - ghosts_->first(); }
  bool is_own(Name name) const { return row_of(name) >= 0 && row_of(name) < ghosts_->rows(); }
  Name& above_of(Name name) const { return above_[static_cast<size_t>(row_of(name))]; }
  Name name_of(uint32_t row) const { return static_cast<Name>(ghosts_->first() + row); }

  /// By rank, how many of these, which rise, it has.
  template <typename T, typename NameOf>
  std::vector<int64_t> counts_of(const std::vector<T>& values, NameOf&& name_of) const {
    std::vector<int64_t> counts(ghosts_->ranks());
    size_t rank = 0;
    for (const T& value : values) {
      while (static_cast<int64_t>(name_of(value)) >= ghosts_->first(rank + 1)) ++rank;
      ++counts[rank];
    }
    return counts;
  }
  std::vector<uint32_t> joined_rows() const {
    std::vector<uint32_t> rows;
    for (uint32_t row = 0; row < above_.size(); ++row)
      if (above_[row] != name_of(row)) rows.push_back(row);
    return rows;
  }
  /// Half the way, and a step, of each of these rows; those that may not have come to its end.
  std::vector<uint32_t> shorten(std::vector<uint32_t> rows, Comm& comm) {
    std::vector<Name> names;
    for (const uint32_t row : rows) {
      Name& above = above_[row];
      while (is_own(above) && above_of(above) != above) above = above_of(above);
      if (!is_own(above)) names.push_back(above);
    }
    make_set(names);
    const std::vector<Name> found = tops(names, comm);
    std::erase_if(rows, [&](uint32_t row) {
      Name& above = above_[row];
      if (is_own(above)) return above_of(above) == above;
      const auto at = std::lower_bound(names.begin(), names.end(), above) - names.begin();
      return std::exchange(above, found[static_cast<size_t>(at)]) == found[static_cast<size_t>(at)];
    });
    return rows;
  }

  const Ghosts* ghosts_;
  Buffer<Name> above_;      ///< by row: a lower name of the set, or its own where none is known
  std::vector<Join> away_;  ///< what is to be joined at other ranks
};

}  // namespace sparkgap
