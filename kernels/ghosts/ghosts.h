// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "buffers/buffer.h"
#include "buffers/packed_positions.h"
#include "buffers/shared_bits.h"
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
  /// The same of those ghosts whose bits, by place, are 1.
  template <typename Told>
  void tell_owners_by_bits(std::span<const uint64_t> bits, Told&& told, Comm& comm) const;

  /// body(begin, end): places of ghosts, in one or two ranges.
  template <typename Body>
  void each_range(Body&& body) const {
    if (own_ > 0) body(int64_t{0}, own_);
    if (own_ + rows_ < places()) body(own_ + rows_, places());
  }

 private:
  friend class GhostCuts;
  friend class GhostParts;
  template <typename T>
  friend class ChangedParts;
  static constexpr int64_t kPiece = 1 << 14;  // of wanted rows

  /// A value and whose it is: the position of the vertex among those of one rank that another has as ghosts.
#pragma pack(push, 4)
  template <typename T>
  struct At {
    uint32_t at;
    T value;
  };
#pragma pack(pop)

  /// Some of the rows that a rank has as ghosts, by their positions among those.
  struct Range {
    int64_t begin = 0, end = 0;
  };
  /// Appends, for each rank in turn, which of its range changed, and their values; `bytes`: how many for each.
  /// head(send) appends what stands before, where a rank has a range.
  template <typename T, typename Head, typename Changed, typename ValueOf>
  void pack_changed(std::span<const Range> ranges, Head&& head, Changed&& changed, ValueOf&& value_of,
                    std::vector<uint8_t>& send, std::vector<int64_t>& bytes) const;
  /// body(position, value) for what pack_changed() wrote of a range so long.
  template <typename T, typename Body>
  static void each_changed(std::span<const uint8_t> block, int64_t length, Body&& body) {
    const PackedPositions positions(length);
    const uint8_t* from = positions.after(block).data();
    positions.each(block, [&](uint32_t position) {
      std::array<uint8_t, sizeof(T)> value;
      std::memcpy(value.data(), from, sizeof(T));
      from += sizeof(T);
      body(position, std::bit_cast<T>(value));
    });
  }
  /// Sends `send`, for each rank in turn its bytes, and calls told(rank, row) for all positions that come.
  template <typename Told>
  void tell_packed(std::span<const uint8_t> send, std::span<const int64_t> bytes, Told&& told, Comm& comm) const {
    std::vector<int64_t> received;
    const std::vector<uint8_t> got = comm.alltoallv<uint8_t>(send, bytes, received);
    each_block(got, received, [&](size_t rank, std::span<const uint8_t> block) {
      const uint32_t* const rows = wanted_rows(rank);
      PackedPositions(wanted_counts_[rank]).each(block, [&](uint32_t one) {
        told(rank, rows == nullptr ? one : rows[one]);
      });
    });
  }
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

