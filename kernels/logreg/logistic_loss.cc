// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "logreg/logistic_loss.h"

#include <algorithm>
#include <cmath>

#include "arithmetic/wide.h"
#include "logreg/exponential.h"
#include "process/parallel.h"

namespace sparkgap {
namespace {

constexpr int64_t kMostRows = 32;

typedef double Eight __attribute__((vector_size(64), aligned(8), may_alias));

double sum_of(const Eight& v) { return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7])); }

/// scores[i] += x_i . c, four rows at a time.
SPARKGAP_WIDE void add_scores(const double* x, int64_t n, int64_t width, const double* c, double* scores) {
  for (int64_t i = 0; i < n; i += 4) {
    const double* row[4];
    for (int64_t r = 0; r < 4; ++r) row[r] = x + std::min(i + r, n - 1) * width;
    Eight a = {}, b = {}, d = {}, e = {};
    int64_t j = 0;
    for (; j + 8 <= width; j += 8) {
      const Eight& factor = *reinterpret_cast<const Eight*>(c + j);
      a += *reinterpret_cast<const Eight*>(row[0] + j) * factor;
      b += *reinterpret_cast<const Eight*>(row[1] + j) * factor;
      d += *reinterpret_cast<const Eight*>(row[2] + j) * factor;
      e += *reinterpret_cast<const Eight*>(row[3] + j) * factor;
    }
    double sum[4] = {sum_of(a), sum_of(b), sum_of(d), sum_of(e)};
    for (; j < width; ++j)
      for (int r = 0; r < 4; ++r) sum[r] += row[r][j] * c[j];
    for (int64_t r = 0; r < std::min<int64_t>(4, n - i); ++r) scores[i + r] += sum[r];
  }
}

/// gradient += sum_i factor_i x_i
SPARKGAP_WIDE void add_rows(const double* x, int64_t n, int64_t width, const double* factor, double* gradient) {
  int64_t j = 0;
  for (; j + 8 <= width; j += 8) {
    Eight sum = *reinterpret_cast<const Eight*>(gradient + j);
    for (int64_t i = 0; i < n; ++i) sum += factor[i] * *reinterpret_cast<const Eight*>(x + i * width + j);
    *reinterpret_cast<Eight*>(gradient + j) = sum;
  }
  for (; j < width; ++j)
    for (int64_t i = 0; i < n; ++i) gradient[j] += factor[i] * x[i * width + j];
}

/// From scores to what they cost; each score becomes the derivative of the loss by it, both times the row's weight
/// (nullptr: 1).
SPARKGAP_WIDE double binomial_loss(double* scores, int64_t n, const double* y, const double* weights) {
  double e[kMostRows], loss = 0, product = 0;
  for (int64_t i = 0; i < n; ++i) e[i] = -std::abs(scores[i]);
  exponentiate(e, n);
  for (int64_t i = 0; i < n; ++i) {
    const double p = 1 / (1 + e[i]), of_one = scores[i] >= 0 ? p : e[i] * p,
                 weight = weights == nullptr ? 1 : weights[i];
    loss += weight * (std::max(scores[i], 0.0) - y[i] * scores[i]);
    scores[i] = weight * (of_one - y[i]);
  }
  if (weights != nullptr)
    for (int64_t i = 0; i < n; ++i) loss += weights[i] * std::log1p(e[i]);
  else  // one logarithm of all: 1 + product = (1 + e_0)(1 + e_1)...
    for (int64_t i = 0; i < n; ++i) product += e[i] + product * e[i];
  return loss + std::log1p(product);
}

/// The same with scores[k * kMostRows + i] of output k.
SPARKGAP_WIDE double multinomial_loss(double* scores, int64_t n, int64_t outputs, const double* y,
                                      const double* weights) {
  double most[kMostRows], sum[kMostRows] = {}, loss = 0;
  std::fill_n(most, n, -1e308);
  for (int64_t k = 0; k < outputs; ++k)
    for (int64_t i = 0; i < n; ++i) most[i] = std::max(most[i], scores[k * kMostRows + i]);
  for (int64_t i = 0; i < n; ++i)
    loss += (weights == nullptr ? 1 : weights[i]) * (most[i] - scores[static_cast<int64_t>(y[i]) * kMostRows + i]);
  for (int64_t k = 0; k < outputs; ++k) {
    double* of_output = scores + k * kMostRows;
    for (int64_t i = 0; i < n; ++i) of_output[i] -= most[i];
    exponentiate(of_output, n);
    for (int64_t i = 0; i < n; ++i) sum[i] += of_output[i];
  }
  for (int64_t i = 0; i < n; ++i) {
    const double weight = weights == nullptr ? 1 : weights[i];
    loss += weight * std::log(sum[i]);
    for (int64_t k = 0; k < outputs; ++k) scores[k * kMostRows + i] *= weight / sum[i];
    scores[static_cast<int64_t>(y[i]) * kMostRows + i] -= weight;
  }
  return loss;
}

}  // namespace

/// Of unscaled rows: the gradient by coefficient, then for each output the sum of the derivatives.
struct LogisticLoss::Sums {
  std::vector<double> gradient, derivative;
  double loss = 0;
};

