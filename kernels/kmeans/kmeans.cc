// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "kmeans/kmeans.h"

#include <algorithm>
#include <cmath>

#include "arithmetic/exact_sum.h"
#include "arithmetic/wide.h"
#include "kmeans/kmeans_init.h"
#include "kmeans/nearest_centers.h"
#include "learn/examples.h"
#include "process/error.h"
#include "process/parallel.h"
#include "process/stopwatch.h"
#include "rows/long_rows.h"
#include "spec/kernel.h"

namespace sparkgap::kmeans {
namespace {

/// By cluster: the sum of weight * point, then the weight; and the cost of all.
struct Sums {
  std::vector<double> of_cluster;
  ExactSum cost;
};

/// Adds n points, row by row, each to the sum of its cluster.
SPARKGAP_WIDE void add_points(const double* x, int64_t n, size_t width, const int32_t* nearest, const double* weights,
                              double* of_cluster) {
  for (int64_t i = 0; i < n; ++i, x += width) {
    double* sum = of_cluster + static_cast<size_t>(nearest[i]) * (width + 1);
    const double weight = weights[i];
    for (size_t j = 0; j < width; ++j) sum[j] += weight * x[j];
    sum[width] += weight;
  }
}

/// How many sums of that many numbers are made, each of a part of the rows; threads do not change it.
int64_t parts_of(int64_t rows, int64_t numbers) {
  constexpr int64_t kMostBytes = 64 << 20, kGrain = 4096;
  return std::clamp<int64_t>(rows / kGrain, 1, std::clamp<int64_t>(kMostBytes / 8 / (numbers + 1), 16, 64));
}

/// Where every point goes, summed over all ranks. `want_sums` = false: the cost alone.
Sums assign(const WeightedPoints& points, const NearestCenters& centers, bool want_sums, Comm& comm) {
  const auto width = static_cast<size_t>(points.width()),
             length = want_sums ? static_cast<size_t>(centers.size()) * (width + 1) : 0;
  const int64_t parts = parts_of(points.rows(), static_cast<int64_t>(length));
  std::vector<Sums> of_part(static_cast<size_t>(parts));
  parallel_for(parts, [&](int64_t part) {
    Sums& sums = of_part[static_cast<size_t>(part)];
    sums.of_cluster.resize(length);
    const int64_t block = NearestCenters::block(points.width());
    std::vector<int32_t> nearest(static_cast<size_t>(block));
    std::vector<double> squared(nearest.size()), weights(nearest.size());
    points.for_blocks(cut(points.rows(), parts, part), cut(points.rows(), parts, part + 1), block,
                      [&](int64_t row, int64_t n, const double* x) {
                        centers.find(x, n, nearest.data(), squared.data());
                        double cost = 0;
                        for (int64_t i = 0; i < n; ++i) {
                          weights[static_cast<size_t>(i)] = points.weight(row + i);
                          cost += weights[static_cast<size_t>(i)] * squared[static_cast<size_t>(i)];
                        }
                        sums.cost.add(cost);
                        if (want_sums) add_points(x, n, width, nearest.data(), weights.data(), sums.of_cluster.data());
                      });
  });
  Sums all{std::vector<double>(length), {}};
  parallel_ranges(static_cast<int64_t>(length), 8192, [&](int64_t begin, int64_t end) {
    for (const Sums& part : of_part)
      for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
        all.of_cluster[i] += part.of_cluster[i];
  });
  for (const Sums& part : of_part) all.cost += part.cost;
  comm.allreduce(std::span<double>(all.of_cluster));
  const double cost = comm.allreduce(all.cost.value());
  all.cost = {};
  all.cost.add(cost);
  return all;
}

/// Moves the centers to the means of their points. Returns the square of the longest way.
double move(std::vector<double>& centers, const Sums& sums, size_t width, bool unit) {
  double longest = 0;
  for (size_t c = 0; c * width < centers.size(); ++c) {
    const double* sum = &sums.of_cluster[c * (width + 1)];
    double scale = sum[width];
    if (!(scale > 0)) continue;
    if (unit) {
      double squares = 0;
      for (size_t j = 0; j < width; ++j) squares += sum[j] * sum[j];
      scale = std::sqrt(squares);
      if (!(scale > 0)) continue;
    }
    double way = 0;
    for (size_t j = 0; j < width; ++j) {
      const double next = sum[j] / scale, step = next - centers[c * width + j];
      way += step * step;
      centers[c * width + j] = next;
    }
    longest = std::max(longest, way);
  }
  return longest;
}

/// A center of zero length stays.
void scale_to_one(std::vector<double>& centers, size_t width) {
  for (size_t at = 0; at < centers.size(); at += width) {
    double squares = 0;
    for (size_t j = 0; j < width; ++j) squares += centers[at + j] * centers[at + j];
    for (size_t j = 0; squares > 0 && j < width; ++j) centers[at + j] /= std::sqrt(squares);
  }
}

void check(const FeatureMatrix& features, std::span<const double> weights, Comm& comm) {
  double most = weights.empty() && features.rows() > 0 ? 1 : 0;
  for (const double weight : weights) most = std::max(most, weight);
  if (comm.allreduce(features.rows()) == 0)
    throw Error(Exit::kData, "features", "at least one row", "none", "Check the table");
  if (features.width() == 0)
    throw Error(Exit::kData, "features", "at least one feature", "vectors of length 0", "Name other columns");
  if (!(comm.allreduce(most, Reduce::kMax) > 0))
    throw Error(Exit::kData, "weight", "a row with a weight above 0", "none", "Check the column");
}

/// A rank holds each row's distance and nearest candidate. Beside these: while it starts, candidates, those of a step,
/// and what finds the nearest; in an iteration, the sums of each part of the rows.
double memory(const LearningJob& job, const Values& values) {
  const auto of_centers = [&](double n) { return 8 * n * job.width; };
  const auto to_find = [&](double n) { return of_centers(n + std::ceil(n / 8) * 8 + 1); };
  const double rows = std::ceil(job.rows / job.ranks), weights = find_string(values, "weight") ? 8 : 0,
               k = std::min(static_cast<double>(get_int(values, "k")), job.rows);
  const bool unit = get_string(values, "distance_measure") == "cosine";
  const auto block = static_cast<double>(NearestCenters::block(static_cast<int64_t>(job.width)));
  const double threads = of_centers(1) * job.threads * (NearestCenters::kAtOnce + block * (unit ? 2 : 1));
  double start = of_centers(2 * k);
  if (get_string(values, "init_mode") != "random") {
    const double step = std::min(2 * k, job.rows),
                 candidates = std::min(1 + step * static_cast<double>(get_int(values, "init_steps")), job.rows);
    start = std::max({of_centers(2 * candidates), of_centers(candidates + step) + to_find(step) + threads,
                      of_centers(candidates + 2 * k) + to_find(k)});
  }
  const double sums = 8 * k * (job.width + 1);
  const auto parts = static_cast<double>(parts_of(static_cast<int64_t>(rows), static_cast<int64_t>(sums / 8)));
  const double iteration = of_centers(k) + to_find(k) + parts * sums + std::max(threads, sums);
  return job.rows * (12 + weights) + job.ranks * std::max(start, iteration);
}

}  // namespace

Result run(const FeatureMatrix& features, std::span<const double> weights, const Params& params, Comm& comm,
           const Progress& progress) {
  check(features, weights, comm);
  const bool unit = params.distance == Distance::kCosine;
  const WeightedPoints points(features, weights, unit, comm);
  const double scale = unit ? 0.5 : 1;  // of two vectors of length 1, half the squared distance is the cosine distance

  progress("start");
  Result result;
  result.width = features.width();
  result.centers = params.init == Init::kRandom
                       ? random_centers(points, params.k, params.seed, comm)
                       : parallel_centers(points, params.k, params.init_steps, params.seed, comm);
  if (unit) scale_to_one(result.centers, static_cast<size_t>(result.width));
  while (result.iterations < params.max_iterations && !result.converged) {
    const Sums sums = assign(points, NearestCenters(result.centers, result.width), true, comm);
    const double way = move(result.centers, sums, static_cast<size_t>(result.width), unit);
    result.training_cost = scale * sums.cost.value();
    result.movement = unit ? way / 2 : std::sqrt(way);
    result.converged = result.movement <= params.tolerance;
    progress("compute", ++result.iterations, params.max_iterations, result.movement);
  }
  result.cost = scale * assign(points, NearestCenters(result.centers, result.width), false, comm).cost.value();
  return result;
}

const Spec kSpec{
    .name = "kmeans",
    .family = "ml",
    .summary = "Centers of k clusters such that points are near to the center of their own.",
    .inputs = data_input(),
    .parameters = {features_columns(),
                   weight_column_of_data(),
                   {.name = "k",
                    .kind = Kind::kInt,
                    .fallback = int64_t{2},
                    .doc = "At most that many clusters; fewer where there are fewer different points.",
                    .unit = "clusters",
                    .min = 2,
                    .max = 1e9},
                   {.name = "distance_measure",
                    .kind = Kind::kChoice,
                    .fallback = std::string("euclidean"),
                    .doc =
                        "euclidean: the squared distance; cosine: 1 - cosine, every row counts as scaled to length 1.",
                    .choices = {"euclidean", "cosine"}},
                   {.name = "init_mode",
                    .kind = Kind::kChoice,
                    .fallback = std::string("k-means||"),
                    .doc = "Where centers start: k-means||, or random rows.",
                    .choices = {"k-means||", "random"}},
                   {.name = "init_steps",
                    .kind = Kind::kInt,
                    .fallback = int64_t{2},
                    .doc = "Steps of k-means||.",
                    .min = 1,
                    .max = 1000},
                   {.name = "tol",
                    .kind = Kind::kDouble,
                    .fallback = 1e-4,
                    .doc = "Ends when no center moves by more, in the distance.",
                    .min = 0},
                   {.name = "max_iter",
                    .kind = Kind::kInt,
                    .fallback = int64_t{20},
                    .doc = "At most that many iterations.",
                    .unit = "iterations",
                    .min = 0},
                   {.name = "seed",
                    .kind = Kind::kInt,
                    .fallback = int64_t{0},
                    .doc = "Other seeds start from other rows.",
                    .min = -9223372036854775808.0,
                    .max = 9223372036854774784.0}},
    .output = {{.name = "cluster", .type = "bigint", .doc = "from 0"},
               {.name = "feature", .type = "bigint", .doc = "from 0"},
               {.name = "value", .type = "double", .doc = "a coordinate of the cluster's center"}},
    .match = "epsilon",
    .epsilon = 1e-9,
    .source = "Lloyd 1982, Least squares quantization in PCM; Bahmani et al. 2012, Scalable K-Means++",
    .notes =
        "Lloyd's iterations, as MLlib's KMeans: each row goes to the nearest center, each center to the mean of its "
        "rows; a center without rows stays where it is. Time O(rows * features * k * iterations). The same seed starts "
        "from the same rows for every ranks x threads.",
    .refuses = "no rows, NaN, rows of unequal lengths, no weight above 0, under cosine a row of zeroes",
    .figures = {{"objective", "the sum of weight * distance to the nearest center"},
                {"training_cost", "the same before the last iteration"}},
    .memory = {.learning = memory},
};

}  // namespace sparkgap::kmeans

