// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "kmeans/nearest_centers.h"

#include <algorithm>
#include <memory>

namespace sparkgap {

/// The same code for each width of vectors: kLanes points in a register, kVectors registers of points, kTile centers at
/// a time.
struct NearestBlocks {
  template <int kLanes, int kVectors, int kTile>
  [[gnu::always_inline]] static inline void find(const NearestCenters& centers, double* turned, const double* x,
                                                 int64_t n, int32_t* nearest, double* squared) {
    for (int64_t i = 0; i < n; i += kLanes * kVectors)
      block<kLanes, kVectors, kTile>(centers, turned, x + i * centers.width_,
                                     std::min<int64_t>(n - i, kLanes * kVectors), nearest + i, squared + i);
  }

 private:
  template <int kLanes, int kVectors, int kTile>
  [[gnu::always_inline]] static inline void block(const NearestCenters& centers, double* turned, const double* x,
                                                  int64_t n, int32_t* nearest, double* squared) {
    typedef double Reals __attribute__((vector_size(kLanes * 8)));
    typedef int64_t Numbers __attribute__((vector_size(kLanes * 8)));
    constexpr int kPoints = kLanes * kVectors;
    const int64_t width = centers.width_;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < width; ++j)
        turned[j * kPoints + i] = x[i * width + j] - centers.shift_[static_cast<size_t>(j)];

    Reals best[kVectors];
    Numbers found[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      best[v] = Reals{} + 1e308;
      found[v] = Numbers{};
    }
    for (int64_t first = 0; first < static_cast<int64_t>(centers.half_.size()); first += kTile) {
      const double* tile = centers.tiles_.data() + first / 8 * 8 * width + first % 8;
      Reals sum[kTile][kVectors];
#pragma GCC unroll 8
      for (int c = 0; c < kTile; ++c)
#pragma GCC unroll 3
        for (int v = 0; v < kVectors; ++v) sum[c][v] = Reals{} + centers.half_[static_cast<size_t>(first + c)];
      for (int64_t j = 0; j < width; ++j) {
        const Reals* points = reinterpret_cast<const Reals*>(turned + j * kPoints);
#pragma GCC unroll 8
        for (int c = 0; c < kTile; ++c)
#pragma GCC unroll 3
          for (int v = 0; v < kVectors; ++v) sum[c][v] -= points[v] * tile[j * 8 + c];
      }
#pragma GCC unroll 8
      for (int c = 0; c < kTile; ++c)
#pragma GCC unroll 3
        for (int v = 0; v < kVectors; ++v) {
          const auto nearer = sum[c][v] < best[v];
          best[v] = nearer ? sum[c][v] : best[v];
          found[v] = nearer ? Numbers{} + (first + c) : found[v];
        }
    }
    for (int64_t i = 0; i < n; ++i) {
      nearest[i] = static_cast<int32_t>(found[i / kLanes][i % kLanes]);
      const double *point = x + i * width, *center = centers.center(nearest[i]);
      double sum = 0, sums[4] = {};
      int64_t j = 0;
      for (; j + 4 <= width; j += 4)
        for (int l = 0; l < 4; ++l) sums[l] += (point[j + l] - center[j + l]) * (point[j + l] - center[j + l]);
      for (; j < width; ++j) sum += (point[j] - center[j]) * (point[j] - center[j]);
      squared[i] = sum + ((sums[0] + sums[1]) + (sums[2] + sums[3]));
    }
  }
};

namespace {

using Find = void (*)(const NearestCenters&, double*, const double*, int64_t, int32_t*, double*);

void find_2(const NearestCenters& centers, double* turned, const double* x, int64_t n, int32_t* nearest,
            double* squared) {
  NearestBlocks::find<2, 3, 4>(centers, turned, x, n, nearest, squared);
}

#ifdef __x86_64__
[[SPARKGAP_LANES_4]] void find_4(const NearestCenters& centers, double* turned, const double* x, int64_t n,
                                 int32_t* nearest, double* squared) {
  NearestBlocks::find<4, 3, 4>(centers, turned, x, n, nearest, squared);
}
[[SPARKGAP_LANES_8]] void find_8(const NearestCenters& centers, double* turned, const double* x, int64_t n,
                                 int32_t* nearest, double* squared) {
  NearestBlocks::find<8, 3, 8>(centers, turned, x, n, nearest, squared);
}
Find find_for(int lanes) { return lanes == 8 ? find_8 : lanes == 4 ? find_4 : find_2; }
#else
Find find_for(int) { return find_2; }
#endif

}  // namespace

NearestCenters::NearestCenters(std::span<const double> centers, int64_t width, int lanes)
    : width_(width), size_(width == 0 ? 0 : static_cast<int64_t>(centers.size()) / width), lanes_(lanes),
      centers_(centers.begin(), centers.end()), shift_(static_cast<size_t>(width)),
      tiles_(static_cast<size_t>((size_ + 7) / 8 * 8 * width)), half_(static_cast<size_t>((size_ + 7) / 8 * 8), 1e308) {
  for (int64_t c = 0; c < size_; ++c)
    for (int64_t j = 0; j < width; ++j) shift_[static_cast<size_t>(j)] += center(c)[j] / static_cast<double>(size_);
  for (int64_t c = 0; c < size_; ++c) {
    double sum = 0;
    for (int64_t j = 0; j < width; ++j) {
      const double moved = center(c)[j] - shift_[static_cast<size_t>(j)];
      tiles_[static_cast<size_t>((c / 8 * width + j) * 8 + c % 8)] = moved;
      sum += moved * moved;
    }
    half_[static_cast<size_t>(c)] = sum / 2;
  }
}

void NearestCenters::find(const double* x, int64_t n, int32_t* nearest, double* squared) const {
  constexpr size_t kMostPoints = kAtOnce, kAligned = 64;
  std::vector<double> memory(static_cast<size_t>(width_) * kMostPoints + kAligned / sizeof(double));
  void* turned = memory.data();
  size_t space = memory.size() * sizeof(double);
  std::align(kAligned, static_cast<size_t>(width_) * kMostPoints * sizeof(double), turned, space);
  find_for(lanes_)(*this, static_cast<double*>(turned), x, n, nearest, squared);
}

int64_t NearestCenters::block(int64_t width) {
  return kAtOnce * std::clamp<int64_t>(512 / std::max<int64_t>(width, 1), 1, 40);
}

}  // namespace sparkgap
