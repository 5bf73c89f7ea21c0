// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "buffers/buffer.h"
#include "buffers/packed_positions.h"
#include "mpi/comm.h"
#include "process/parallel.h"

namespace sparkgap {

/// The vertices that a rank knows: its own rows, and ghosts, the vertices of other ranks that its arcs name. Each has a
/// place, in the order of their numbers: first the ghosts of the ranks before, then the rows, then the ghosts of the
/// ranks behind. What a kernel keeps for vertices it keeps by place, so that a rank takes no memory for vertices it
/// never meets, and a place has 32 bits however many vertices there are in all.
///
/// Each rank knows who has which of its rows as ghosts: a value goes where it is needed alone, and without a name.
///
/// With few ranks each needs nearly all vertices: all are ghosts then, places are numbers, and nothing is read or
/// copied to find them.
///
/// Source     Dathathri et al. 2018, Gluon, section 4.1 (memoised addresses)
/// Memory     4 bytes for each ghost, here and at its owner
/// Parallel   all that takes a Comm is collective over it
class Ghosts {
 public:
  static constexpr int kFewRanks = 3;

  Ghosts() = default;
  /// All vertices; firsts: number of each rank's row 0, and of all vertices.
  Ghosts(std::vector<int64_t> firsts, int rank);
  /// Vertices of others, those of each rank side by side as its rows and rising; counts: how many of each, none of
  /// `rank`, which has `rows` itself.
  Ghosts(Buffer<uint32_t> ghosts, std::vector<int64_t> counts, std::vector<int64_t> firsts, int64_t rows, Comm& comm);

  /// Whether they were looked for.
  bool are_found() const { return blocks_.size() > 1; }
  /// Whether numbers take 32 bits.
  bool are_near() const { return firsts_.back() <= int64_t{1} << 32; }
  /// Whether places are numbers.
  bool are_all() const { return are_all_; }
  int64_t places() const { return blocks_.back(); }
  int64_t rows() const { return rows_; }
  size_t ranks() const { return counts_.size(); }
  /// The number of row 0.
  int64_t first() const { return firsts_[rank_]; }
  /// That of a rank; behind the last: how many vertices there are.
  int64_t first(size_t rank) const { return firsts_[rank]; }
  /// The place of row 0; the others follow.
  int64_t own() const { return own_; }
  /// The row in a place; as many as there are, or more, where it is a ghost's.
  uint32_t row(uint32_t place) const { return place - static_cast<uint32_t>(own_); }
  bool is_own(uint32_t place) const { return int64_t{row(place)} < rows_; }
  uint32_t place(int64_t row) const { return static_cast<uint32_t>(own_ + row); }
  /// The rank that has the vertex in a place.
  size_t owner(uint32_t place) const {
    return static_cast<size_t>(std::upper_bound(blocks_.begin() + 1, blocks_.end() - 1, int64_t{place}) -
                               blocks_.begin()) -
           1;
  }
  /// Of the vertex in a place.
  int64_t number(uint32_t place) const {
    if (are_all_) return place;
    if (is_own(place)) return firsts_[rank_] + row(place);
    return firsts_[owner(place)] + ghosts_[static_cast<size_t>(int64_t{place} < own_ ? place : place - rows_)];
  }
  /// Of the vertex with a number, where this rank knows it.
  std::optional<uint32_t> find(int64_t number) const;

  /// Values by place, `width` for each: those of ghosts become those of their owners' rows.
  template <typename T>
  void bring(std::span<T> values, Comm& comm, int64_t width = 1) const;
  /// The same where changed(row) is true, for no more than a part of the rows: what is sent says which. Then
  /// taken(place) of each ghost that got a value.
  template <typename T, typename Changed, typename Taken>
  void bring_changed(std::span<T> values, Changed&& changed, Taken&& taken, Comm& comm) const;
  /// The same of bits by place.
  void bring_bits(std::span<uint64_t> bits, Comm& comm) const;
  /// Flags by place: those of ghosts that are 1 become 0, and those of their owners' rows 1.
  void take_home(std::span<uint8_t> flags, Comm& comm) const;

  /// Tells the owners of some ghosts a value. each(visit) calls visit(place) for all of them; it runs twice, first to
  /// count. Then told(rank, row, value) for what each of the others said of this rank's rows, in their order.
  template <typename T, typename Each, typename ValueOf, typename Told>
  void tell_owners(Each&& each, ValueOf&& value_of, Told&& told, Comm& comm) const;
  /// The same where it is told only that it is so, of each ghost once: 1 or 2 bytes, or a bit of each.
  template <typename Each, typename Told>
  void tell_owners(Each&& each, Told&& told, Comm& comm) const;

