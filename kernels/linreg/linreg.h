// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "learn/examples.h"
#include "mpi/comm.h"
#include "process/progress.h"
#include "spec/spec.h"

namespace sparkgap::linreg {

/// What counts as a deviation: kNormal divides by the weight, kLbfgs by less (MLlib's two solvers differ in that).
enum class Solver { kNormal, kLbfgs };

struct Params {
  double reg_param;
  double elastic_net_param;
  bool fit_intercept;
  bool standardization;
  Solver solver;
  int64_t max_iterations;
  double tolerance;
};

/// The same on every rank.
struct Result {
  std::vector<double> coefficients;
  double intercept = 0;
  double objective = 0;  ///< f of the equation below, at the result
  std::vector<double>
      history;  ///< f / deviation of y squared, before the first and after each iteration; 0 where solved directly
  std::vector<double>
      diagonal;  ///< of (X'WX)^-1, features, then the intercept where fitted; 0 alone where it is not known
  int64_t iterations = 0;
  bool converged = true;
};

/// Linear regression: least squares, ridge, lasso and elastic net, from one pass over the rows.
///
/// Equation   minimise f = sum w (y - x.c - c0)^2 / (2 sum w) + r sum_j (a s_j |c_j| + (1 - a) / (2 t) (s_j c_j)^2), s
///            and t the deviations of the features and of y; without standardization each |c_j| and c_j^2 alone. A
///            constant feature has the coefficient 0. r reg_param, a elastic_net_param
/// Source     normal equations; Friedman, Hastie, Tibshirani 2010 (elastic net); as Apache Spark MLlib's
///            WeightedLeastSquares
/// Input      examples: features, label y, weight w
/// Output     coefficients, intercept. Where X'X is singular and r = 0: the shortest solution, as iterations from zero
///            give it
/// Params     reg_param >= 0, default 0; elastic_net_param in [0, 1], default 0; fit_intercept, standardization,
///            default true; max_iterations >= 0, default 100, tolerance >= 0, default 1e-6: of the iterations that L1
///            or a singular X'X take; they go on to 1e-10, which costs nothing beside the pass
/// Cost       as Moments, and width^3 / 3 on one rank
/// Parallel   collective over comm; the same for any number of threads: bitwise; for any np to rounding
/// Errors     kData: as Moments; a constant label with reg_param > 0 and no intercept; kArguments: more than 4096
///            features
[[nodiscard]] Result run(const Examples& examples, const Params& params, Comm& comm, const Progress& progress);

/// Name, inputs, parameters with their defaults, output.
extern const Spec kSpec;

}  // namespace sparkgap::linreg
