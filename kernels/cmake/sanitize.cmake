# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#
# -DSPARKGAP_SANITIZE=address or thread: the same programs and tests, instrumented (make sanitize). Both use clang,
# because of OpenMP: GCC's libgomp does not tell ThreadSanitizer about its barriers, which then look like races. clang's
# libomp reports what happens before what through its tool interface (libarcher, in Debian's libomp).
#   address  memory, leaks, and what C++ leaves undefined
#   thread   races of threads; those of ranks are none, each is a process
# With fuzz the targets of fuzz/ are built too: libFuzzer is clang's as well.

set(SPARKGAP_SANITIZE "" CACHE STRING "address, thread or nothing")
if(NOT SPARKGAP_SANITIZE)
  return()
endif()
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  message(FATAL_ERROR "SPARKGAP_SANITIZE: expected clang, found ${CMAKE_CXX_COMPILER_ID}. "
                      "Set CMAKE_C_COMPILER and CMAKE_CXX_COMPILER.")
endif()
set(CMAKE_C_FLAGS_RELEASE "-O1 -g1 -fno-omit-frame-pointer")
set(CMAKE_CXX_FLAGS_RELEASE "-O1 -g1 -fno-omit-frame-pointer")
if(SPARKGAP_SANITIZE STREQUAL address)
  # Not vptr: it needs type information of what is hidden. Alignment is checked, because readers promise it.
  set(instruments -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all)
elseif(SPARKGAP_SANITIZE STREQUAL thread)
  set(instruments -fsanitize=thread)
else()
  message(FATAL_ERROR "SPARKGAP_SANITIZE: expected address or thread, found ${SPARKGAP_SANITIZE}.")
endif()
set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
add_compile_options(${instruments} $<$<BOOL:${SPARKGAP_FUZZ}>:-fsanitize=fuzzer-no-link>)
add_link_options(${instruments})
