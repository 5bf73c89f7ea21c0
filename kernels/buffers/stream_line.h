// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace sparkgap {

/// Copies whole cache lines to memory past the caches. Both addresses are multiples of 16, bytes of 64.
template <size_t kBytes>
inline void stream_line(void* to, const void* from) {
#if defined(__SSE2__)
  for (size_t i = 0; i < kBytes / sizeof(__m128i); ++i)
    _mm_stream_si128(static_cast<__m128i*>(to) + i, _mm_load_si128(static_cast<const __m128i*>(from) + i));
#else
  std::memcpy(to, from, kBytes);
#endif
}

/// Makes streamed lines visible to other threads; call it before they are handed over.
inline void stream_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace sparkgap
