# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#
# Target portable: one binary for every Linux of an architecture. It asks for the baseline of ten-year-old processors
# (x86-64-v2) and links the compiler's own libraries statically: at run time it needs glibc and nothing else. With
# SPARKGAP_GLIBC, a folder of dev/old_glibc.py, it is linked against the symbols of that glibc and runs on each later
# one; without, on those from this machine's on.

set(SPARKGAP_GLIBC "" CACHE PATH "What dev/old_glibc.py has made")
add_library(portable INTERFACE)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(SPARKGAP_X86 ON)
endif()
target_compile_features(portable INTERFACE cxx_std_20)
find_package(Threads REQUIRED)
if(SPARKGAP_SANITIZE)  # for this machine alone, with the instruments' own libraries (sanitize.cmake)
  target_compile_options(portable INTERFACE -fopenmp $<$<BOOL:${SPARKGAP_X86}>:-march=x86-64-v2>)
  target_link_options(portable INTERFACE -fopenmp)
  target_link_libraries(portable INTERFACE Threads::Threads ${CMAKE_DL_LIBS})
  return()
endif()
target_compile_options(portable INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Werror> -fopenmp)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms on std::string, GCC bug 105651.
  target_compile_options(portable INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(SPARKGAP_X86)
  target_compile_options(portable INTERFACE -march=x86-64-v2)
endif()
target_link_options(portable INTERFACE -static-libgcc -static-libstdc++ -Wl,--exclude-libs,ALL -Wl,--gc-sections)

# With -fopenmp the linker would take libgomp.so, so name the archive instead.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libgomp.a
                OUTPUT_VARIABLE gomp OUTPUT_STRIP_TRAILING_WHITESPACE)
if(SPARKGAP_GLIBC)
  add_library(older_glibc OBJECT process/older_glibc.c)
  # GNU ld 2.40 leaves an empty relocation behind, which the loader refuses.
  target_link_options(portable INTERFACE -B${SPARKGAP_GLIBC} -fuse-ld=gold)
  target_link_libraries(portable INTERFACE $<TARGET_OBJECTS:older_glibc> ${gomp} -lpthread -ldl -lm -lrt)
else()
  target_link_libraries(portable INTERFACE ${gomp} Threads::Threads ${CMAKE_DL_LIBS})
endif()
