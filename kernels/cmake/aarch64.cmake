# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#
# ARM programs, built and tried on x86-64 (make aarch64): Debian's cross compiler, and QEMU wherever the build runs what
# it has made.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc-12)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++-12)
set(CMAKE_AR aarch64-linux-gnu-gcc-ar-12)
set(CMAKE_RANLIB aarch64-linux-gnu-gcc-ranlib-12)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L /usr/aarch64-linux-gnu)
# Libraries of headers alone are those of this machine.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
