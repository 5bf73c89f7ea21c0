# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#
# Where the MPI of the tests and the header of its standard ABI are: in the mpich package of SPARKGAP_PYTHON unless told
# otherwise. Nothing is linked: programs open the library at run time (src/mpi_library.h).

function(find_in_mpich name variable doc)
  if(NOT ${variable})
    execute_process(
      COMMAND ${SPARKGAP_PYTHON} -c
              "import importlib.metadata as m\n\
print(next(f.locate().resolve() for f in m.files('mpich') if f.name == '${name}'), end='')"
      OUTPUT_VARIABLE found ERROR_QUIET RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR "build: expected ${name} of the package mpich beside ${SPARKGAP_PYTHON}, found none. "
                          "Do ${SPARKGAP_PYTHON} -m pip install mpich, or set ${variable}.")
    endif()
    set(${variable} ${found} CACHE FILEPATH "${doc}" FORCE)
  endif()
endfunction()

if(NOT SPARKGAP_MPI_INCLUDE)
  find_in_mpich(mpi_abi.h mpi_header "The header of the MPI standard ABI")
  get_filename_component(include_folder ${mpi_header} DIRECTORY)
  set(SPARKGAP_MPI_INCLUDE ${include_folder} CACHE PATH "The folder of mpi_abi.h")
endif()
find_in_mpich(mpiexec SPARKGAP_MPIEXEC "The mpiexec that runs tests under several ranks")
find_in_mpich(libmpi_abi.so.1 SPARKGAP_MPI_LIBRARY "The MPI library of these tests")