int64_t LogisticLoss::parts_of(int64_t rows, int64_t numbers) {
  constexpr int64_t kMostNumbers = 8 << 20, kGrain = 1024;
  return std::clamp<int64_t>(rows / kGrain, 1, std::clamp<int64_t>(kMostNumbers / (numbers + 1), 8, 64));
}

void LogisticLoss::add(int64_t begin, int64_t end, const std::vector<double>& coefficients,
                       const std::vector<double>& offsets, Sums& sums) const {
  const int64_t width = rows_.features.width();
  std::vector<double> scores(static_cast<size_t>(outputs_ * kMostRows));
  const auto offset_scores = [&](int64_t n) {
    for (int64_t k = 0; k < outputs_; ++k)
      std::fill_n(&scores[static_cast<size_t>(k * kMostRows)], n, offsets[static_cast<size_t>(k)]);
  };
  const auto derive = [&](int64_t row, int64_t n) {
    const double *y = rows_.labels.data() + row,
                 *weights = rows_.weights.empty() ? nullptr : rows_.weights.data() + row;
    sums.loss += outputs_ == 1 ? binomial_loss(scores.data(), n, y, weights)
                               : multinomial_loss(scores.data(), n, outputs_, y, weights);
    for (int64_t k = 0; k < outputs_; ++k)
      for (int64_t i = 0; i < n; ++i)
        sums.derivative[static_cast<size_t>(k)] += scores[static_cast<size_t>(k * kMostRows + i)];
  };
  if (rows_.features.is_sparse()) {
    rows_.features.for_rows(begin, end, [&](int64_t row, int64_t n, const int32_t* index, const double* value) {
      offset_scores(1);
      for (int64_t k = 0; k < outputs_; ++k)
        for (int64_t i = 0; i < n; ++i)
          scores[static_cast<size_t>(k * kMostRows)] +=
              value[i] * coefficients[static_cast<size_t>(k * width + (index == nullptr ? i : index[i]))];
      derive(row, 1);
      for (int64_t k = 0; k < outputs_; ++k)
        for (int64_t i = 0; i < n; ++i)
          sums.gradient[static_cast<size_t>(k * width + (index == nullptr ? i : index[i]))] +=
              scores[static_cast<size_t>(k * kMostRows)] * value[i];
    });
    return;
  }
  const int64_t block = std::clamp<int64_t>(2048 / std::max<int64_t>(width, 1) / 4 * 4, 4, kMostRows);
  rows_.features.for_blocks(begin, end, block, [&](int64_t row, int64_t n, const double* x) {
    offset_scores(n);
    for (int64_t k = 0; k < outputs_; ++k)
      add_scores(x, n, width, &coefficients[static_cast<size_t>(k * width)],
                 &scores[static_cast<size_t>(k * kMostRows)]);
    derive(row, n);
    for (int64_t k = 0; k < outputs_; ++k)
      add_rows(x, n, width, &scores[static_cast<size_t>(k * kMostRows)],
               &sums.gradient[static_cast<size_t>(k * width)]);
  });
}

double LogisticLoss::operator()(const std::vector<double>& at, std::vector<double>& gradient) const {
  const auto width = static_cast<size_t>(rows_.features.width()), outputs = static_cast<size_t>(outputs_);
  std::vector<double> coefficients(outputs * width), offsets(outputs);
  for (size_t k = 0; k < outputs; ++k) {
    if (intercept_) offsets[k] = at[k * stride() + width];
    for (size_t j = 0; j < width; ++j) {
      coefficients[k * width + j] = at[k * stride() + j] * rows_.scale[j];
      offsets[k] -= coefficients[k * width + j] * rows_.center[j];
    }
  }
  const int64_t n = rows_.features.rows(), parts = parts_of(n, static_cast<int64_t>(outputs * width));
  std::vector<Sums> of_part(static_cast<size_t>(parts));
  parallel_for(parts, [&](int64_t part) {
    Sums& sums = of_part[static_cast<size_t>(part)];
    sums.gradient.resize(outputs * width);
    sums.derivative.resize(outputs);
    add(cut(n, parts, part), cut(n, parts, part + 1), coefficients, offsets, sums);
  });
  std::vector<double> all(outputs * width + outputs + 1);
  for (const Sums& part : of_part) {
    for (size_t i = 0; i < part.gradient.size(); ++i) all[i] += part.gradient[i];
    for (size_t k = 0; k < outputs; ++k) all[outputs * width + k] += part.derivative[k];
    all.back() += part.loss;
  }
  comm_.allreduce(std::span<double>(all));
  for (size_t k = 0; k < outputs; ++k) {
    const double derivative = all[outputs * width + k];
    for (size_t j = 0; j < width; ++j)
      gradient[k * stride() + j] = (all[k * width + j] - rows_.center[j] * derivative) * rows_.scale[j] / rows_.weight;
    if (intercept_) gradient[k * stride() + width] = derivative / rows_.weight;
  }
  return all.back() / rows_.weight;
}

}  // namespace sparkgap
