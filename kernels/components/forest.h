// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "buffers/buffer.h"
#include "components/name_forest.h"
#include "ghosts/ghosts.h"

namespace sparkgap {

/// A partition of the vertices that a rank knows, as trees, which grows coarser: each vertex points to one of its set
/// with a lower place or, the lowest, to itself. So the outcome does not depend on the order in which sets were joined.
///
/// Over ranks each has a forest, in which it joins what it knows. In merge() a rank tells the owners of other vertices
/// to which of its sets these belong, by name, and an owner answers with the name that all sets have that meet there.
/// Ranks that got several names for a set then tell all that these are one.
///
/// Cost       4 bytes per place; merge() sends at most a bit for each vertex of another rank that was joined here to
///            the largest set, 8 bytes for one joined to another for the first time, 8 for each answer and, in each of
///            log2(ranks) rounds, 8 for each name that is found to be one with another; 12 and 16 for 8 where numbers
///            take 64 bits
class Forest {
 public:
  static constexpr uint32_t kNone = 0xffffffff;

  /// Every vertex a set of its own.
  explicit Forest(const Ghosts& ghosts);

  /// The lowest place of the set, where compress() came after the last join(). While others join: some place of the
  /// set.
  uint32_t root(uint32_t place) const;
  /// Makes the sets of two vertices one. From any thread at any time, without a lock.
  void join(uint32_t a, uint32_t b);
  /// Points every vertex to the lowest of its set. All threads.
  void compress();
  /// Joins what the forests of all ranks join, as far as this rank has vertices of it. They are compressed before and
  /// after. Collective.
  void merge(Comm& comm);

  /// By row the vertex that stands for its set on all ranks, after merge(): a place, or behind the places the position
  /// of its number in strangers().
  std::span<const uint32_t> roots();
  const std::vector<int64_t>& strangers() const { return strangers_; }
  /// The root of the largest set of this rank's rows, judged by a sample; kNone where it has none.
  uint32_t largest_here() const;
  /// That of all ranks. Needs a vertex, and a merge before. Collective.
  struct Largest {
    uint32_t root = kNone, name = kNone;  ///< as root() and roots() have it; kNone where this rank has nothing of it
  };
  Largest largest(Comm& comm) const;

 private:
  /// A set of this rank whose name is that of a vertex that it does not know.
  struct Renamed {
    uint32_t root, stranger;
  };
  int64_t size() const { return static_cast<int64_t>(parent_.size()); }
  uint32_t top(uint32_t place) const;  ///< where the way up from a vertex ends
  /// Of the set with this root, as roots() has it.
  uint32_t named(uint32_t root) const;
  std::vector<uint32_t> newly_joined() const;
  /// Of the set with this root, as others know it.
  int64_t name_of(uint32_t root) const { return names_.top(ghosts_.number(root)); }
  void join_names(int64_t a, int64_t b);
  template <typename Name>
  void keep_fresh(std::vector<Name>& names);
  /// By rank, how it calls sets that have vertices of this one.
  template <typename Name>
  using Heard = std::vector<std::vector<Name>>;
  template <typename Name>
  Heard<Name> tell_home(Comm& comm);
  template <typename Name>
  void answer(Heard<Name> heard, Comm& comm);
  template <typename Name>
  void exchange_names(Comm& comm);
  void take_names();

  const Ghosts& ghosts_;
  Buffer<uint32_t> parent_;       ///< by place
  bool has_merged_ = false;       ///< so others may know sets by their names
  Buffer<uint64_t> told_;         ///< a bit by place: whether the owner of a ghost knows of a set that it is in
  std::vector<uint32_t> shared_;  ///< places whose numbers are in names_, among them the root of each set with such
  NameForest names_;              ///< by which ranks know sets of each other
  /// Names that others may know a set by, in this merge.
  std::vector<int64_t> fresh_;
  std::vector<Renamed> renamed_;  ///< by root
  std::vector<int64_t> strangers_;
  Buffer<uint32_t> roots_;  ///< by row, where some are renamed
};

}  // namespace sparkgap
