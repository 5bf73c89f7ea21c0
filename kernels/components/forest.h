// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "buffers/buffer.h"
#include "components/name_sets.h"
#include "ghosts/ghosts.h"
#include "mpi/comm.h"
#include "process/parallel.h"

namespace sparkgap {

/// A partition of the vertices that a rank knows, as trees, which grows coarser: each vertex points to one of its set
/// with a lower place or, the lowest, to itself. So the outcome does not depend on the order in which sets were joined.
///
/// Ranks that have memory in common (Comm::share) join in one forest of all vertices there, as threads do.
///
/// Else each has a forest, in which it joins what it knows. In merge() a rank tells the owners of other vertices
/// to which of its sets these belong, by name: the number of the set's root. So an owner learns which names are of one
/// set, and these meet in NameSets. Then each rank asks what its own are called by all.
///
/// Cost       4 bytes per vertex of all ranks, where they have that in common. Else 4 per place and row; merge() sends
///            at most a bit for each vertex of another rank that was joined here to the largest set, 8 bytes for one
///            joined to another for the first time; for each name of a set that ranks share 8 to bring it together with
///            others and 8 to ask for what all call it, some times; 12 and 16 for 8 where numbers take 64 bits
class Forest {
 public:
  static constexpr uint32_t kNone = 0xffffffff;
  static constexpr int64_t kGrain = 1 << 14;

  /// Every vertex a set of its own. Collective.
  Forest(const Ghosts& ghosts, Comm& comm, bool in_common = true);

  /// Whether all ranks join in one. Then a root is a number, else a place.
  bool is_common() const { return !common_.empty(); }
  /// The lowest of the set, where it was compressed after the last join(). Else some vertex of the set.
  uint32_t root(uint32_t place) const;
  bool is_root(uint32_t place) const { return root(place) == node(place); }
  uint32_t top(uint32_t root) const;  ///< the lowest of the set, while nobody joins
  /// Puts each row below the vertex in the place above(row), where that is lower, before the first join(). All threads,
  /// none of which waits for another. Collective.
  template <typename Above>
  void plant(Above&& above, Comm& comm) {
    parallel_ranges(ghosts_.rows(), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        parent_[static_cast<size_t>(own_ + row)] = std::min(static_cast<uint32_t>(own_ + row), node(above(row)));
    });
    if (is_common()) comm.barrier();
  }
  /// Makes the sets of two vertices one. From any thread at any time, without a lock.
  void join(uint32_t a, uint32_t b);
  /// Points every vertex, or row of this rank, to the lowest of its set. All threads.
  void compress() { compress(0, size()); }
  void compress_rows() { compress(own_, own_ + ghosts_.rows()); }
  /// Joins what all ranks have joined, as far as this rank has vertices of it. Forests of their own are compressed
  /// before, and their rows after. Collective.
  void merge(Comm& comm);

  /// By row the vertex that stands for its set on all ranks, after merge(): a place, or behind the places the position
  /// of its number in strangers().
  std::span<const uint32_t> roots();
  const std::vector<int64_t>& strangers() const { return strangers_; }
  /// As a sample has it.
  struct Largest {
    uint32_t root = kNone, name = kNone;  ///< as root() and roots() have it; kNone where this rank has nothing of it
    bool has_most = false;                ///< nine tenths of the vertices
  };
  /// The largest set of this rank's rows, without its name.
  Largest largest_here() const;
  /// That of all ranks. Needs a vertex, and a merge before. Collective.
  Largest largest(Comm& comm) const;

 private:
  /// A set of this rank whose name is that of a vertex that it does not know.
  struct Renamed {
    uint32_t root, stranger;
  };
  int64_t size() const { return static_cast<int64_t>(parent_.size()); }
  /// Where a vertex stands.
  uint32_t node(uint32_t place) const { return is_by_number_ ? static_cast<uint32_t>(ghosts_.number(place)) : place; }
  void compress(int64_t begin, int64_t end);
  /// Of the set with this root, as roots() has it.
  uint32_t named(uint32_t root) const;
  /// The same in a forest in common, of a root of this rank's rows.
  uint32_t named_in_common(uint32_t root) const;
  void name_in_common();
  /// Ghosts that are no longer alone, and are told of now.
  struct Joined {
    Buffer<uint64_t> to_largest;                   ///< bits by place
    std::vector<std::vector<uint32_t>> to_others;  ///< places
  };
  Joined find_joined(uint32_t largest);
  template <typename Name>
  void tell_home(NameSets<Name>& names, Comm& comm);
  template <typename Name>
  void take_names(const NameSets<Name>& names, Comm& comm);

  const Ghosts& ghosts_;
  SharedBuffer<uint32_t> common_;  ///< what parent_ lies in: this or that
  Buffer<uint32_t> alone_;
  std::span<uint32_t> parent_;    ///< by place; in common by number
  bool is_by_number_ = false;     ///< and a number is no place
  int64_t own_ = 0;               ///< where this rank's rows begin
  Buffer<uint64_t> told_;         ///< a bit by place: whether the owner of a ghost knows of a set that it is in
  std::vector<uint32_t> shared_;  ///< roots whose numbers other ranks may know, before joins since the last merge
  std::variant<std::monostate, NameSets<uint32_t>, NameSets<int64_t>> names_;  ///< from the first merge on
  std::vector<Renamed> renamed_;                                               ///< by root
  std::vector<int64_t> strangers_;
  Buffer<uint32_t> roots_;  ///< by row, where they differ from parent_
};

}  // namespace sparkgap
