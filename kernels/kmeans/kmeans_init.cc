// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "kmeans/kmeans_init.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "arithmetic/counter_hash.h"
#include "arithmetic/exact_sum.h"
#include "kmeans/nearest_centers.h"
#include "process/parallel.h"

namespace sparkgap {
namespace {

constexpr int64_t kGrain = 16384;
constexpr double kNever = std::numeric_limits<double>::infinity();

/// What random numbers are for; steps of k-means|| count on from kSteps.
enum Draw : uint64_t { kSample, kLocal, kSteps };

/// The rows with these numbers, on every rank.
std::vector<double> rows_of(const WeightedPoints& points, const std::vector<int64_t>& numbers, Comm& comm) {
  const auto width = static_cast<size_t>(points.width());
  std::vector<double> rows(numbers.size() * width);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const int64_t row = numbers[i] - points.first();
    if (row >= 0 && row < points.rows())
      points.for_blocks(row, row + 1, 1,
                        [&](int64_t, int64_t, const double* x) { std::copy_n(x, width, &rows[i * width]); });
  }
  comm.allreduce(std::span<double>(rows));
  return rows;
}

struct Time {
  double at;
  int64_t row;
  auto operator<=>(const Time&) const = default;
};

/// Numbers of rows, weighted: the smallest of exponential times with the weights as rates are a draw without
/// replacement.
std::vector<int64_t> draw_rows(const WeightedPoints& points, int64_t count, uint64_t seed, Comm& comm) {
  std::vector<Time> first;
  const auto keep = [count](std::vector<Time>& times) {
    std::sort(times.begin(), times.end());
    times.resize(std::min(times.size(), static_cast<size_t>(count)));
  };
  const int64_t parts = std::max<int64_t>(1, points.rows() / kGrain);
  std::vector<std::vector<Time>> of_part(static_cast<size_t>(parts));
  parallel_for(parts, [&](int64_t part) {
    std::vector<Time>& times = of_part[static_cast<size_t>(part)];
    double latest = kNever;
    for (int64_t row = cut(points.rows(), parts, part), end = cut(points.rows(), parts, part + 1); row < end; ++row) {
      const double weight = points.weight(row),
                   uniform = counter_uniform(seed, kSample, static_cast<uint64_t>(points.first() + row));
      const double time =
          points.is_weighted() ? -std::log1p(-uniform) / weight : uniform;  // the order is all that counts
      if (weight == 0 || time >= latest) continue;
      times.push_back({time, points.first() + row});
      if (times.size() < 2 * static_cast<size_t>(count) + 64) continue;
      keep(times);
      latest = times.back().at;
    }
    keep(times);
  });
  for (auto& times : of_part) first.insert(first.end(), times.begin(), times.end());
  keep(first);

  std::vector<int64_t> counts = comm.allgather(static_cast<int64_t>(first.size()));
  std::vector<Time> all;
  for (int rank = 0; rank < comm.size(); ++rank) {
    const std::vector<Time> here =
        rank == comm.rank() ? first : std::vector<Time>(static_cast<size_t>(counts[static_cast<size_t>(rank)]));
    all.insert(all.end(), here.begin(), here.end());
  }
  comm.allgatherv(std::span<Time>(all), counts);
  keep(all);
  std::vector<int64_t> rows;
  for (const Time& time : all) rows.push_back(time.row);
  return rows;
}

/// Keeps the different ones of rows of this width, in their order. Returns for each row which of those it was.
std::vector<size_t> keep_different(std::vector<double>& rows, size_t width) {
  const auto row = [&](size_t at) { return std::span(rows).subspan(at * width, width); };
  const auto is_less = [&](size_t a, size_t b) { return std::ranges::lexicographical_compare(row(a), row(b)); };
  std::map<size_t, size_t, decltype(is_less)> seen(is_less);
  std::vector<size_t> which, kept;
  for (size_t at = 0; at < rows.size() / width; ++at) {
    const auto [found, is_new] = seen.emplace(at, kept.size());
    if (is_new) kept.push_back(at);
    which.push_back(found->second);
  }
  for (size_t to = 0; to < kept.size(); ++to)
    if (to != kept[to]) std::ranges::copy(row(kept[to]), row(to).begin());
  rows.resize(kept.size() * width);
  return which;
}

/// The points of this rank and how far each is from the nearest of the candidates so far.
class Nearest {
 public:
  explicit Nearest(const WeightedPoints& points)
      : points_(points), squared_(static_cast<size_t>(points.rows())), candidate_(static_cast<size_t>(points.rows())) {
    std::fill(squared_.begin(), squared_.end(), kNever);
  }

