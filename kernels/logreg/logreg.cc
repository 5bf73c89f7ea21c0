// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "logreg/logreg.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "learn/class_labels.h"
#include "learn/examples.h"
#include "learn/feature_scales.h"
#include "logreg/logistic_loss.h"
#include "logreg/quasi_newton.h"
#include "process/error.h"
#include "process/stopwatch.h"
#include "spec/kernel.h"

namespace sparkgap::logreg {
namespace {

/// The weight of each class, on every rank.
std::vector<double> class_weights(std::span<const double> labels, std::span<const double> weights, Comm& comm) {
  require_classes(labels);
  double greatest = -1;
  for (size_t row = 0; row < labels.size(); ++row)
    if (weights.empty() || weights[row] > 0) greatest = std::max(greatest, labels[row]);
  greatest = comm.allreduce(greatest, Reduce::kMax);
  if (greatest < 0)
    throw Error(Exit::kData, "data", "at least one row with a weight above 0", "none", "Check the table");
  constexpr double kMost = 1 << 20;
  if (greatest >= kMost)
    throw Error(Exit::kData, "label", "classes below 1048576", std::to_string(static_cast<int64_t>(greatest)),
                "Index the labels, as StringIndexer does");
  std::vector<double> of_class(static_cast<size_t>(greatest) + 1);
  for (size_t row = 0; row < labels.size(); ++row)
    if (const auto label = static_cast<size_t>(labels[row]); label < of_class.size())
      of_class[label] += weights.empty() ? 1 : weights[row];
  comm.allreduce(std::span<double>(of_class));
  return of_class;
}

/// What a coefficient costs, by place in LogisticLoss's order; intercepts cost nothing.
struct Penalty {
  std::vector<double> l1, l2;  ///< l1 is empty where there is none

  Penalty(const Params& params, const LogisticLoss& loss, const std::vector<double>& scale) : l2(loss.length()) {
    const double r = params.reg_param, a = params.elastic_net_param;
    if (r * a > 0) l1.resize(loss.length());
    for (size_t at = 0; at < l2.size(); ++at) {
      const size_t j = at % loss.stride();
      if (j >= scale.size() || scale[j] == 0) continue;
      const double unit = params.standardization ? 1 : scale[j];
      if (!l1.empty()) l1[at] = r * a * unit;
      l2[at] = r * (1 - a) * unit * unit;
    }
  }
};

double mean_of(const std::vector<double>& values, size_t first, size_t step) {
  double sum = 0;
  size_t n = 0;
  for (size_t i = first; i < values.size(); i += step, ++n) sum += values[i];
  return sum / static_cast<double>(n);
}

void subtract_mean(std::vector<double>& values, size_t first, size_t step) {
  const double mean = mean_of(values, first, step);
  for (size_t i = first; i < values.size(); i += step) values[i] -= mean;
}

/// Only one class has weight.
void set_certain(Result& result, const std::vector<double>& of_class) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto only = static_cast<size_t>(std::max_element(of_class.begin(), of_class.end()) - of_class.begin());
  if (result.outputs == 1) result.intercepts[0] = only == 1 ? infinity : -infinity;
  else result.intercepts[only] = infinity;
  result.history = {0};
}

/// While a gradient is summed, a rank holds the sums of each part of its rows, up to ten steps with their changes of
/// the gradient, and up to 15 more vectors of coefficients: the penalty, the result, the direction, two of the sum, and
/// of points what they are, their gradients and their slopes.
double memory(const LearningJob& job, const Values& values) {
  constexpr double kMostClasses = 1 << 20, kVectors = 15, kPairs = 10;
  const std::string family = get_string(values, "family");
  const bool binomial = family == "binomial" || (family == "auto" && job.distinct <= 2);
  const double numbers = binomial ? job.width : job.width * std::min(job.distinct, kMostClasses),
               rows = std::ceil(job.rows / job.ranks), labels = find_string(values, "weight") ? 16 : 8;
  const double pairs = std::min(kPairs, static_cast<double>(get_int(values, "max_iter")));
  const auto parts =
      static_cast<double>(LogisticLoss::parts_of(static_cast<int64_t>(rows), static_cast<int64_t>(numbers)));
  const double l1 = get_double(values, "reg_param") * get_double(values, "elastic_net_param") > 0 ? 1 : 0;
  const double descent = 8 * numbers * (parts + kVectors + 2 * pairs + l1);
  return job.rows * labels + job.ranks * std::max(descent, feature_scales_bytes(job));
}

}  // namespace

