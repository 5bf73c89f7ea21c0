// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program/job.h"

namespace sparkgap {

/// The widest span of ids that this job's kernel takes as dense.
uint64_t widest_dense(const Spec& spec, const Values& values, const Job& job);

enum class MemoryGoal { kSpeed, kLeast };  ///< with MemoryNeed::faster, or without

/// The peak memory of a job's ranks, all together, with the rows of the result and without the mapped inputs [bytes]:
/// the Spec's figures for the arcs and vertices, or for the rows and the numbers of the model, and what each rank and
/// thread takes in any case. 0 if the Spec has no figures. `job.look` is set.
int64_t memory_bytes(const Spec& spec, const Values& values, const Job& job, MemoryGoal goal = MemoryGoal::kSpeed);

/// About how long the files of a result that is a graph will be [bytes], by the number of edges alone; 0 for any other.
int64_t result_bytes(const Spec& spec, const Values& values, const Job& job);

/// What `--describe` says of small jobs, so that starting one need not begin with a question: {"rows", "bytes"} that
/// the inputs have at most, all together, and what is enough for them: "rank_bytes" for one rank with one thread,
/// "mpi_rank_bytes" for each of several, "thread_bytes" for each further thread of a rank. Null for kernels whose need
/// depends on values.
nlohmann::ordered_json small_jobs(const Spec& spec);

/// What a kernel's program answers instead of a run; no MPI is started.
///
///   --memory JOB         {"memory_bytes": N, "least_bytes": L, "result_bytes": M} for the job.json JOB, `-` for
///                        standard input. Looks at the rows unless the job has "looks", which its hosts have made. With
///                        L, ranks are told SPARKGAP_MEMORY=least, and take longer (process/least_memory.h).
///   --look JOB HOST      what the rows on that host say, for "looks"
///   --result JOB         {"result_bytes": M}: opens nothing
///   --disk JOB           {"bytes_per_second": B} that this host's disk gives of the arcs of a stored graph, measured
///                        in a second at most; 0 where none is on a disk
///
/// Returns false if the arguments ask for something else. Errors: as read_job and look_at_inputs have.
bool answer_memory(const Spec& spec, const std::vector<std::string>& arguments);

}  // namespace sparkgap
