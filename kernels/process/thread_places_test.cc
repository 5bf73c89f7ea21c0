// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "process/thread_places.h"

#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>

#include <atomic>

namespace sparkgap {
namespace {

TEST(SpreadThreads, LeavesEachThreadFreeToGoWhereItCould) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  for (const int threads : {CPU_COUNT(&before), 1, CPU_COUNT(&before) + 1}) {
    omp_set_num_threads(threads);
    spread_threads();
    std::atomic<int> free{0};
#pragma omp parallel
    {
      cpu_set_t mine;
      free += sched_getaffinity(0, sizeof mine, &mine) == 0 && CPU_EQUAL(&mine, &before);
    }
    EXPECT_EQ(free, threads);
  }
}

}  // namespace
}  // namespace sparkgap
