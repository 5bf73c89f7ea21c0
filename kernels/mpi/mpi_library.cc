// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "mpi/mpi_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "process/error.h"

namespace sparkgap {
namespace {

MpiLibrary open_library() {
  const char* given = std::getenv("SPARKGAP_MPI_LIBRARY");
  const std::string path = given != nullptr && *given != '\0' ? given : "libmpi_abi.so.1";
  // Global: MPI libraries load their own transports as plug-ins, which look for the library's symbols.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    throw Error(Exit::kLost, "launch", "an MPI library with the standard ABI (libmpi_abi.so.1)",
                reason != nullptr ? reason : "none", "Do pip install mpich, or set SPARKGAP_MPI_LIBRARY to the file");
  }
  MpiLibrary table{};
#define SPARKGAP_MPI_BIND(name)                                                            \
  table.name = reinterpret_cast<decltype(table.name)>(dlsym(library, "MPI_" #name));       \
  if (table.name == nullptr)                                                               \
    throw Error(Exit::kLost, "launch", "MPI_" #name " in " + path, "a library without it", \
                "Install MPI 5.0 or later: pip install mpich");
  SPARKGAP_MPI_FUNCTIONS(SPARKGAP_MPI_BIND)
#undef SPARKGAP_MPI_BIND
  return table;
}

}  // namespace

const MpiLibrary& mpi_library() {
  static const MpiLibrary table = open_library();
  return table;
}

}  // namespace sparkgap
