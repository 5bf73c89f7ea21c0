// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "linreg/linreg.h"

#include <algorithm>
#include <cmath>

#include "learn/least_squares.h"
#include "learn/moments.h"
#include "process/error.h"
#include "process/stopwatch.h"
#include "spec/kernel.h"

namespace sparkgap::linreg {
namespace {

constexpr int64_t kMostFeatures = 4096;

/// The moments in units of deviations, of the features that are not constant, and what is penalised how much.
struct Standard {
  std::vector<int64_t> varying;         ///< features
  std::vector<double> deviation, mean;  ///< of each varying feature; the mean in deviations
  double label_deviation = 0, label_mean = 0;
  Quadratic centred;  ///< as if the intercept were known to be mean y - c.mean
};

Standard standardised(const Moments& m, const Params& params) {
  const int64_t label = m.columns - 1;
  const double less = m.weight - m.weight_squares / m.weight;
  const double scale = params.solver == Solver::kNormal ? 1 : less > 0 ? m.weight / less : 0;
  const auto deviation = [&](int64_t j) { return std::sqrt(m.of(j, j) * scale); };
  Standard s;
  const double own = deviation(label), mean = m.mean[static_cast<size_t>(label)];
  s.label_deviation = own > 0 ? own : std::abs(mean);
  s.label_mean = s.label_deviation > 0 ? mean / s.label_deviation : 0;
  for (int64_t j = 0; j < label; ++j) {
    if (!(deviation(j) > 0)) continue;
    s.varying.push_back(j);
    s.deviation.push_back(deviation(j));
    s.mean.push_back(m.mean[static_cast<size_t>(j)] / deviation(j));
  }
  const auto n = static_cast<int64_t>(s.varying.size());
  s.centred.a.reserve(static_cast<size_t>(n * n));
  const double t = s.label_deviation > 0 ? s.label_deviation : 1, reg = params.reg_param / t;
  s.centred.size = n;
  for (size_t i = 0; i < s.varying.size(); ++i) {
    const double own_scale = params.standardization ? 1 : s.deviation[i];
    for (size_t j = 0; j < s.varying.size(); ++j) {
      double value = m.of(s.varying[i], s.varying[j]) / (s.deviation[i] * s.deviation[j]);
      if (!params.fit_intercept) value += s.mean[i] * s.mean[j];
      if (i == j) value += reg * (1 - params.elastic_net_param) / (own_scale * own_scale);
      s.centred.a.push_back(value);
    }
    s.centred.b.push_back(m.of(s.varying[i], label) / (s.deviation[i] * t) +
                          (params.fit_intercept ? 0 : s.mean[i] * s.label_mean));
    if (reg * params.elastic_net_param > 0) s.centred.l1.push_back(reg * params.elastic_net_param / own_scale);
  }
  return s;
}

/// The same with the intercept as one more unknown, which is how MLlib iterates where the matrix is singular.
Quadratic with_intercept(const Standard& s) {
  const int64_t n = s.centred.size;
  Quadratic problem{n + 1, std::vector<double>(static_cast<size_t>((n + 1) * (n + 1))), s.centred.b, {}};
  for (int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<size_t>(i);
    for (int64_t j = 0; j < n; ++j)
      problem.a[static_cast<size_t>(i * (n + 1) + j)] =
          s.centred.a[static_cast<size_t>(i * n + j)] + s.mean[at] * s.mean[static_cast<size_t>(j)];
    problem.a[static_cast<size_t>(i * (n + 1) + n)] = problem.a[static_cast<size_t>(n * (n + 1) + i)] = s.mean[at];
    problem.b[at] += s.mean[at] * s.label_mean;
  }
  problem.a.back() = 1;
  problem.b.push_back(s.label_mean);
  return problem;
}

/// MLlib's summary makes standard errors of it.
std::vector<double> diagonal_of(const std::vector<double>& factor, const Standard& s, const Moments& m,
                                bool fit_intercept) {
  std::vector<double> diagonal = inverse_diagonal(factor, s.centred.size);
  std::vector<double> solved = s.mean;
  cholesky_solve(factor, solved);
  double intercept = 1;
  for (size_t j = 0; j < diagonal.size(); ++j) {
    intercept += solved[j] * s.mean[j];
    diagonal[j] /= m.weight * s.deviation[j] * s.deviation[j];
  }
  if (fit_intercept) diagonal.push_back(intercept / m.weight);
  return diagonal;
}

Result solve(const Moments& m, const Params& params) {
  const Standard s = standardised(m, params);
  const bool constant = m.of(m.columns - 1, m.columns - 1) == 0;
  Result result{std::vector<double>(static_cast<size_t>(m.columns - 1)), m.mean.back(), 0, {0}, {0}};
  if (constant && (params.fit_intercept || m.mean.back() == 0)) return result;  // as MLlib: nothing to learn
  if (constant && params.reg_param > 0)
    throw Error(Exit::kData, "label", "more than one value where reg_param is above 0 and there is no intercept", "one",
                "Set reg_param to 0 or fit_intercept to true");

  const double tolerance = std::clamp(params.tolerance, 1e-14, 1e-10);
  const bool all_vary = s.varying.size() == result.coefficients.size();
  Minimum found{std::vector<double>(static_cast<size_t>(s.centred.size)), {0}, true};
  if (!s.centred.l1.empty()) {
    found = coordinate_descent(s.centred, params.max_iterations, tolerance);
  } else {
    std::vector<double> factor = s.centred.a;
    if (cholesky(factor, s.centred.size)) {
      found.c = s.centred.b;
      cholesky_solve(factor, found.c);
      if (params.solver == Solver::kLbfgs) found.history.push_back(s.centred.value(found.c));
      else if (all_vary) result.diagonal = diagonal_of(factor, s, m, params.fit_intercept);
    } else {
      found =
          conjugate_gradients(params.fit_intercept ? with_intercept(s) : s.centred, params.max_iterations, tolerance);
      found.c.resize(static_cast<size_t>(s.centred.size));
      if (params.fit_intercept)  // which has the label's mean still in it
        for (double& value : found.history) value += s.label_mean * s.label_mean / 2;
    }
  }

  double norm = m.of(m.columns - 1, m.columns - 1) / (s.label_deviation * s.label_deviation);
  if (!params.fit_intercept) norm += s.label_mean * s.label_mean;
  result.objective = std::max(0.0, norm / 2 + s.centred.value(found.c)) * s.label_deviation * s.label_deviation;
  result.converged = found.converged;
  result.iterations = static_cast<int64_t>(found.history.size()) - 1;
  if (result.iterations > 0) {
    result.history.clear();
    for (const double value : found.history) result.history.push_back(value + norm / 2);
  }
  result.intercept = params.fit_intercept ? m.mean.back() : 0;
  for (size_t i = 0; i < s.varying.size(); ++i) {
    const auto j = static_cast<size_t>(s.varying[i]);
    result.coefficients[j] = found.c[i] * s.label_deviation / s.deviation[i];
    if (params.fit_intercept) result.intercept -= result.coefficients[j] * m.mean[j];
  }
  return result;
}

/// A rank sums products of all pairs of columns, then has up to four such matrices to solve.
double memory(const LearningJob& job, const Values&) {
  const double width = std::min(job.width, static_cast<double>(kMostFeatures));
  LearningJob narrow = job;
  narrow.width = width;
  return job.ranks * std::max(moments_bytes(narrow), 4 * 8 * (width + 1) * (width + 1));
}

}  // namespace

Result run(const Examples& examples, const Params& params, Comm& comm, const Progress& progress) {
  if (examples.width() > kMostFeatures)
    throw Error(Exit::kArguments, "features", "at most 4096, whose products fit into memory",
                std::to_string(examples.width()), "Use engine => 'spark'");
  const Moments all = moments(examples, comm, progress);
  progress("solve");
  return solve(all, params);
}

const Spec kSpec{
    .name = "linreg",
    .family = "ml",
    .summary = "Linear regression: least squares, ridge, lasso and elastic net.",
    .inputs = data_input(),
    .parameters =
        {features_columns(),
         label_column(),
         weight_column_of_data(),
         {.name = "reg_param",
          .kind = Kind::kDouble,
          .fallback = 0.0,
          .doc = "How much large coefficients cost.",
          .min = 0},
         {.name = "elastic_net_param",
          .kind = Kind::kDouble,
          .fallback = 0.0,
          .doc = "How much of that is L1: 0 is ridge, 1 is lasso.",
          .min = 0,
          .max = 1},
         {.name = "fit_intercept", .kind = Kind::kBool, .fallback = true, .doc = "Whether there is an intercept."},
         {.name = "standardization",
          .kind = Kind::kBool,
          .fallback = true,
          .doc = "Whether coefficients cost in units of their feature's deviation."},
         {.name = "solver",
          .kind = Kind::kChoice,
          .fallback = std::string("auto"),
          .doc = "All solve the normal equations; l-bfgs takes deviations by rows less one, as MLlib's does.",
          .choices = {"auto", "normal", "l-bfgs"}},
         {.name = "max_iter",
          .kind = Kind::kInt,
          .fallback = int64_t{100},
          .doc = "At most that many iterations, where L1 or a singular matrix take some.",
          .unit = "iterations",
          .min = 0},
         {.name = "tol",
          .kind = Kind::kDouble,
          .fallback = 1e-6,
          .doc = "Iterations end there at the latest; they go on to 1e-10.",
          .min = 0}},
    .output = {{.name = "class", .type = "bigint", .doc = "always 0"},
               {.name = "feature", .type = "bigint", .doc = "from 0; -1 for the intercept"},
               {.name = "value", .type = "double", .doc = "a coefficient"}},
    .match = "epsilon",
    .epsilon = 1e-6,
    .source =
        "Friedman, Hastie, Tibshirani 2010, Regularization Paths for Generalized Linear Models via Coordinate Descent",
    .notes =
        "One pass sums the products of all pairs of columns, as MLlib's normal solver. Where features depend on each "
        "other and reg_param is 0, the shortest of all solutions comes out; a constant feature has the coefficient 0. "
        "Time O(rows * features^2).",
    .refuses = "no rows, NaN, rows of unequal lengths, no weight above 0, more than 4096 numbers in a row",
    .figures = {{"objective", "half the mean squared error with what coefficients cost"},
                {"objective_history", "the same by iteration"},
                {"diagonal", "that of (X'WX)^-1, the intercept last; 0 alone where it is not known"}},
    .memory = {.learning = memory},
};

}  // namespace sparkgap::linreg

