// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "buffers/buffer.h"
#include "buffers/stream_line.h"
#include "mpi/comm.h"
#include "process/parallel.h"
#include "rows/partitions.h"

// A split orders records by destination, keeping input order inside a destination whatever the number of threads. It is
// done in two passes by independent groups of consecutive records: every group counts its records per destination
// (SplitPlan), and then, knowing its exact places, writes them (Scatter). Over ranks, exchange() then sends every rank
// its partitions.

namespace sparkgap {

/// Counts per group and destination, then places: destination by destination, inside one by group.
class SplitPlan {
 public:
  SplitPlan(int64_t groups, int destinations)
      : groups_(groups), destinations_(destinations), places_(static_cast<size_t>(groups * destinations)),
        starts_(static_cast<size_t>(destinations) + 1) {}

  int64_t groups() const { return groups_; }
  int destinations() const { return destinations_; }
  /// The counts of a group, and after finish() the places of its first record of each destination.
  std::span<int64_t> row(int64_t group) {
    return {&places_[static_cast<size_t>(group * destinations_)], static_cast<size_t>(destinations_)};
  }
  void finish() {
    int64_t at = 0;
    for (int d = 0; d < destinations_; ++d) {
      starts_[static_cast<size_t>(d)] = at;
      for (int64_t g = 0; g < groups_; ++g)
        at += std::exchange(places_[static_cast<size_t>(g * destinations_ + d)], at);
    }
    starts_.back() = at;
  }
  int64_t records() const { return starts_.back(); }
  /// First place of a destination; start(destinations()) is records().
  int64_t start(int destination) const { return starts_[static_cast<size_t>(destination)]; }

 private:
  int64_t groups_;
  int destinations_;
  std::vector<int64_t> places_, starts_;
};

/// Writes the records of one group to their places, a whole cache line at a time and past the caches: 256 and more
/// destinations then cost one write stream instead of a cache miss per record.
template <typename T>
class Scatter {
 public:
  Scatter(T* out, std::span<const int64_t> places)
      : out_(out), begin_(places.begin(), places.end()), at_(begin_),
        lines_(static_cast<T*>(::operator new(places.size() * sizeof(T) * kLine, std::align_val_t{64}))) {}
  Scatter(const Scatter&) = delete;
  Scatter& operator=(const Scatter&) = delete;
  ~Scatter() {
    for (size_t d = 0; d < at_.size(); ++d)
      if (const auto tail = static_cast<int64_t>(static_cast<size_t>(at_[d]) % kLine); tail > 0)
        pen().copy_part(d, at_[d] - tail, tail);
    stream_fence();
    ::operator delete(lines_, std::align_val_t{64});
  }
  /// What a loop writes with: a copy of its own stays in registers, where the compiler must take the scatter for what
  /// the records overwrite.
  class Pen {
   public:
    /// Writes one record.
    void operator()(int destination, const T& record) const {
      const auto d = static_cast<size_t>(destination);
      const auto at = static_cast<size_t>(at_[d]++), slot = at % kLine;
      lines_[d * kLine + slot] = record;
      if (slot == kLine - 1) flush(d, static_cast<int64_t>(at + 1 - kLine));
    }

   private:
    friend class Scatter;
    void flush(size_t d, int64_t first) const {
      if (first >= begin_[d]) stream_line<sizeof(T) * kLine>(out_ + first, lines_ + d * kLine);
      else copy_part(d, first, kLine);
    }
    /// A line that this group shares with its neighbours.
    void copy_part(size_t d, int64_t first, int64_t records) const {
      const int64_t skipped = std::max<int64_t>(0, begin_[d] - first);
      std::memcpy(static_cast<void*>(out_ + first + skipped), lines_ + d * kLine + static_cast<size_t>(skipped),
                  static_cast<size_t>(records - skipped) * sizeof(T));
    }
    T* out_;
    T* lines_;
    const int64_t* begin_;
    int64_t* at_;
  };
  Pen pen() {
    Pen pen;
    pen.out_ = out_, pen.lines_ = lines_, pen.begin_ = begin_.data(), pen.at_ = at_.data();
    return pen;
  }

 private:
  /// Records in the least common multiple of their size and a cache line; a power of two.
  static constexpr size_t kLine = 64 / std::gcd(size_t{64}, sizeof(T));

  T* out_;
  std::vector<int64_t> begin_, at_;
  T* lines_;
};

/// The records of this rank's partitions. Each partition is one piece per rank that they came from, and a piece keeps
/// the order it had there.
template <typename T>
struct Partitioned {
  Buffer<T> records;
  int partitions = 0;
  int ranks = 1;
  std::vector<int64_t> starts;  ///< [rank * partitions + partition], and their number

