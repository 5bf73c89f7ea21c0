// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "mpi/comm.h"

namespace sparkgap {

/// Ranks that this process was started among: a launcher's PMI_SIZE, 1 without one.
int launched_ranks();

/// The ranks of this job: plain Comm for one, MPI (thread level FUNNELED) for more. Throws Error(kLost) where the
/// number of ranks that MPI reports is another one. The result finalizes MPI when it goes; one at a time, once per
/// process.
std::unique_ptr<Comm> connect(int ranks);

}  // namespace sparkgap
