// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "buffers/buffer.h"
#include "mpi/comm.h"
#include "process/parallel.h"

namespace sparkgap {

/// Integer sums by label, added to from all threads. The lowest labels, which most additions go to, have sums of their
/// own in every thread; the others are added to atomically.
class LabelSums {
 public:
  explicit LabelSums(int64_t labels)
      : all_(static_cast<size_t>(labels)), hubs_(static_cast<uint32_t>(std::min(labels, kHubs))) {
    if (hubs_ > 0)
      for (int t = 0; t < threads(); ++t) of_thread_.emplace_back(hubs_);
  }
  /// The sums of the calling thread, inside parallel_for.
  class Adder {
   public:
    explicit Adder(LabelSums& sums) : all_(sums.all_.data()), hubs_(sums.hubs_) {
      if (hubs_ > 0) hub_ = sums.of_thread_[static_cast<size_t>(omp_get_thread_num())].data();
    }
    void add(uint32_t label, int64_t value) const {
      if (label < hubs_) hub_[label] += value;
      else std::atomic_ref(all_[label]).fetch_add(value, std::memory_order_relaxed);
    }

   private:
    int64_t* hub_ = nullptr;
    int64_t* all_;
    uint32_t hubs_;
  };
  /// By label, over all threads and ranks. Collective.
  Buffer<int64_t> take(Comm& comm) && {
    parallel_ranges(hubs_, 1 << 12, [&](int64_t begin, int64_t end) {
      for (const Buffer<int64_t>& hubs : of_thread_)
        for (auto label = static_cast<size_t>(begin); label < static_cast<size_t>(end); ++label)
          all_[label] += hubs[label];
    });
    comm.allreduce(all_.span());
    return std::move(all_);
  }

 private:
  static constexpr int64_t kHubs = 1 << 16;
  Buffer<int64_t> all_;
  uint32_t hubs_;
  std::vector<Buffer<int64_t>> of_thread_;
};

}  // namespace sparkgap
