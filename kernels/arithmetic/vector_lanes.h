// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparkgap {

/// Doubles in the widest vector instructions of this processor that functions of the target attribute below are
/// compiled for: 2, 4 or 8.
inline int vector_lanes() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return 8;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 4;
#endif
  return 2;
}

#ifdef __x86_64__
#define SPARKGAP_LANES_4 gnu::target("avx2,fma")
#define SPARKGAP_LANES_8 gnu::target("avx512f,avx512dq,avx512vl,avx2,fma")
#endif

}  // namespace sparkgap