  /// body(begin, end): places of ghosts, in one or two ranges.
  template <typename Body>
  void each_range(Body&& body) const {
    if (own_ > 0) body(int64_t{0}, own_);
    if (own_ + rows_ < places()) body(own_ + rows_, places());
  }

 private:
  friend class GhostParts;
  static constexpr int64_t kPiece = 1 << 14;  // of wanted rows

  /// A value and whose it is: the position of the vertex among those of one rank that another has as ghosts.
#pragma pack(push, 4)
  template <typename T>
  struct At {
    uint32_t at;
    T value;
  };
#pragma pack(pop)

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
  /// The rows of a rank that are ghosts here. Not where all are.
  const uint32_t* known_rows(size_t rank) const {
    return ghosts_.data() + (rank < rank_ ? blocks_[rank] : blocks_[rank] - rows_);
  }
  /// The rows that a rank has as ghosts, in its order; nullptr: all.
  const uint32_t* wanted_rows(size_t rank) const {
    if (are_all_) return nullptr;
    return wanted_.data() +
           std::accumulate(wanted_counts_.begin(), wanted_counts_.begin() + static_cast<int64_t>(rank), int64_t{0});
  }
  /// Of ghosts, see tell_owners(), of(place, its position among those of its owner): those of each owner in turn.
  template <typename Record, typename Each, typename Of>
  std::vector<Record> by_owner(Each&& each, Of&& of, std::vector<int64_t>& counts) const {
    counts.assign(counts_.size(), 0);
    each([&](uint32_t place) { ++counts[owner(place)]; });
    std::vector<int64_t> next(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), next.begin(), int64_t{0});
    std::vector<Record> records(static_cast<size_t>(next.back() + counts.back()));
    each([&](uint32_t place) {
      const size_t rank = owner(place);
      records[static_cast<size_t>(next[rank]++)] = of(place, static_cast<uint32_t>(place - blocks_[rank]));
    });
    return records;
  }
  /// body(rank, its records) in the order of ranks, of those that have some.
  template <typename Record, typename Body>
  static void each_block(const std::vector<Record>& records, const std::vector<int64_t>& counts, Body&& body) {
    std::span<const Record> left(records);
    for (size_t rank = 0; rank < counts.size(); ++rank) {
      if (counts[rank] == 0) continue;
      body(rank, left.first(static_cast<size_t>(counts[rank])));
      left = left.subspan(static_cast<size_t>(counts[rank]));
    }
  }

  bool are_all_ = false;
  size_t rank_ = 0;
  int64_t rows_ = 0, own_ = 0;
  std::vector<int64_t> firsts_;         ///< number of each rank's row 0
  std::vector<int64_t> blocks_{0};      ///< the first place of each rank's vertices, and the number of places
  std::vector<int64_t> counts_;         ///< of ghosts, by owner
  Buffer<uint32_t> ghosts_;             ///< rows at their owners; empty where all are ghosts
  std::vector<uint32_t> wanted_;        ///< rows that are ghosts elsewhere, by rank in that one's order; likewise
  std::vector<int64_t> wanted_counts_;  ///< by rank
};

template <typename T>
void Ghosts::bring(std::span<T> values, Comm& comm, int64_t width) const {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto wide = [width](std::span<const int64_t> counts) {
    std::vector<int64_t> values_of(counts.begin(), counts.end());
    for (int64_t& count : values_of) count *= width;
    return values_of;
  };
  if (are_all_) {
    std::vector<int64_t> rows;
    for (size_t rank = 0; rank + 1 < blocks_.size(); ++rank) rows.push_back(blocks_[rank + 1] - blocks_[rank]);
    comm.allgatherv(values, wide(rows));
    return;
  }
  const Buffer<T> sent(wanted_.size() * static_cast<size_t>(width), Content::kAnything);
  parallel_ranges(static_cast<int64_t>(wanted_.size()), kPiece, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      std::copy_n(values.data() + (own_ + wanted_[static_cast<size_t>(i)]) * width, width, sent.data() + i * width);
  });
  comm.alltoallv<T>(sent.span(), wide(wanted_counts_), values, wide(counts_),
                    wide(std::span(blocks_).first(counts_.size())));
}

