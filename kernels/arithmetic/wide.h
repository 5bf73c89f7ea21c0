// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

/// Before a function: the compiler makes it for AVX-512, for AVX2 and for the baseline (cmake/portable.cmake), and the
/// processor's best is taken when the program is loaded. What it calls must be inline to gain from it; OpenMP's
/// parallel regions are not.
#if defined(__x86_64__) && !defined(__clang__)
#define SPARKGAP_WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SPARKGAP_WIDE
#endif
