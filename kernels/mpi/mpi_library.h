// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi_abi.h>

namespace sparkgap {

/// The MPI functions that we call, bound at run time: a binary needs no MPI to start, and any libmpi_abi.so.1 will do.
/// Each member has the type of its declaration in mpi_abi.h, so a wrong call does not compile.
struct MpiLibrary {
#define SPARKGAP_MPI_FUNCTIONS(X) \
  X(Init_thread)                  \
  X(Finalize)                     \
  X(Comm_rank)                    \
  X(Comm_size)                    \
  X(Comm_split_type)              \
  X(Comm_free)                    \
  X(Abort)                        \
  X(Comm_set_errhandler)          \
  X(Error_string)                 \
  X(Allreduce_c)                  \
  X(Allgatherv_c)                 \
  X(Alltoallv_c)                  \
  X(Isend_c)                      \
  X(Irecv_c)                      \
  X(Testall)                      \
  X(Waitall)
#define SPARKGAP_MPI_MEMBER(name) decltype(&::MPI_##name) name;
  SPARKGAP_MPI_FUNCTIONS(SPARKGAP_MPI_MEMBER)
#undef SPARKGAP_MPI_MEMBER
};

/// Opens SPARKGAP_MPI_LIBRARY where it is set, else libmpi_abi.so.1 as the loader finds it (this binary's RUNPATH leads
/// to the lib folder of the Python environment that it is installed in). Throws Error(kLost) when there is none.
const MpiLibrary& mpi_library();

}  // namespace sparkgap
