// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparkgap {

/// Removes the files of MPI's ranks in `folder`, /dev/shm, that are this user's and that no process has open or mapped
/// any more: those of ranks that were killed before they had removed the names themselves (mpi/mpi_comm.cc). Waits
/// until all are gone, a second at most, for a killed process keeps its files until the system has freed its memory.
/// The JVM's side does the same where the guard was killed too (MpichLeftovers.java).
void remove_left_memory(const std::string& folder = "/dev/shm");

}  // namespace sparkgap