template <typename T, typename Head, typename Changed, typename ValueOf>
void Ghosts::pack_changed(std::span<const Range> ranges, Head&& head, Changed&& changed, ValueOf&& value_of,
                          std::vector<uint8_t>& send, std::vector<int64_t>& bytes) const {
  struct Piece {
    size_t rank;
    Range range;
    std::vector<uint64_t> bits{};
    std::vector<T> values{};
  };
  std::vector<Piece> pieces;
  for (size_t rank = 0; rank < ranges.size(); ++rank)
    for (int64_t at = ranges[rank].begin; at < ranges[rank].end; at += kPiece)
      pieces.push_back({rank, {at, std::min(at + kPiece, ranges[rank].end)}});
  std::vector<Buffer<T>> rooms(static_cast<size_t>(threads()));
  parallel_for(static_cast<int64_t>(pieces.size()), [&](int64_t i) {
    Piece& piece = pieces[static_cast<size_t>(i)];
    const uint32_t* const rows = wanted_rows(piece.rank);
    Buffer<T>& values = rooms[static_cast<size_t>(omp_get_thread_num())];
    if (values.empty()) values = Buffer<T>(static_cast<size_t>(kPiece), Content::kAnything);
    size_t count = 0;
    // Without a branch: what changed nobody can guess.
    for (int64_t first = piece.range.begin; first < piece.range.end; first += 64) {
      uint64_t bits = 0;
      for (int64_t at = first, end = std::min(first + 64, piece.range.end); at < end; ++at) {
        const uint32_t row = rows == nullptr ? static_cast<uint32_t>(at) : rows[at];
        const bool is_changed = changed(row);
        values[count] = value_of(row);
        count += is_changed;
        bits |= uint64_t{is_changed} << (at - first);
      }
      piece.bits.push_back(bits);
    }
    piece.values.assign(values.begin(), values.begin() + static_cast<int64_t>(count));
  });
  // To each rank where they are, and then what they are.
  bytes.assign(ranges.size(), 0);
  std::vector<uint64_t> bits;
  for (auto piece = pieces.begin(); piece != pieces.end();) {
    const size_t rank = piece->rank, before = send.size();
    const auto end = std::find_if(piece, pieces.end(), [&](const Piece& one) { return one.rank != rank; });
    bits.clear();
    for (auto one = piece; one != end; ++one) bits.insert(bits.end(), one->bits.begin(), one->bits.end());
    head(send);
    PackedPositions(ranges[rank].end - ranges[rank].begin).pack_bits(bits, send);
    for (; piece != end; ++piece) {
      const auto* const from = reinterpret_cast<const uint8_t*>(piece->values.data());
      send.insert(send.end(), from, from + piece->values.size() * sizeof(T));
    }
    bytes[rank] = static_cast<int64_t>(send.size() - before);
  }
}

template <typename T, typename Changed, typename Taken>
void Ghosts::bring_changed(std::span<T> values, Changed&& changed, Taken&& taken, Comm& comm) const {
  if (comm.size() == 1) return;
  std::vector<Range> ranges;
  for (const int64_t count : wanted_counts_) ranges.push_back({0, count});
  std::vector<uint8_t> send;
  std::vector<int64_t> bytes, received;
  pack_changed<T>(
      ranges, [](std::vector<uint8_t>&) {}, changed,
      [&](uint32_t row) { return values[static_cast<size_t>(own_) + row]; }, send, bytes);
  const std::vector<uint8_t> got = comm.alltoallv<uint8_t>(send, bytes, received);
  each_block(got, received, [&](size_t rank, std::span<const uint8_t> block) {
    each_changed<T>(block, counts_[rank], [&](uint32_t position, const T& value) {
      const int64_t place = blocks_[rank] + position;
      values[static_cast<size_t>(place)] = value;
      taken(place);
    });
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

template <typename Told>
void Ghosts::tell_owners_by_bits(std::span<const uint64_t> bits, Told&& told, Comm& comm) const {
  std::vector<uint8_t> send;
  std::vector<int64_t> bytes(counts_.size());
  std::vector<uint64_t> of_rank;
  for (size_t rank = 0; rank < counts_.size(); ++rank) {
    if (counts_[rank] == 0) continue;
    const size_t before = send.size();
    of_rank.resize(static_cast<size_t>(counts_[rank] + 63) / 64);
    get_bits(bits.data(), blocks_[rank], counts_[rank], of_rank.data());
    PackedPositions(counts_[rank]).pack_bits(of_rank, send);
    bytes[rank] = static_cast<int64_t>(send.size() - before);
  }
  tell_packed(send, bytes, told, comm);
}

template <typename Each, typename Told>
void Ghosts::tell_owners(Each&& each, Told&& told, Comm& comm) const {
  std::vector<int64_t> counts, bytes(counts_.size());
  const std::vector<uint32_t> at = by_owner<uint32_t>(each, [](uint32_t, uint32_t at) { return at; }, counts);
  std::vector<uint8_t> send;
  each_block(at, counts, [&](size_t rank, std::span<const uint32_t> block) {
    const size_t before = send.size();
    PackedPositions(counts_[rank]).pack(block, send);
    bytes[rank] = static_cast<int64_t>(send.size() - before);
  });
  tell_packed(send, bytes, told, comm);
}

}  // namespace sparkgap
