// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "process/parallel.h"
#include "sssp/distance_buckets.h"

namespace sparkgap::sssp {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Distances are >= 0, so their bits compare like the numbers, by one instruction with what is in memory.
inline uint64_t bits_of(double distance) { return std::bit_cast<uint64_t>(distance); }

/// Distances from some vertices by steps, each of which settles a bucket of them. Over ranks each has its own vertices'
/// distances, and the least that it found for others'.
template <bool kWeighted>
class Search {
 public:
  /// in_order: rows are read in the order of the file that they are mapped from.
  Search(const Graph& graph, double delta, bool in_order, Comm& comm)
      : graph_(graph), comm_(comm), delta_(delta), in_order_(in_order), window_(0, delta),
        known_(static_cast<size_t>(graph.ghosts.places())), workers_(static_cast<size_t>(threads())) {
    parallel_ranges(graph.ghosts.places(), 1 << 16, [&](int64_t begin, int64_t end) {
      std::fill(known_.data() + begin, known_.data() + end, bits_of(kInfinity));
    });
  }

  void start(const std::vector<int64_t>& rows) {
    for (const int64_t row : rows) reach<false>(workers_[0], graph_.ghosts.place(row), 0);
  }

  /// Works off the nearest bucket of all ranks; false where none is left. First each rank tells the others what it
  /// found for their vertices in this bucket: mostly the last that it finds. What it finds while it works waits for the
  /// next step, which has the same bucket.
  bool step() {
    int64_t nearest = BucketWindow::kBuckets;
    for (const Worker& worker : workers_)
      nearest = std::min<int64_t>(nearest, std::min(worker.buckets.next(bucket_), worker.ghosts.next(bucket_)));
    bucket_ = static_cast<int>(comm_.allreduce(nearest, Reduce::kMin));
    if (bucket_ == BucketWindow::kBuckets && !move_window()) return false;
    if (comm_.size() > 1) exchange();
    while (take_bucket()) {
      if (in_order_) work_in_order();
      else if (workers_.size() == 1 || is_small()) work_alone();
      else work_together();
      give_back();
    }
    return true;
  }

  Buffer<double> take() {
    Buffer<double> distances = std::move(known_).template as<double>();
    if (graph_.rows == graph_.ghosts.places()) return distances;
    Buffer<double> mine(static_cast<size_t>(graph_.rows));
    std::copy_n(distances.data() + graph_.ghosts.own(), graph_.rows, mine.data());
    return mine;
  }

 private:
  static constexpr int64_t kAlone = 1 << 15;  ///< a barrier costs more than that many arcs
  static constexpr int64_t kUnit = 1 << 13;   ///< arcs of a long row that a thread takes at once
  static constexpr size_t kTogether = 64;     ///< entries whose memory is fetched at the same time
  static constexpr int64_t kFetched = 64;  ///< arcs of each; the processor sees for itself where a longer row goes on
  static constexpr uint32_t kFused = 4;    ///< blocks of the same bucket that a thread goes on with alone

  struct Arcs {
    double distance;  ///< where they start
    int64_t begin, end;
  };
  struct alignas(64) Worker {
    DistanceBuckets buckets, ghosts;  ///< ghosts: of other ranks' vertices
    std::vector<ReachedBlock*> fused;
    std::vector<Arcs> long_rows;  ///< for all threads
  };

  int64_t row_of(const Reached& reached) const { return int64_t{reached.vertex} - graph_.ghosts.own(); }
  std::atomic_ref<uint64_t> known(uint32_t vertex) const { return std::atomic_ref<uint64_t>(known_[vertex]); }
  /// The distance of an entry; infinity where it is out of date.
  double distance(const Reached& reached) const {
    const uint64_t bits = known(reached.vertex).load(std::memory_order_relaxed);
    return reached.is_at(bits) ? std::bit_cast<double>(bits) : kInfinity;
  }

  /// Lowers a distance and keeps what follows from that. kShared: other threads do the same.
  template <bool kShared>
  [[gnu::noinline]] void reach(Worker& worker, uint32_t vertex, double distance) {
    if constexpr (kShared) {
      uint64_t old = known(vertex).load(std::memory_order_relaxed);
      do {
        if (old <= bits_of(distance)) return;
      } while (!known(vertex).compare_exchange_weak(old, bits_of(distance), std::memory_order_relaxed));
    } else {
      known(vertex).store(bits_of(distance), std::memory_order_relaxed);
    }
    DistanceBuckets& buckets = graph_.ghosts.is_own(vertex) ? worker.buckets : worker.ghosts;
    buckets.push(window_.bucket(distance), Reached(vertex, bits_of(distance)));
  }