  /// Counts these candidates in, of which the first is number `first`. Returns this rank's sum of weight * squared
  /// distance.
  double add(const std::vector<double>& candidates, int32_t first) {
    const NearestCenters centers(candidates, points_.width());
    return parallel_sum<ExactSum>(points_.rows(), kGrain,
                                  [&](int64_t begin, int64_t end) {
                                    ExactSum sum;
                                    const int64_t block = NearestCenters::block(points_.width());
                                    std::vector<int32_t> found(static_cast<size_t>(block));
                                    std::vector<double> squared(found.size());
                                    points_.for_blocks(begin, end, block, [&](int64_t row, int64_t n, const double* x) {
                                      if (centers.size() > 0) centers.find(x, n, found.data(), squared.data());
                                      for (int64_t i = 0; i < n; ++i) {
                                        const auto at = static_cast<size_t>(row + i), here = static_cast<size_t>(i);
                                        if (centers.size() > 0 && squared[here] < squared_[at]) {
                                          squared_[at] = squared[here];
                                          candidate_[at] = first + found[here];
                                        }
                                        sum.add(points_.weight(row + i) * squared_[at]);
                                      }
                                    });
                                    return sum;
                                  })
        .value();
  }

  /// Numbers of the rows that a draw in proportion to weight * squared distance takes, `expected` on the average, on
  /// every rank.
  std::vector<int64_t> draw(double expected, double sum, uint64_t seed, uint64_t step, Comm& comm) const {
    const int64_t parts = std::max<int64_t>(1, points_.rows() / kGrain);
    std::vector<std::vector<int64_t>> of_part(static_cast<size_t>(parts));
    parallel_for(parts, [&](int64_t part) {
      for (int64_t row = cut(points_.rows(), parts, part), end = cut(points_.rows(), parts, part + 1); row < end; ++row)
        if (counter_uniform(seed, step, static_cast<uint64_t>(points_.first() + row)) <
            expected * points_.weight(row) * squared_[static_cast<size_t>(row)] / sum)
          of_part[static_cast<size_t>(part)].push_back(points_.first() + row);
    });
    std::vector<int64_t> mine;
    for (const auto& rows : of_part) mine.insert(mine.end(), rows.begin(), rows.end());
    const std::vector<int64_t> counts = comm.allgather(static_cast<int64_t>(mine.size()));
    std::vector<int64_t> all(static_cast<size_t>(comm.allreduce(static_cast<int64_t>(mine.size()))));
    std::copy(mine.begin(), mine.end(), all.begin() + comm.exscan(static_cast<int64_t>(mine.size())));
    comm.allgatherv(std::span<int64_t>(all), counts);
    return all;
  }

  /// By candidate, the weight of the points that it is the nearest to.
  std::vector<double> weights(size_t candidates, Comm& comm) const {
    std::vector<double> weights(candidates);
    for (int64_t row = 0; row < points_.rows(); ++row)
      weights[static_cast<size_t>(candidate_[static_cast<size_t>(row)])] += points_.weight(row);
    comm.allreduce(std::span<double>(weights));
    return weights;
  }

