// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "process/parallel.h"

namespace sparkgap {

/// The vertices of other ranks that a rank's arcs name. Values that a kernel keeps for its own vertices and for these
/// have places: rows first, then ghosts by number, so that those of one rank stand side by side. Each rank knows who
/// has which of its vertices as a ghost: a value goes where it is needed alone, and without a name.
///
/// With few ranks each needs nearly all vertices: all are ghosts then, places are numbers, and nothing is read or
/// copied.
///
/// Source     Dathathri et al. 2018, Gluon, section 4.1 (memoised addresses)
/// Cost       with few ranks none. Else two reads of the arcs; 4 bytes for each of these stay, and 1/4 byte per vertex
///            of all ranks do not; 4 bytes are sent and kept for each ghost, here and at its owner
/// Parallel   collective over comm; all threads; the same for any number of threads
class Ghosts {
 public:
  static constexpr int kFewRanks = 3;

  /// Of what these arcs of the graph name; their ends become places.
  Ghosts(const Graph& graph, std::initializer_list<Adjacency*> arcs, Comm& comm);

  /// Whether places are numbers.
  bool are_all() const { return are_all_; }
  int64_t places() const { return places_; }
  /// The place of row 0; the others follow.
  int64_t own() const { return own_; }
  /// Of the vertex in a place.
  uint32_t number(int64_t place) const {
    return static_cast<uint32_t>(are_all_        ? place
                                 : place < rows_ ? graph_.first + place
                                                 : numbers_[static_cast<size_t>(place - rows_)]);
  }

  /// Values by place: those of ghosts become those of their owners' rows. Collective.
  template <typename T>
  void bring(std::span<T> values);
  /// The same where changed(row) is true, for no more than a part of the rows: what is sent says which. Then
  /// taken(place) of each ghost that got a value. Collective.
  template <typename T, typename Changed, typename Taken>
  void bring_changed(std::span<T> values, Changed&& changed, Taken&& taken);
  template <typename T, typename Changed>
  void bring_changed(std::span<T> values, Changed&& changed) {
    bring_changed(values, std::forward<Changed>(changed), [](int64_t) {});
  }
  /// Flags by place: those of ghosts that are 1 become 0, and those of their owners' rows 1. Collective.
  void take_home(std::span<uint8_t> flags);
  /// body(begin, end): places of ghosts, in one or two ranges.
  template <typename Body>
  void each_range(Body&& body) const {
    if (own_ > 0) body(int64_t{0}, own_);
    if (own_ + rows_ < places_) body(own_ + rows_, places_);
  }

 private:
  static constexpr int64_t kPiece = 1 << 14;  // of wanted rows

  /// body(rank, i, row): some rows that a rank has as ghosts, and the position of each among those.
  template <typename Body>
  void each_wanted(int64_t begin, int64_t end, Body&& body) const {
    size_t rank = 0;
    int64_t first = 0;
    for (int64_t i = begin; i < end; ++i) {
      while (i >= first + wanted_counts_[rank]) first += wanted_counts_[rank++];
      const auto at = static_cast<uint32_t>(i - first);
      body(rank, at, are_all_ ? at : wanted_[static_cast<size_t>(i)]);
    }
  }
  int64_t wanted() const { return std::accumulate(wanted_counts_.begin(), wanted_counts_.end(), int64_t{0}); }
  /// body(rank, place): the first place of each rank's ghosts.
  template <typename Body>
  void each_owner(Body&& body) const {
    int64_t place = are_all_ ? 0 : rows_;
    for (size_t rank = 0; rank < counts_.size(); ++rank) {
      body(rank, place);
      place += are_all_ ? graph_.counts[rank] : counts_[rank];
    }
  }
  void find(std::initializer_list<Adjacency*> arcs);

  const Graph& graph_;
  Comm& comm_;
  const bool are_all_;
  const int64_t rows_, own_;
  int64_t places_;
  std::vector<Buffer<uint32_t>> ends_;  ///< what the arcs refer to now
  Buffer<uint32_t> numbers_;            ///< of ghosts, where they are not all vertices
  std::vector<int64_t> counts_;         ///< of ghosts, by owner
  std::vector<uint32_t> wanted_;        ///< rows that are ghosts elsewhere, by rank in that one's order
  std::vector<int64_t> wanted_counts_;
  std::vector<std::byte> sent_;
};

template <typename T>
void Ghosts::bring(std::span<T> values) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (are_all_) {
    comm_.allgatherv(values, graph_.counts);
    return;
  }
  sent_.resize(wanted_.size() * sizeof(T));
  const std::span<T> sent(reinterpret_cast<T*>(sent_.data()), wanted_.size());
  parallel_ranges(static_cast<int64_t>(wanted_.size()), kPiece, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) sent[i] = values[wanted_[i]];
  });
  comm_.alltoallv<T>(sent, wanted_counts_, values.subspan(static_cast<size_t>(rows_)), counts_);
}

template <typename T, typename Changed, typename Taken>
void Ghosts::bring_changed(std::span<T> values, Changed&& changed, Taken&& taken) {
  if (comm_.size() == 1) return;
  struct Change {
    uint32_t at;  ///< position among the owner's that are ghosts there
    T value;
  };
  const int64_t wanted = this->wanted(), pieces = std::max<int64_t>(1, wanted / kPiece);
  std::vector<std::vector<Change>> parts(static_cast<size_t>(pieces));
  std::vector<std::vector<int64_t>> counts(parts.size(), std::vector<int64_t>(wanted_counts_.size()));
  parallel_for(pieces, [&](int64_t i) {
    const auto piece = static_cast<size_t>(i);
    each_wanted(cut(wanted, pieces, i), cut(wanted, pieces, i + 1), [&](size_t rank, uint32_t at, uint32_t row) {
      if (!changed(row)) return;
      parts[piece].push_back({at, values[static_cast<size_t>(own_) + row]});
      ++counts[piece][rank];
    });
  });
  std::vector<Change> send;
  std::vector<int64_t> of_rank(wanted_counts_.size()), received;
  for (size_t piece = 0; piece < parts.size(); ++piece) {
    send.insert(send.end(), parts[piece].begin(), parts[piece].end());
    for (size_t rank = 0; rank < of_rank.size(); ++rank) of_rank[rank] += counts[piece][rank];
  }
  const std::vector<Change> changes = comm_.alltoallv<Change>(send, of_rank, received);
  auto change = changes.begin();
  each_owner([&](size_t rank, int64_t place) {
    for (const auto end = change + received[rank]; change != end; ++change) {
      values[static_cast<size_t>(place + change->at)] = change->value;
      taken(place + change->at);
    }
  });
}

}  // namespace sparkgap
