// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "process/thread_places.h"

#include <sched.h>

#include <vector>

#include "process/parallel.h"

namespace sparkgap {

void spread_threads() {
  cpu_set_t all;
  if (threads() < 2 || omp_get_proc_bind() != omp_proc_bind_false || sched_getaffinity(0, sizeof all, &all) != 0 ||
      CPU_COUNT(&all) != threads())
    return;
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &all)) cpus.push_back(cpu);
#pragma omp parallel
  {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpus[static_cast<size_t>(omp_get_thread_num()) % cpus.size()], &one);
    sched_setaffinity(0, sizeof one, &one);  // of this thread; a refusal changes nothing
    sched_setaffinity(0, sizeof all, &all);
  }
}

}  // namespace sparkgap