  std::span<T> piece(int partition, int rank) const {
    const auto at = static_cast<size_t>(rank) * static_cast<size_t>(partitions) + static_cast<size_t>(partition);
    return records.span().subspan(static_cast<size_t>(starts[at]), static_cast<size_t>(starts[at + 1] - starts[at]));
  }
  int64_t count(int partition) const {
    int64_t n = 0;
    for (int rank = 0; rank < ranks; ++rank) n += static_cast<int64_t>(piece(partition, rank).size());
    return n;
  }
};

/// Hands records that were split by a plan over partitions.total() destinations to the owners. Collective.
template <typename T>
Partitioned<T> exchange(Buffer<T> records, const SplitPlan& plan, Partitions partitions, Comm& comm) {
  Partitioned<T> mine;
  mine.partitions = partitions.per_rank;
  mine.ranks = partitions.ranks;
  const auto total = static_cast<size_t>(partitions.total());
  std::vector<int64_t> counts(total), received(total);
  for (size_t d = 0; d < total; ++d) counts[d] = plan.start(static_cast<int>(d) + 1) - plan.start(static_cast<int>(d));
  const std::vector<int64_t> per_rank(static_cast<size_t>(partitions.ranks), partitions.per_rank);
  comm.alltoallv<int64_t>(counts, per_rank, std::span<int64_t>(received), per_rank);
  mine.starts.assign(total + 1, 0);
  for (size_t d = 0; d < total; ++d) mine.starts[d + 1] = mine.starts[d] + received[d];
  if (partitions.ranks == 1) {
    mine.records = std::move(records);
    return mine;
  }
  std::vector<int64_t> send(static_cast<size_t>(partitions.ranks)), receive(send.size());
  for (int r = 0; r < partitions.ranks; ++r) {
    const int first = r * partitions.per_rank, end = first + partitions.per_rank;
    send[static_cast<size_t>(r)] = plan.start(end) - plan.start(first);
    receive[static_cast<size_t>(r)] = mine.starts[static_cast<size_t>(end)] - mine.starts[static_cast<size_t>(first)];
  }
  mine.records = Buffer<T>(static_cast<size_t>(mine.starts.back()), Content::kAnything);
  comm.alltoallv<T>(records.span(), send, mine.records.span(), receive);
  return mine;
}

/// A run of records of one piece, small enough that groups of runs balance.
struct RecordRun {
  int partition;
  int rank;  ///< where they came from
  int64_t group;
  int64_t begin, end;  ///< in Partitioned::records
};

/// All records in the order partition, rank, place, as runs in groups of about equal length; runs of a group are
/// consecutive. first_run[p] is the first run of partition p.
struct Runs {
  std::vector<RecordRun> runs;
  std::vector<size_t> first_run;
  int64_t groups = 0;
  std::vector<size_t> first_of_group;

  template <typename T>
  explicit Runs(const Partitioned<T>& in) {
    const auto n = static_cast<int64_t>(in.records.size());
    groups = std::max<int64_t>(1, std::min<int64_t>(n >> 16, 8 * threads()));
    const int64_t longest = n / groups + 1;
    int64_t before = 0;
    for (int p = 0; p < in.partitions; ++p) {
      first_run.push_back(runs.size());
      for (int rank = 0; rank < in.ranks; ++rank) {
        const auto at = static_cast<size_t>(rank) * static_cast<size_t>(in.partitions) + static_cast<size_t>(p);
        for (int64_t begin = in.starts[at]; begin < in.starts[at + 1];) {
          const int64_t group = before / longest;
          const int64_t end = std::min(in.starts[at + 1], begin + (group + 1) * longest - before);
          while (static_cast<int64_t>(first_of_group.size()) <= group) first_of_group.push_back(runs.size());
          runs.push_back({p, rank, group, begin, end});
          before += end - begin;
          begin = end;
        }
      }
    }
    first_run.push_back(runs.size());
    while (static_cast<int64_t>(first_of_group.size()) <= groups) first_of_group.push_back(runs.size());
  }
  std::span<const RecordRun> of_partition(int p) const {
    return between(first_run[static_cast<size_t>(p)], first_run[static_cast<size_t>(p) + 1]);
  }
  std::span<const RecordRun> of_group(int64_t g) const {
    return between(first_of_group[static_cast<size_t>(g)], first_of_group[static_cast<size_t>(g) + 1]);
  }

 private:
  std::span<const RecordRun> between(size_t begin, size_t end) const { return {runs.data() + begin, end - begin}; }
};

}  // namespace sparkgap
