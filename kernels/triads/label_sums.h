// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "buffers/buffer.h"
#include "buffers/counted_bits.h"
#include "graph/graph.h"
#include "mpi/comm.h"
#include "process/parallel.h"

namespace sparkgap {

/// Integer sums by label, added to from all threads. The lowest labels, which most additions go to, have sums of their
/// own in every thread; the others are added to atomically. A rank that adds to some labels alone keeps sums for these.
class LabelSums {
 public:
  explicit LabelSums(int64_t labels) : LabelSums(labels, nullptr) {}
  /// known: the labels that are added to, nullptr: all.
  LabelSums(int64_t labels, const CountedBits* known)
      : known_(known), all_(known == nullptr ? static_cast<size_t>(labels) : known->size()),
        hubs_(static_cast<uint32_t>(std::min(static_cast<int64_t>(all_.size()), kHubs))) {
    if (hubs_ > 0)
      for (int t = 0; t < threads(); ++t) of_thread_.emplace_back(hubs_);
  }
  /// The sums of the calling thread, inside parallel_for.
  class Adder {
   public:
    explicit Adder(LabelSums& sums) : known_(sums.known_), all_(sums.all_.data()), hubs_(sums.hubs_) {
      if (hubs_ > 0) hub_ = sums.of_thread_[static_cast<size_t>(omp_get_thread_num())].data();
    }
    void add(uint32_t label, int64_t value) const {
      const uint32_t at = known_ == nullptr ? label : known_->before(label);
      if (at < hubs_) hub_[at] += value;
      else std::atomic_ref(all_[at]).fetch_add(value, std::memory_order_relaxed);
    }

   private:
    const CountedBits* known_;
    int64_t* hub_ = nullptr;
    int64_t* all_;
    uint32_t hubs_;
  };
  /// By label, over all threads and ranks; of sums of all labels. Collective.
  Buffer<int64_t> take(Comm& comm) && {
    sum_threads();
    comm.allreduce(all_.span());
    return std::move(all_);
  }
  /// By row of the graph, whose labels these are by place, over all threads and ranks. Collective; all ranks have sums
  /// of all labels, or none has.
  Buffer<int64_t> take_by_row(const Graph& graph, std::span<const uint32_t> label, Comm& comm) &&;

 private:
  static constexpr int64_t kHubs = 1 << 16;
  void sum_threads() {
    parallel_ranges(hubs_, 1 << 12, [&](int64_t begin, int64_t end) {
      for (const Buffer<int64_t>& hubs : of_thread_)
        for (auto at = static_cast<size_t>(begin); at < static_cast<size_t>(end); ++at) all_[at] += hubs[at];
    });
    of_thread_.clear();
  }

  const CountedBits* known_;
  Buffer<int64_t> all_;
  uint32_t hubs_;
  std::vector<Buffer<int64_t>> of_thread_;
};

}  // namespace sparkgap