Result run(const FeatureMatrix& features, std::span<const double> labels, std::span<const double> weights,
           const Params& params, Comm& comm, const Progress& progress) {
  std::vector<double> of_class = class_weights(labels, weights, comm);
  const auto width = static_cast<size_t>(features.width());
  const bool binomial = params.family == Family::kBinomial || (params.family == Family::kAuto && of_class.size() <= 2);
  if (binomial && of_class.size() > 2)
    throw Error(Exit::kArguments, "family", "multinomial or auto for " + std::to_string(of_class.size()) + " classes",
                "binomial", "Choose one of these");
  Result result;
  result.classes = static_cast<int64_t>(of_class.size());
  result.outputs = binomial ? 1 : result.classes;
  result.coefficients.resize(static_cast<size_t>(result.outputs) * width);
  result.intercepts.resize(static_cast<size_t>(result.outputs));
  if (params.fit_intercept &&
      std::count_if(of_class.begin(), of_class.end(), [](double weight) { return weight > 0; }) == 1) {
    set_certain(result, of_class);
    return result;
  }

  progress("scale");
  const FeatureScales scales = feature_scales(features, weights, comm);
  ScaledRows rows{features,
                  labels,
                  weights,
                  scales.weight,
                  params.fit_intercept ? scales.mean : std::vector<double>(width),
                  std::vector<double>(width)};
  for (size_t j = 0; j < width; ++j) rows.scale[j] = scales.deviation[j] > 0 ? 1 / scales.deviation[j] : 0;
  const LogisticLoss loss(rows, result.outputs, params.fit_intercept, comm);
  const Penalty penalty(params, loss, rows.scale);
  const auto objective = [&](const std::vector<double>& at, std::vector<double>& gradient) {
    double value = loss(at, gradient);
    for (size_t i = 0; i < at.size(); ++i) {
      value += penalty.l2[i] * at[i] * at[i] / 2;
      gradient[i] += penalty.l2[i] * at[i];
    }
    return value;
  };

  // Intercepts start where they were best if no feature said anything.
  std::vector<double> start(loss.length());
  of_class.resize(std::max<size_t>(of_class.size(), 2));
  if (params.fit_intercept && binomial) start.back() = std::log(of_class[1] / of_class[0]);
  for (size_t k = 0; params.fit_intercept && !binomial && k < of_class.size(); ++k)
    start[k * loss.stride() + width] = std::log1p(of_class[k]);
  if (params.fit_intercept && !binomial) subtract_mean(start, width, loss.stride());

  const Descent found = minimise(
      objective, std::move(start), penalty.l1, {params.max_iterations, params.tolerance},
      [&](int64_t iteration, double gradient) { progress("compute", iteration, params.max_iterations, gradient); });
  for (size_t k = 0; k < static_cast<size_t>(result.outputs); ++k) {
    if (params.fit_intercept) result.intercepts[k] = found.x[k * loss.stride() + width];
    for (size_t j = 0; j < width; ++j) {
      result.coefficients[k * width + j] = found.x[k * loss.stride() + j] * rows.scale[j];
      result.intercepts[k] -= result.coefficients[k * width + j] * rows.center[j];
    }
  }
  if (!binomial) {  // the same to every class's score changes nothing
    for (size_t j = 0; params.reg_param == 0 && j < width; ++j) subtract_mean(result.coefficients, j, width);
    if (params.fit_intercept) subtract_mean(result.intercepts, 0, 1);
  }
  result.history = found.history;
  result.iterations = static_cast<int64_t>(found.history.size()) - 1;
  result.converged = found.converged;
  result.gradient = found.gradient;
  return result;
}

