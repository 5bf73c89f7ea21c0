// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learn/feature_matrix.h"
#include "mpi/comm.h"
#include "process/progress.h"
#include "spec/spec.h"

namespace sparkgap::logreg {

/// kAuto: kBinomial with up to two classes, else kMultinomial.
enum class Family { kAuto, kBinomial, kMultinomial };

struct Params {
  Family family;
  double reg_param;
  double elastic_net_param;
  bool fit_intercept;
  bool standardization;
  int64_t max_iterations;
  double tolerance;
};

/// The same on every rank.
struct Result {
  int64_t classes = 0;               ///< the greatest label and one
  int64_t outputs = 0;               ///< rows of coefficients: 1 for binomial, else classes
  std::vector<double> coefficients;  ///< [output * width + feature]
  std::vector<double> intercepts;    ///< by output; 0 where none is fitted
  std::vector<double> history;       ///< f before the first and after each iteration
  int64_t iterations = 0;
  bool converged = true;
  double gradient = 0;  ///< length of the last gradient, in units of the scaled features
};

/// Logistic regression: the log-odds of classes as linear functions of the features.
///
/// Equation   minimise f = sum w loss(x.b + b0, y) / sum w + r sum_j (a s_j |b_j| + (1 - a) / 2 (s_j b_j)^2), s the
///            features' deviations; without standardization each |b_j| and b_j^2 alone. binomial: loss = log(1 + e^s) -
///            y s; multinomial: log(sum_k e^(s_k)) - s_y. A constant feature has the coefficient 0. r reg_param, a
///            elastic_net_param
/// Source     L-BFGS, with L1 OWL-QN (quasi_newton.h), on features of deviation 1, with an intercept of mean 0; as
///            Apache Spark MLlib
/// Input      features; labels: whole numbers >= 0; weights: one per row, or none: each 1
/// Output     coefficients and intercepts. multinomial: intercepts sum to 0, and with r = 0 so do the coefficients of
///            each feature. One class only and an intercept: coefficients 0, intercept of that class infinite, as
///            MLlib. Separable classes and r = 0 have no minimum: what the last iteration reached
/// Params     family, default kAuto; reg_param >= 0, default 0; elastic_net_param in [0, 1], default 0; fit_intercept,
///            standardization, default true; max_iterations >= 0, default 100; tolerance >= 0, default 1e-6: see
///            minimise()
/// Cost       two passes over the rows, and one per evaluation, of which an iteration takes one mostly: 4 * outputs
///            operations per number; memory at most 64 MiB for sums; messages per evaluation: 8 * outputs * (width + 1)
///            bytes
/// Parallel   collective over comm; the same for any number of threads: bitwise; for any np to rounding
/// Errors     kData: no rows, no weight above 0, a label that is no whole number >= 0; kArguments: binomial with more
///            than two classes
[[nodiscard]] Result run(const FeatureMatrix& features, std::span<const double> labels, std::span<const double> weights,
                         const Params& params, Comm& comm, const Progress& progress);

/// Name, inputs, parameters with their defaults, output.
extern const Spec kSpec;

}  // namespace sparkgap::logreg