template <typename T, typename Changed, typename Taken>
void Ghosts::bring_changed(std::span<T> values, Changed&& changed, Taken&& taken, Comm& comm) const {
  if (comm.size() == 1) return;
  const int64_t wanted = this->wanted(), pieces = std::max<int64_t>(1, wanted / kPiece);
  const size_t ranks = counts_.size();
  struct Part {
    std::vector<uint32_t> at;  ///< of each rank in turn
    std::vector<T> values;
    std::vector<int64_t> counts;
  };
  std::vector<Part> parts(static_cast<size_t>(pieces), Part{{}, {}, std::vector<int64_t>(ranks)});
  parallel_for(pieces, [&](int64_t i) {
    Part& part = parts[static_cast<size_t>(i)];
    each_wanted(cut(wanted, pieces, i), cut(wanted, pieces, i + 1), [&](size_t rank, uint32_t at, uint32_t row) {
      if (!changed(row)) return;
      part.at.push_back(at);
      part.values.push_back(values[static_cast<size_t>(own_) + row]);
      ++part.counts[rank];
    });
  });
  // To each rank where they are, and then what they are.
  std::vector<uint8_t> send;
  std::vector<int64_t> bytes(ranks), received, next(parts.size());
  std::vector<uint32_t> at;
  std::vector<T> of_rank;
  for (size_t rank = 0; rank < ranks; ++rank) {
    at.clear(), of_rank.clear();
    for (size_t i = 0; i < parts.size(); next[i] += parts[i].counts[rank], ++i) {
      const auto from = next[i], to = from + parts[i].counts[rank];
      at.insert(at.end(), parts[i].at.begin() + from, parts[i].at.begin() + to);
      of_rank.insert(of_rank.end(), parts[i].values.begin() + from, parts[i].values.begin() + to);
    }
    const size_t before = send.size();
    PackedPositions(wanted_counts_[rank]).pack(at, send);
    const auto* const from = reinterpret_cast<const uint8_t*>(of_rank.data());
    send.insert(send.end(), from, from + of_rank.size() * sizeof(T));
    bytes[rank] = static_cast<int64_t>(send.size() - before);
  }
  const std::vector<uint8_t> got = comm.alltoallv<uint8_t>(send, bytes, received);
  each_block(got, received, [&](size_t rank, std::span<const uint8_t> block) {
    const uint8_t* value = PackedPositions(counts_[rank]).unpack(block, at).data();
    for (const uint32_t ghost : at) {
      const int64_t place = blocks_[rank] + ghost;
      std::memcpy(&values[static_cast<size_t>(place)], value, sizeof(T));
      value += sizeof(T);
      taken(place);
    }
  });
}

template <typename T, typename Each, typename ValueOf, typename Told>
void Ghosts::tell_owners(Each&& each, ValueOf&& value_of, Told&& told, Comm& comm) const {
  std::vector<int64_t> counts, received;
  std::vector<At<T>> send =
      by_owner<At<T>>(each, [&](uint32_t place, uint32_t at) { return At<T>{at, value_of(place)}; }, counts);
  const std::vector<At<T>> got = comm.alltoallv<At<T>>(send, counts, received);
  send = {};
  each_block(got, received, [&](size_t rank, std::span<const At<T>> block) {
    const uint32_t* const rows = wanted_rows(rank);
    for (const At<T>& one : block) told(rank, rows == nullptr ? one.at : rows[one.at], one.value);
  });
}

template <typename Each, typename Told>
void Ghosts::tell_owners(Each&& each, Told&& told, Comm& comm) const {
  std::vector<int64_t> counts, bytes(counts_.size()), received;
  const std::vector<uint32_t> at = by_owner<uint32_t>(each, [](uint32_t, uint32_t at) { return at; }, counts);
  std::vector<uint8_t> send;
  each_block(at, counts, [&](size_t rank, std::span<const uint32_t> block) {
    const size_t before = send.size();
    PackedPositions(counts_[rank]).pack(block, send);
    bytes[rank] = static_cast<int64_t>(send.size() - before);
  });
  const std::vector<uint8_t> got = comm.alltoallv<uint8_t>(send, bytes, received);
  std::vector<uint32_t> theirs;
  each_block(got, received, [&](size_t rank, std::span<const uint8_t> block) {
    const uint32_t* const rows = wanted_rows(rank);
    PackedPositions(wanted_counts_[rank]).unpack(block, theirs);
    for (const uint32_t one : theirs) told(rank, rows == nullptr ? one : rows[one]);
  });
}

}  // namespace sparkgap