namespace sparkgap {
namespace {

struct Rows {
  std::vector<int64_t> classes, features;
  std::vector<double> values;
};

Output run_linreg(const Inputs& inputs, const Values& values, Comm& comm, const Progress& progress) {
  const linreg::Params params{
      get_double(values, "reg_param"),
      get_double(values, "elastic_net_param"),
      get_bool(values, "fit_intercept"),
      get_bool(values, "standardization"),
      get_string(values, "solver") == "l-bfgs" ? linreg::Solver::kLbfgs : linreg::Solver::kNormal,
      get_int(values, "max_iter"),
      get_double(values, "tol")};
  const Stopwatch build;
  Output output;
  const Examples examples = Examples::of(inputs, values, comm);
  output.build_s = build.seconds();
  const Stopwatch compute;
  const linreg::Result result = linreg::run(examples, params, comm, progress);
  output.compute_s = compute.seconds();
  auto rows = std::make_shared<Rows>();
  if (comm.rank() == 0) {
    rows->values = result.coefficients;
    rows->values.insert(rows->values.begin(), result.intercept);
    rows->classes.resize(rows->values.size());
    for (size_t i = 0; i < rows->values.size(); ++i) rows->features.push_back(static_cast<int64_t>(i) - 1);
  }
  output.rows = static_cast<int64_t>(rows->values.size());
  output.columns = {{"class", Type::kInt64, rows->classes.data(), {}},
                    {"feature", Type::kInt64, rows->features.data(), {}},
                    {"value", Type::kFloat64, rows->values.data(), {}}};
  output.keep = rows;
  output.iterations = result.iterations;
  output.converged = result.converged;
  output.figures = {
      {"objective", {result.objective}}, {"objective_history", result.history}, {"diagonal", result.diagonal}};
  return output;
}

}  // namespace

const Kernel kKernel{linreg::kSpec, run_linreg};

}  // namespace sparkgap