  template <bool kShared>
  [[gnu::noinline]] void follow(Worker& worker, const Arcs& arcs) {
    const uint32_t* const ends = graph_.out.ends.data();
    const double* const weights = graph_.out.weights.data();
    const double distance = arcs.distance;
    for (int64_t k = arcs.begin; k < arcs.end; ++k) {
      const double next = distance + (kWeighted ? weights[k] : 1.0);
      if (bits_of(next) < known(ends[k]).load(std::memory_order_relaxed)) [[unlikely]]
        reach<kShared>(worker, ends[k], next);
    }
  }

  /// Half of the entries are out of date: the arcs of the others alone are fetched.
  template <bool kShared>
  void follow_all(Worker& worker, std::span<const Reached> entries) {
    const int64_t* const starts = graph_.out.starts.data();
    std::array<Arcs, kTogether> rows;
    while (!entries.empty()) {
      const auto some = entries.first(std::min(entries.size(), kTogether));
      entries = entries.subspan(some.size());
      for (const Reached& entry : some) {
        __builtin_prefetch(known_.data() + entry.vertex);
        __builtin_prefetch(starts + row_of(entry));
      }
      size_t n = 0;
      for (const Reached& entry : some) {
        const double distance = this->distance(entry);
        if (distance == kInfinity) continue;
        const Arcs row{distance, starts[row_of(entry)], starts[row_of(entry) + 1]};
        if (kShared && row.end - row.begin > 2 * kUnit) {
          worker.long_rows.push_back(row);
          continue;
        }
        const int64_t fetched = std::min(row.end, row.begin + kFetched);
        for (int64_t k = row.begin; k < fetched; k += 16) __builtin_prefetch(graph_.out.ends.data() + k);
        if constexpr (kWeighted)
          for (int64_t k = row.begin; k < fetched; k += 8) __builtin_prefetch(graph_.out.weights.data() + k);
        rows[n++] = row;
      }
      for (size_t i = 0; i < n; ++i) follow<kShared>(worker, rows[i]);
    }
  }

  /// Moves what all threads have for the bucket into the frontier; false where that is empty.
  bool take_bucket() {
    for (Worker& worker : workers_) worker.buckets.take(bucket_, frontier_);
    return !frontier_.empty();
  }
  void give_back() {
    for (size_t i = 0; i < frontier_.size(); ++i) workers_[i % workers_.size()].buckets.give_back(frontier_[i]);
    frontier_.clear();
  }
  bool is_small() const {
    int64_t arcs = 0;
    for (const ReachedBlock* block : frontier_)
      for (const Reached& reached : block->reached())
        if ((arcs += graph_.out.degree(row_of(reached)) + 1) >= kAlone) return false;
    return true;
  }

  void work_alone() {
    for (const ReachedBlock* block : frontier_) follow_all<false>(workers_[0], block->reached());
  }

  /// body(worker, i) for i in [0, n), on all threads from a common queue; then finish(worker) on each.
  template <typename Body, typename Finish>
  void on_all(size_t n, Body&& body, Finish&& finish) {
    std::atomic<size_t> next{0};
    parallel_for(static_cast<int64_t>(workers_.size()), [&](int64_t w) {
      Worker& worker = workers_[static_cast<size_t>(w)];
      for (size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < n;) body(worker, i);
      finish(worker);
    });
  }

  void work_together() {
    // Few entries may have many arcs.
    const size_t unit = std::clamp(std::bit_floor(frontier_.size() * ReachedBlock::kLength / (16 * workers_.size())),
                                   size_t{8}, kTogether);
    const size_t in_block = ReachedBlock::kLength / unit;
    on_all(
        frontier_.size() * in_block,
        [&](Worker& worker, size_t i) {
          const auto entries = frontier_[i / in_block]->reached();
          const size_t first = i % in_block * unit;
          if (first < entries.size())
            follow_all<true>(worker, entries.subspan(first, std::min(unit, entries.size() - first)));
        },
        [&](Worker& worker) {
          while (!worker.buckets.empty(bucket_) && worker.buckets.blocks(bucket_) <= kFused) {
            worker.buckets.take(bucket_, worker.fused);
            for (ReachedBlock* block : worker.fused) {
              follow_all<true>(worker, block->reached());
              worker.buckets.give_back(block);
            }
            worker.fused.clear();
          }
        });
    follow_long_rows();
  }

