# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#
# Target nanoarrow: Arrow IPC files in C, from the sources in nanoarrow's PyPI archive (its own CMakeLists.txt does not
# configure there). Downloaded once with pip into build/downloads, checked by its hash, unpacked into the build tree.

set(NANOARROW_VERSION 0.9.0)
set(NANOARROW_SHA256 1ce15bbed8532839347faa78824c5dbd3769bff60661003e34c6fba5dd881bd3)
set(downloads ${PROJECT_SOURCE_DIR}/build/downloads)
set(archive ${downloads}/nanoarrow-${NANOARROW_VERSION}.tar.gz)

if(NOT EXISTS ${archive})
  message(STATUS "Downloading nanoarrow ${NANOARROW_VERSION}")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${CMAKE_CURRENT_LIST_DIR}/sdist_only PYTHONDONTWRITEBYTECODE=1
            SPARKGAP_SDIST_VERSION=${NANOARROW_VERSION} ${SPARKGAP_PYTHON} -m pip download --quiet
            --disable-pip-version-check --no-deps --no-build-isolation --no-binary nanoarrow --dest ${downloads}
            nanoarrow==${NANOARROW_VERSION}
    RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "build: expected pip to download nanoarrow ${NANOARROW_VERSION}, found exit status ${failed}. "
                        "Connect to a package index, or put the archive at ${archive}.")
  endif()
endif()
file(SHA256 ${archive} found_sha256)
if(NOT found_sha256 STREQUAL NANOARROW_SHA256)
  message(FATAL_ERROR "${archive}: expected SHA-256 ${NANOARROW_SHA256}, found ${found_sha256}. Remove the file.")
endif()

set(unpacked ${CMAKE_CURRENT_BINARY_DIR}/nanoarrow-${NANOARROW_VERSION}/subprojects)
if(NOT EXISTS ${unpacked})
  file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${CMAKE_CURRENT_BINARY_DIR}
       PATTERNS */arrow-nanoarrow/src/* */flatcc-*)
endif()
file(GLOB flatcc ${unpacked}/flatcc-*)
set(arrow ${unpacked}/arrow-nanoarrow/src/nanoarrow)

string(REPLACE "." ";" numbers ${NANOARROW_VERSION})
list(GET numbers 0 NANOARROW_VERSION_MAJOR)
list(GET numbers 1 NANOARROW_VERSION_MINOR)
list(GET numbers 2 NANOARROW_VERSION_PATCH)
set(NANOARROW_NAMESPACE_DEFINE "#define NANOARROW_NAMESPACE SparkGap")
configure_file(${arrow}/nanoarrow_config.h.in ${CMAKE_CURRENT_BINARY_DIR}/nanoarrow/nanoarrow_config.h)

add_library(nanoarrow STATIC
  ${arrow}/common/array.c ${arrow}/common/array_stream.c ${arrow}/common/schema.c ${arrow}/common/utils.c
  ${arrow}/ipc/codecs.c ${arrow}/ipc/decoder.c ${arrow}/ipc/encoder.c ${arrow}/ipc/reader.c ${arrow}/ipc/writer.c
  ${flatcc}/src/runtime/builder.c ${flatcc}/src/runtime/emitter.c ${flatcc}/src/runtime/verifier.c
  ${flatcc}/src/runtime/refmap.c)
target_include_directories(nanoarrow SYSTEM PUBLIC
  ${CMAKE_CURRENT_BINARY_DIR} ${unpacked}/arrow-nanoarrow/src ${flatcc}/include)
