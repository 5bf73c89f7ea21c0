// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sparkgap {

// Sets of small integers as a bit each, in words that several threads may change at once.

inline size_t words_for(int64_t bits) { return static_cast<size_t>(bits + 63) / 64; }

inline bool has_bit(const uint64_t* words, size_t i) {
  return (std::atomic_ref(const_cast<uint64_t&>(words[i / 64])).load(std::memory_order_relaxed) >> i % 64 & 1) != 0;
}
/// Sets a bit; whether it was this call that did. One that is set already costs no exclusive access.
inline bool claim_bit(uint64_t* words, size_t i) {
  const uint64_t bit = uint64_t{1} << i % 64;
  return !has_bit(words, i) && (std::atomic_ref(words[i / 64]).fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
}
inline void clear_bit(uint64_t* words, size_t i) {
  std::atomic_ref(words[i / 64]).fetch_and(~(uint64_t{1} << i % 64), std::memory_order_relaxed);
}

}  // namespace sparkgap