  /// The least distance of each vertex of the bucket, by vertex.
  void work_in_order() {
    std::vector<Reached> reached;
    for (const ReachedBlock* block : frontier_)
      for (const Reached& one : block->reached())
        if (distance(one) < kInfinity) reached.push_back(one);
    std::sort(reached.begin(), reached.end(), [](const Reached& a, const Reached& b) { return a.vertex < b.vertex; });
    const auto same = [](const Reached& a, const Reached& b) { return a.vertex == b.vertex; };
    reached.erase(std::unique(reached.begin(), reached.end(), same), reached.end());
    const std::span<const Reached> all = reached;
    on_all((all.size() + kTogether - 1) / kTogether,
           [&](Worker& worker, size_t i) {
             follow_all<true>(worker, all.subspan(i * kTogether, std::min(kTogether, all.size() - i * kTogether)));
           },
           [](Worker&) {});
    follow_long_rows();
  }

  void follow_long_rows() {
    std::vector<Arcs> pieces;
    for (Worker& worker : workers_) {
      for (const Arcs& row : worker.long_rows)
        for (int64_t at = row.begin; at < row.end; at += kUnit)
          pieces.push_back({row.distance, at, std::min(row.end, at + kUnit)});
      worker.long_rows.clear();
    }
    if (!pieces.empty())
      on_all(pieces.size(), [&](Worker& worker, size_t i) { follow<true>(worker, pieces[i]); }, [](Worker&) {});
  }

  /// Tells the owners of vertices that are in the bucket how far they are, and takes in what others found.
  void exchange() {
    std::vector<ReachedBlock*> blocks;
    for (Worker& worker : workers_) worker.ghosts.take(bucket_, blocks);
    std::vector<uint32_t> ghosts(blocks.size() * ReachedBlock::kLength);
    size_t n = 0;
    for (ReachedBlock* const block : blocks) {
      for (const Reached& one : block->reached()) __builtin_prefetch(known_.data() + one.vertex);
      for (const Reached& one : block->reached()) {  // half of them are out of date, which no branch could foresee
        ghosts[n] = one.vertex;
        n += distance(one) < kInfinity;
      }
      workers_[0].ghosts.give_back(block);
    }
    ghosts.resize(n);
    const auto say = [&](uint32_t vertex) { return std::bit_cast<double>(known_[vertex]); };
    const auto take_in = [&](size_t, uint32_t row, double distance) {
      const uint32_t vertex = graph_.ghosts.place(row);
      if (bits_of(distance) < known_[vertex]) reach<false>(workers_[0], vertex, distance);
    };
    graph_.ghosts.tell_owners<double>([&](auto&& visit) { std::for_each(ghosts.begin(), ghosts.end(), visit); }, say,
                                      take_in, comm_);
  }

  /// All buckets are empty: puts what is far into new ones. They are wide enough to take half of it, so that far
  /// distances are not looked at again and again where weights differ by orders of magnitude. False where nothing is
  /// far.
  bool move_window() {
    std::vector<std::pair<double, Reached>> far;
    for (Worker& worker : workers_)
      for (DistanceBuckets* const buckets : {&worker.buckets, &worker.ghosts})
        buckets->take(BucketWindow::kBuckets, frontier_);
    for (const ReachedBlock* block : frontier_)
      for (const Reached& reached : block->reached())
        if (const double at = distance(reached); at < kInfinity) far.emplace_back(at, reached);
    give_back();
    double nearest = kInfinity;
    for (const auto& [at, reached] : far) nearest = std::min(nearest, at);
    nearest = comm_.allreduce(nearest, Reduce::kMin);
    if (nearest == kInfinity) return false;
    double delta = delta_;
    if (!far.empty()) {
      const auto middle = far.begin() + static_cast<int64_t>((far.size() - 1) / 2);
      std::nth_element(far.begin(), middle, far.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      constexpr double kHalf = BucketWindow::kBuckets / 2.0;
      delta = std::max(delta, (middle->first - nearest) / kHalf);
    }
    window_ = BucketWindow(nearest, comm_.allreduce(delta, Reduce::kMax));
    bucket_ = 0;
    for (const auto& [at, reached] : far)
      (graph_.ghosts.is_own(reached.vertex) ? workers_[0].buckets : workers_[0].ghosts)
          .push(window_.bucket(at), reached);
    return true;
  }

  const Graph& graph_;
  Comm& comm_;
  const double delta_;
  const bool in_order_;
  BucketWindow window_;
  int bucket_ = 0;
  Buffer<uint64_t> known_;  ///< bits of distances by place; of vertices of other ranks: the least that was found here
  std::vector<Worker> workers_;
  std::vector<ReachedBlock*> frontier_;
};

}  // namespace sparkgap::sssp