namespace sparkgap {
namespace {

Output run_kmeans(const Inputs& inputs, const Values& values, Comm& comm, const Progress& progress) {
  const kmeans::Params params{
      .k = get_int(values, "k"),
      .max_iterations = get_int(values, "max_iter"),
      .tolerance = get_double(values, "tol"),
      .init = get_string(values, "init_mode") == "random" ? kmeans::Init::kRandom : kmeans::Init::kParallel,
      .init_steps = get_int(values, "init_steps"),
      .seed = static_cast<uint64_t>(get_int(values, "seed")),
      .distance =
          get_string(values, "distance_measure") == "cosine" ? kmeans::Distance::kCosine : kmeans::Distance::kEuclidean,
  };
  progress("build");
  const Stopwatch build;
  const Examples examples = Examples::of(inputs, values, comm);
  const Buffer<double> weights = examples.weights();
  const double build_s = build.seconds();
  const Stopwatch compute;
  kmeans::Result result = kmeans::run(examples.features(), weights.span(), params, comm, progress);
  Output output = long_rows({"cluster", "feature"}, static_cast<size_t>(result.width), std::move(result.centers), comm);
  output.build_s = build_s;
  output.compute_s = compute.seconds();
  output.iterations = result.iterations;
  output.converged = result.converged;
  output.residual = result.movement;
  output.figures = {{"objective", {result.cost}}, {"training_cost", {result.training_cost}}};
  return output;
}

}  // namespace

const Kernel kKernel{kmeans::kSpec, run_kmeans};

}  // namespace sparkgap
