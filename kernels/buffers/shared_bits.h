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

/// Makes `bits` bits of words, from bit `at` on, those of another array from its first bit on. By one thread.
inline void put_bits(const uint64_t* from, int64_t bits, uint64_t* words, int64_t at) {
  const auto put = [](uint64_t& word, uint64_t value, uint64_t mask) { word = (word & ~mask) | (value & mask); };
  for (int64_t done = 0; done < bits; done += 64, ++from, at += 64) {
    const int shift = static_cast<int>(at % 64);
    const uint64_t all = bits - done >= 64 ? ~uint64_t{0} : (uint64_t{1} << (bits - done)) - 1;
    put(words[at / 64], *from << shift, all << shift);
    if (shift > 0 && all >> (64 - shift) != 0) put(words[at / 64 + 1], *from >> (64 - shift), all >> (64 - shift));
  }
}

/// The reverse: some bits of words, as words of their own.
inline void get_bits(const uint64_t* words, int64_t at, int64_t bits, uint64_t* to) {
  for (int64_t done = 0; done < bits; done += 64, ++to, at += 64) {
    const int shift = static_cast<int>(at % 64);
    *to = words[at / 64] >> shift;
    if (shift > 0 && bits - done > 64 - shift) *to |= words[at / 64 + 1] << (64 - shift);
    if (bits - done < 64) *to &= (uint64_t{1} << (bits - done)) - 1;
  }
}

}  // namespace sparkgap
