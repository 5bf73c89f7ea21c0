// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "learn/gram.h"

namespace sparkgap {
namespace {

// The widest tile: 24 columns, 8 rows. Smaller ones divide it.
constexpr int64_t kStep = 24;
int64_t padded(int64_t width) { return (width + kStep - 1) / kStep * kStep; }

/// sums += block' * block, as far as tiles of kTile x (3 * kLanes) touch the lower triangle.
template <int kLanes, int kTile>
[[gnu::always_inline]] inline void add_tiles(const double* block, int64_t n, int64_t width, int64_t stride,
                                             double* sums) {
  typedef double Reals __attribute__((vector_size(kLanes * 8)));
  constexpr int kVectors = 3, kColumns = kVectors * kLanes;
  for (int64_t i = 0; i < width; i += kTile)
    for (int64_t j = 0; j < i + kTile; j += kColumns) {
      Reals sum[kTile][kVectors] = {};
      const double *left = block + i, *right = block + j;
      for (int64_t row = 0; row < n; ++row, left += stride, right += stride) {
        const Reals* columns = reinterpret_cast<const Reals*>(right);
#pragma GCC unroll 8
        for (int t = 0; t < kTile; ++t)
#pragma GCC unroll 3
          for (int v = 0; v < kVectors; ++v) sum[t][v] += columns[v] * left[t];
      }
#pragma GCC unroll 8
      for (int t = 0; t < kTile; ++t) {
        Reals* to = reinterpret_cast<Reals*>(sums + (i + t) * stride + j);
#pragma GCC unroll 3
        for (int v = 0; v < kVectors; ++v) to[v] += sum[t][v];
      }
    }
}

void add_2(const double* block, int64_t n, int64_t width, int64_t stride, double* sums) {
  add_tiles<2, 4>(block, n, width, stride, sums);
}

#ifdef __x86_64__
[[SPARKGAP_LANES_4]] void add_4(const double* block, int64_t n, int64_t width, int64_t stride, double* sums) {
  add_tiles<4, 4>(block, n, width, stride, sums);
}
[[SPARKGAP_LANES_8]] void add_8(const double* block, int64_t n, int64_t width, int64_t stride, double* sums) {
  add_tiles<8, 8>(block, n, width, stride, sums);
}
#endif

}  // namespace

Gram::Gram(int64_t width, int lanes)
    : width_(width), stride_(padded(width)), lanes_(lanes), block_(static_cast<size_t>(kBlock * stride_)),
      sums_(static_cast<size_t>((stride_ + 8) * stride_)) {}

int64_t Gram::bytes(int64_t width) { return (padded(width) + 8 + kBlock) * padded(width) * 8; }

void Gram::add(int64_t n) {
#ifdef __x86_64__
  if (lanes_ == 8) return add_8(block_.data(), n, width_, stride_, sums_.data());
  if (lanes_ == 4) return add_4(block_.data(), n, width_, stride_, sums_.data());
#endif
  add_2(block_.data(), n, width_, stride_, sums_.data());
}

std::vector<double> Gram::lower() const {
  std::vector<double> lower;
  lower.reserve(static_cast<size_t>(width_ * (width_ + 1) / 2));
  for (int64_t i = 0; i < width_; ++i)
    lower.insert(lower.end(), sums_.data() + i * stride_, sums_.data() + i * stride_ + i + 1);
  return lower;
}

}  // namespace sparkgap
