// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "learn/moments.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "learn/gram.h"
#include "process/error.h"
#include "process/parallel.h"

namespace sparkgap {
namespace {

/// A value near to those of each column, the same on every rank, and the value itself where a column has but one: what
/// is left after it is taken off does not cancel, and a constant column is exactly so.
std::vector<double> near_values(const Examples& examples, Comm& comm) {
  const int64_t width = examples.width();
  constexpr int64_t kSample = 256;
  std::vector<double> first(static_cast<size_t>(width) + 1), sum(first.size() + 1);
  const std::vector<int64_t> rows = comm.allgather(examples.rows());
  const int leader =
      static_cast<int>(std::find_if(rows.begin(), rows.end(), [](int64_t n) { return n > 0; }) - rows.begin());
  const auto each = [&](int64_t end, auto&& body) {
    examples.for_blocks(0, std::min(end, examples.rows()), 16,
                        [&](int64_t, int64_t n, const double* x, const double* y, const double*) {
                          for (int64_t i = 0; i < n; ++i) body(x + i * width, y[i]);
                        });
  };
  if (comm.rank() == leader)
    each(1, [&](const double* x, double y) {
      std::copy(x, x + width, first.begin());
      first.back() = y;
    });
  comm.allreduce(std::span<double>(first));
  each(kSample, [&](const double* x, double y) {
    for (int64_t j = 0; j < width; ++j) sum[static_cast<size_t>(j)] += x[j] - first[static_cast<size_t>(j)];
    sum[static_cast<size_t>(width)] += y - first.back();
    ++sum.back();
  });
  comm.allreduce(std::span<double>(sum));
  for (size_t j = 0; j < first.size(); ++j) first[j] += sum[j] / sum.back();
  return first;
}

/// Adds rows [begin, end), less `shift`, times the root of their weight; the last column is that root.
void add_rows(const Examples& examples, int64_t begin, int64_t end, const std::vector<double>& shift, Gram& gram,
              double& weight_squares) {
  const int64_t width = examples.width();
  int64_t filled = 0;
  examples.for_blocks(
      begin, end, Gram::kBlock,
      [&](int64_t, int64_t n, const double* x, const double* y, const double* w) {
        for (int64_t i = 0; i < n; ++i, x += width) {
          double* to = gram.row(filled);
          const double root = w == nullptr ? 1 : std::sqrt(w[i]);
          const double* near = shift.data();
#pragma omp simd
          for (int64_t j = 0; j < width; ++j) to[j] = (x[j] - near[j]) * root;
          to[width] = (y[i] - near[width]) * root;
          to[width + 1] = root;
          weight_squares += w == nullptr ? 1 : w[i] * w[i];
          if (++filled == Gram::kBlock) {
            gram.add(filled);
            filled = 0;
          }
        }
      },
      FeatureMatrix::Pass::kOnly);
  gram.add(filled);
}

int64_t parts_of(int64_t rows, int64_t width) {
  constexpr int64_t kMostBytes = int64_t{256} << 20, kLeastRows = 4096;
  return std::min(std::clamp<int64_t>(kMostBytes / Gram::bytes(width + 2), 4, 64),
                  std::max<int64_t>(1, rows / kLeastRows));
}

}  // namespace

double moments_bytes(const LearningJob& job) {
  const auto rows = static_cast<int64_t>(std::ceil(job.rows / job.ranks)), width = static_cast<int64_t>(job.width);
  const int64_t parts = parts_of(rows, width);
  const double triangle = 4 * (job.width + 2) * (job.width + 3);
  return static_cast<double>(parts) * triangle +
         std::max(static_cast<double>(std::min<int64_t>(parts, job.threads) * Gram::bytes(width + 2)), 2 * triangle);
}

Moments moments(const Examples& examples, Comm& comm, const Progress& progress) {
  const int64_t width = examples.width(), rows = examples.rows();
  const std::string& where = examples.table().name;
  if (comm.allreduce(rows) == 0) throw Error(Exit::kData, where, "at least one row", "none", "Check the table");
  if (width == 0)
    throw Error(Exit::kData, where + "." + examples.table().column_names[0], "at least one feature",
                "vectors of length 0", "Name other columns");
  const std::vector<double> shift = near_values(examples, comm);

  const int64_t parts = parts_of(rows, width);
  std::vector<std::vector<double>> lower(static_cast<size_t>(parts));
  std::vector<double> squares(static_cast<size_t>(parts));
  std::atomic<int64_t> done{0};
  parallel_for(parts, [&](int64_t part) {
    Gram gram(width + 2);
    add_rows(examples, cut(rows, parts, part), cut(rows, parts, part + 1), shift, gram,
             squares[static_cast<size_t>(part)]);
    lower[static_cast<size_t>(part)] = gram.lower();
    const int64_t all = ++done;
    if (omp_get_thread_num() == 0) progress("compute", all, parts);
  });
  std::vector<double> sums = std::move(lower[0]);
  sums.push_back(squares[0]);
  for (size_t part = 1; part < lower.size(); ++part) {
    for (size_t i = 0; i < lower[part].size(); ++i) sums[i] += lower[part][i];
    sums.back() += squares[part];
  }
  comm.allreduce(std::span<double>(sums));

  const auto at = [&](int64_t i, int64_t j) { return sums[static_cast<size_t>(i * (i + 1) / 2 + j)]; };
  Moments result;
  result.columns = width + 1;
  result.weight = at(width + 1, width + 1);
  result.weight_squares = sums.back();
  if (!(result.weight > 0))
    throw Error(Exit::kData, "weight", "a row with a weight above 0", "none", "Check the column");
  std::vector<double> off;
  for (int64_t j = 0; j <= width; ++j) off.push_back(at(width + 1, j) / result.weight);
  for (int64_t j = 0; j <= width; ++j)
    result.mean.push_back(shift[static_cast<size_t>(j)] + off[static_cast<size_t>(j)]);
  result.covariance.resize(static_cast<size_t>(result.columns * result.columns));
  for (int64_t i = 0; i <= width; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      const double value = at(i, j) / result.weight - off[static_cast<size_t>(i)] * off[static_cast<size_t>(j)];
      result.covariance[static_cast<size_t>(i * result.columns + j)] =
          result.covariance[static_cast<size_t>(j * result.columns + i)] = i == j ? std::max(value, 0.0) : value;
      // What rounding alone can make of a constant.
      if (i == j && std::sqrt(std::max(value, 0.0)) <= 4e-16 * std::abs(result.mean[static_cast<size_t>(j)]))
        result.covariance[static_cast<size_t>(j * result.columns + j)] = 0;
    }
  return result;
}

}  // namespace sparkgap