const Spec kSpec{
    .name = "logreg",
    .family = "ml",
    .summary = "Logistic regression: the log-odds of classes as linear functions of the features.",
    .inputs = data_input(),
    .parameters =
        {features_columns(),
         label_column(),
         weight_column_of_data(),
         {.name = "family",
          .kind = Kind::kChoice,
          .fallback = std::string("auto"),
          .doc = "auto: binomial with up to two classes, else multinomial.",
          .choices = {"auto", "binomial", "multinomial"}},
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
         {.name = "max_iter",
          .kind = Kind::kInt,
          .fallback = int64_t{100},
          .doc = "At most that many iterations.",
          .unit = "iterations",
          .min = 0},
         {.name = "tol",
          .kind = Kind::kDouble,
          .fallback = 1e-6,
          .doc =
              "Ends where the gradient, or the progress of twenty iterations, relative to the objective, is below it.",
          .min = 0}},
    .output = {{.name = "class",
                .type = "bigint",
                .doc = "binomial has one, 0, whose numbers are the log-odds of label 1"},
               {.name = "feature", .type = "bigint", .doc = "from 0; -1 for the intercept"},
               {.name = "value", .type = "double", .doc = "a coefficient"}},
    .match = "epsilon",
    .epsilon = 1e-6,
    .source =
        "Nocedal, Wright 2006, Numerical Optimization; Andrew, Gao 2007, Scalable training of L1-regularized "
        "log-linear models",
    .notes =
        "As MLlib's LogisticRegression: L-BFGS, with L1 OWL-QN. Labels are whole numbers from 0 on; binomial with more "
        "than two classes is an ArgumentError. One class only and an intercept: coefficients 0, intercept infinite. "
        "Time O(rows * features * classes * iterations).",
    .refuses = "no rows, NaN, rows of unequal lengths, no weight above 0, other labels than whole numbers from 0 on",
    .figures = {{"objective", "the mean loss with what coefficients cost"},
                {"objective_history", "the same by iteration"},
                {"classes", "how many there are"}},
    .memory = {.learning = memory, .distinct = "label"},
};

}  // namespace sparkgap::logreg

namespace sparkgap {
namespace {

struct Rows {
  std::vector<int64_t> classes, features;
  std::vector<double> values;
};

Output run_logreg(const Inputs& inputs, const Values& values, Comm& comm, const Progress& progress) {
  using logreg::Family;
  const std::string family = get_string(values, "family");
  const logreg::Params params{family == "binomial"      ? Family::kBinomial
                              : family == "multinomial" ? Family::kMultinomial
                                                        : Family::kAuto,
                              get_double(values, "reg_param"),
                              get_double(values, "elastic_net_param"),
                              get_bool(values, "fit_intercept"),
                              get_bool(values, "standardization"),
                              get_int(values, "max_iter"),
                              get_double(values, "tol")};
  progress("build");
  const Stopwatch build;
  const Examples examples = Examples::of(inputs, values, comm);
  const Buffer<double> labels = examples.labels(), weights = examples.weights();
  Output output;
  output.build_s = build.seconds();
  const Stopwatch compute;
  const logreg::Result result = logreg::run(examples.features(), labels.span(), weights.span(), params, comm, progress);
  output.compute_s = compute.seconds();
  auto rows = std::make_shared<Rows>();
  for (int64_t k = 0; comm.rank() == 0 && k < result.outputs; ++k)
    for (int64_t j = -1; j < examples.width(); ++j) {
      rows->classes.push_back(k);
      rows->features.push_back(j);
      rows->values.push_back(j < 0 ? result.intercepts[static_cast<size_t>(k)]
                                   : result.coefficients[static_cast<size_t>(k * examples.width() + j)]);
    }
  output.rows = static_cast<int64_t>(rows->values.size());
  output.columns = {{"class", Type::kInt64, rows->classes.data(), {}},
                    {"feature", Type::kInt64, rows->features.data(), {}},
                    {"value", Type::kFloat64, rows->values.data(), {}}};
  output.keep = rows;
  output.iterations = result.iterations;
  output.converged = result.converged;
  output.residual = result.gradient;
  output.figures = {{"objective", {result.history.back()}},
                    {"objective_history", result.history},
                    {"classes", {static_cast<double>(result.classes)}}};
  return output;
}

}  // namespace

const Kernel kKernel{logreg::kSpec, run_logreg};

}  // namespace sparkgap