 private:
  const WeightedPoints& points_;
  Buffer<double> squared_;
  Buffer<int32_t> candidate_;
};

/// k-means++ and Lloyd's iterations on few weighted points.
std::vector<double> local_centers(const std::vector<double>& points, const std::vector<double>& weights, size_t k,
                                  size_t width, uint64_t seed) {
  constexpr int kMostIterations = 30;
  const size_t n = weights.size();
  uint64_t draws = 0;
  const auto pick = [&](const std::vector<double>& squared) {
    double left = 0;
    for (size_t i = 0; i < n; ++i) left += weights[i] * squared[i];
    left *= counter_uniform(seed, kLocal, draws++);
    size_t last = 0;
    for (size_t i = 0; i < n; ++i) {
      if (weights[i] * squared[i] == 0) continue;
      last = i;
      if ((left -= weights[i] * squared[i]) < 0) break;
    }
    return last;
  };
  std::vector<double> centers, squared(n, 1.0), distance(n);
  centers.reserve(k * width);
  std::vector<int32_t> nearest(n), before(n, -1);
  for (size_t c = 0; c < k; ++c) {
    const double* point = &points[pick(squared) * width];
    centers.insert(centers.end(), point, point + width);
    NearestCenters({point, width}, static_cast<int64_t>(width))
        .find(points.data(), static_cast<int64_t>(n), nearest.data(), distance.data());
    for (size_t i = 0; i < n; ++i) squared[i] = c == 0 ? distance[i] : std::min(squared[i], distance[i]);
  }
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    NearestCenters(centers, static_cast<int64_t>(width))
        .find(points.data(), static_cast<int64_t>(n), nearest.data(), distance.data());
    if (nearest == before) break;
    before = nearest;
    std::vector<double> sums(k * width), total(k);
    for (size_t i = 0; i < n; ++i) {
      const auto c = static_cast<size_t>(nearest[i]);
      total[c] += weights[i];
      for (size_t j = 0; j < width; ++j) sums[c * width + j] += weights[i] * points[i * width + j];
    }
    for (size_t c = 0; c < k; ++c) {
      const size_t other = total[c] > 0 ? 0 : counter_hash(seed, kLocal, draws++) % n;
      for (size_t j = 0; j < width; ++j)
        centers[c * width + j] = total[c] > 0 ? sums[c * width + j] / total[c] : points[other * width + j];
    }
  }
  return centers;
}

}  // namespace

std::vector<double> random_centers(const WeightedPoints& points, int64_t k, uint64_t seed, Comm& comm) {
  std::vector<double> rows = rows_of(points, draw_rows(points, k, seed, comm), comm);
  keep_different(rows, static_cast<size_t>(points.width()));
  return rows;
}

std::vector<double> parallel_centers(const WeightedPoints& points, int64_t k, int64_t steps, uint64_t seed,
                                     Comm& comm) {
  const auto width = static_cast<size_t>(points.width());
  std::vector<double> candidates = random_centers(points, 1, seed, comm), fresh = candidates;
  Nearest nearest(points);
  const auto add_fresh = [&] {
    return comm.allreduce(nearest.add(fresh, static_cast<int32_t>((candidates.size() - fresh.size()) / width)));
  };
  for (int64_t step = 0; step < steps; ++step) {
    const double sum = add_fresh();
    fresh.clear();
    if (!(sum > 0)) break;
    fresh = rows_of(points,
                    nearest.draw(2.0 * static_cast<double>(k), sum, seed, kSteps + static_cast<uint64_t>(step), comm),
                    comm);
    candidates.insert(candidates.end(), fresh.begin(), fresh.end());
  }
  add_fresh();
  const std::vector<size_t> which = keep_different(candidates, width);
  if (candidates.size() <= static_cast<size_t>(k) * width) return candidates;
  const std::vector<double> of_candidate = nearest.weights(which.size(), comm);
  std::vector<double> weights(candidates.size() / width);
  for (size_t c = 0; c < of_candidate.size(); ++c) weights[which[c]] += of_candidate[c];
  return local_centers(candidates, weights, static_cast<size_t>(k), width, seed);
}

}  // namespace sparkgap
