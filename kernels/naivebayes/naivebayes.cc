// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "naivebayes/naivebayes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "learn/class_labels.h"
#include "learn/examples.h"
#include "process/error.h"
#include "process/parallel.h"
#include "process/stopwatch.h"
#include "spec/kernel.h"

namespace sparkgap::naivebayes {
namespace {

/// The rows of this rank with what belongs to each.
struct Rows {
  const FeatureMatrix& features;
  std::span<const double> labels, weights;
  std::vector<double> classes;  ///< of all ranks, ascending

  double weight(int64_t row) const { return weights.empty() ? 1 : weights[static_cast<size_t>(row)]; }
  size_t class_of(int64_t row) const {
    return static_cast<size_t>(std::lower_bound(classes.begin(), classes.end(), labels[static_cast<size_t>(row)]) -
                               classes.begin());
  }
};

std::vector<double> find_classes(std::span<const double> labels, Comm& comm) {
  require_classes(labels);
  const auto rows = static_cast<int64_t>(labels.size());
  const int64_t parts = threads();
  std::vector<std::set<double>> of_part(static_cast<size_t>(parts));
  parallel_for(parts, [&](int64_t part) {
    std::set<double> own;
    double last = -1;
    for (int64_t row = cut(rows, parts, part); row < cut(rows, parts, part + 1); ++row) {
      const double label = labels[static_cast<size_t>(row)];
      if (label != last) own.insert(label);
      last = label;
    }
    of_part[static_cast<size_t>(part)] = std::move(own);
  });
  std::set<double> mine;
  for (auto& part : of_part) mine.merge(part);
  const std::vector<int64_t> counts = comm.allgather(static_cast<int64_t>(mine.size()));
  std::vector<double> all(static_cast<size_t>(comm.allreduce(static_cast<int64_t>(mine.size()))));
  std::copy(mine.begin(), mine.end(), all.begin() + comm.exscan(static_cast<int64_t>(mine.size())));
  comm.allgatherv(std::span<double>(all), counts);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Sums over the rows of all ranks into a table of `length` numbers: add(table, row, n, index, value) for each row.
template <typename Add>
std::vector<double> sum_rows(const Rows& rows, size_t length, Comm& comm, Add&& add) {
  const int64_t parts = threads();
  std::vector<Buffer<double>> of_part(static_cast<size_t>(parts));
  parallel_for(parts, [&](int64_t part) {
    of_part[static_cast<size_t>(part)] = Buffer<double>(length);
    double* table = of_part[static_cast<size_t>(part)].data();
    rows.features.for_rows(
        cut(rows.features.rows(), parts, part), cut(rows.features.rows(), parts, part + 1),
        [&](int64_t row, int64_t n, const int32_t* index, const double* value) { add(table, row, n, index, value); });
  });
  std::vector<double> sum(length);
  parallel_ranges(static_cast<int64_t>(length), 8192, [&](int64_t begin, int64_t end) {
    for (const auto& part : of_part)
      for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) sum[i] += part[i];
  });
  comm.allreduce(std::span<double>(sum));
  return sum;
}

/// The weight of each class.
std::vector<double> class_weights(const Rows& rows, Comm& comm) {
  const int64_t parts = threads(), n = rows.features.rows();
  std::vector<std::vector<double>> of_part(static_cast<size_t>(parts));
  parallel_for(parts, [&](int64_t part) {
    std::vector<double> own(rows.classes.size());  // not yet among the others': threads would share its lines
    for (int64_t row = cut(n, parts, part); row < cut(n, parts, part + 1); ++row)
      own[rows.class_of(row)] += rows.weight(row);
    of_part[static_cast<size_t>(part)] = std::move(own);
  });
  std::vector<double> sum(rows.classes.size());
  for (const auto& part : of_part) std::transform(sum.begin(), sum.end(), part.begin(), sum.begin(), std::plus<>());
  comm.allreduce(std::span<double>(sum));
  return sum;
}

double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

/// N_cj: sums of weight * feature by class.
std::vector<double> feature_sums(const Rows& rows, Model model, Comm& comm) {
  const auto width = static_cast<size_t>(rows.features.width());
  return sum_rows(
      rows, rows.classes.size() * width, comm,
      [&](double* table, int64_t row, int64_t n, const int32_t* index, const double* value) {
        bool odd = false;
        if (model == Model::kBernoulli)
          for (int64_t i = 0; i < n; ++i) odd |= value[i] != 0 && value[i] != 1;
        else if (model != Model::kGaussian)
          for (int64_t i = 0; i < n; ++i) odd |= value[i] < 0;
        if (odd) {
          const double* at = std::find_if(
              value, value + n, [&](double x) { return x < 0 || (model == Model::kBernoulli && x != 0 && x != 1); });
          rows.features.refuse(model == Model::kBernoulli ? "features that are 0 or 1" : "features of at least 0",
                               std::to_string(*at), row, "Use another model or transform them");
        }
        const double weight = rows.weight(row);
        double* sum = table + rows.class_of(row) * width;
        for (int64_t i = 0; i < n; ++i) sum[index == nullptr ? i : index[i]] += weight * value[i];
      });
}

void fit_discrete(const Rows& rows, const Params& params, Result& result, Comm& comm) {
  const size_t classes = rows.classes.size(), width = static_cast<size_t>(rows.features.width());
  const double s = params.smoothing;
  const std::vector<double> weight = class_weights(rows, comm);
  std::vector<double> sums = feature_sums(rows, params.model, comm);
  const double log_all = std::log(sum_of(weight) + static_cast<double>(classes) * s);
  for (const double w : weight) result.pi.push_back(std::log(w + s) - log_all);
  if (params.model == Model::kComplement) {
    std::vector<double> all(width);
    for (size_t i = 0; i < sums.size(); ++i) all[i % width] += sums[i];
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = all[i % width] - sums[i];
  }
  result.theta.resize(sums.size());
  parallel_for(static_cast<int64_t>(classes), [&](int64_t at) {
    const auto c = static_cast<size_t>(at);
    double total = params.model == Model::kBernoulli ? weight[c] + 2 * s : static_cast<double>(width) * s;
    if (params.model != Model::kBernoulli)
      for (size_t j = 0; j < width; ++j) total += sums[c * width + j];
    const double log_total = std::log(total);
    for (size_t j = 0; j < width; ++j) {
      const double theta = std::log(sums[c * width + j] + s) - log_total;
      result.theta[c * width + j] = params.model == Model::kComplement ? -theta : theta;
    }
  });
}

void fit_gaussian(const Rows& rows, Result& result, Comm& comm) {
  const size_t classes = rows.classes.size(), width = static_cast<size_t>(rows.features.width());
  const std::vector<double> weight = class_weights(rows, comm);
  const double all = sum_of(weight);
  std::vector<double>& mean = result.theta = feature_sums(rows, Model::kGaussian, comm);
  for (size_t c = 0; c < classes; ++c) {
    if (!(weight[c] > 0))
      throw Error(Exit::kData, "weight", "some weight for each class",
                  "none for class " + std::to_string(static_cast<int64_t>(rows.classes[c])), "Drop its rows");
    result.pi.push_back(std::log(weight[c]) - std::log(all));
    for (size_t j = 0; j < width; ++j) mean[c * width + j] /= weight[c];
  }
  // By class and feature: the squares, then the weight of rows that leave the feature out as it is zero, less that of
  // all sparse rows, which is the class's last number.
  const size_t length = 2 * width + 1;
  std::vector<double> squares =
      sum_rows(rows, classes * length, comm,
               [&](double* table, int64_t row, int64_t n, const int32_t* index, const double* value) {
                 const size_t c = rows.class_of(row);
                 const double weight_here = rows.weight(row), *of_class = &mean[c * width];
                 double* sum = table + c * length;
                 for (int64_t i = 0; i < n; ++i) {
                   const auto j = static_cast<size_t>(index == nullptr ? i : index[i]);
                   sum[2 * j] += weight_here * (value[i] - of_class[j]) * (value[i] - of_class[j]);
                   if (index != nullptr) sum[2 * j + 1] -= weight_here;
                 }
                 if (index != nullptr) sum[2 * width] += weight_here;
               });
  result.sigma.resize(classes * width);
  double largest = 0;
  for (size_t j = 0; j < width; ++j) {
    double center = 0, variance = 0;
    for (size_t c = 0; c < classes; ++c) center += weight[c] * mean[c * width + j] / all;
    for (size_t c = 0; c < classes; ++c) {
      const double m = mean[c * width + j],
                   left_out = squares[c * length + 2 * j + 1] + squares[c * length + 2 * width];
      const double sum = squares[c * length + 2 * j] + left_out * m * m;
      result.sigma[c * width + j] = sum / weight[c];
      variance += (sum + weight[c] * (m - center) * (m - center)) / all;
    }
    largest = std::max(largest, variance);
  }
  for (double& sigma : result.sigma) sigma += 1e-9 * largest;
}

/// Each thread sums the features by class, then they become one; a Gaussian's squares have two numbers each beside the
/// means. Rank 0 makes rows of the model, of 48 bytes.
double memory(const LearningJob& job, const Values& values) {
  constexpr double kMostClasses = 1 << 20, kRowBytes = 48;
  const bool gaussian = get_string(values, "model_type") == "gaussian";
  const double model = job.width * std::min(job.distinct, kMostClasses),
               labels = find_string(values, "weight") ? 16 : 8,
               sums = 8 * model * (gaussian ? 3 + 2 * job.threads : 1 + job.threads);
  return job.rows * labels + (job.ranks - 1) * sums + std::max(sums, kRowBytes * model * (gaussian ? 2 : 1));
}

}  // namespace

Result run(const FeatureMatrix& features, std::span<const double> labels, std::span<const double> weights,
           const Params& params, Comm& comm, const Progress& progress) {
  if (comm.allreduce(features.rows()) == 0)
    throw Error(Exit::kData, "features", "at least one row", "none", "Check the table");
  progress("compute");
  const Rows rows{features, labels, weights, find_classes(labels, comm)};
  Result result;
  result.labels = rows.classes;
  result.width = features.width();
  if (params.model == Model::kGaussian) fit_gaussian(rows, result, comm);
  else fit_discrete(rows, params, result, comm);
  return result;
}

const Spec kSpec{
    .name = "naivebayes",
    .family = "ml",
    .summary = "What a class tells about its features if these do not depend on each other.",
    .inputs = data_input(),
    .parameters = {features_columns(),
                   label_column(),
                   weight_column_of_data(),
                   {.name = "smoothing",
                    .kind = Kind::kDouble,
                    .fallback = 1.0,
                    .doc = "Added to every count; not for gaussian.",
                    .min = 0},
                   {.name = "model_type",
                    .kind = Kind::kChoice,
                    .fallback = std::string("multinomial"),
                    .doc = "multinomial and complement count features, bernoulli rows that have them; gaussian takes "
                           "mean and variance.",
                    .choices = {"multinomial", "complement", "bernoulli", "gaussian"}}},
    .output = {{.name = "term", .type = "string", .doc = "pi, theta or sigma"},
               {.name = "class", .type = "double", .doc = "the label"},
               {.name = "feature", .type = "bigint", .doc = "from 0; -1 beside pi"},
               {.name = "value",
                .type = "double",
                .doc = "pi: the logarithm of the class's share; theta: the logarithm of a feature's share in the "
                       "class, gaussian: its mean; sigma: its variance, gaussian only"}},
    .match = "epsilon",
    .epsilon = 1e-9,
    .source =
        "Manning, Raghavan, Schuetze 2008, Introduction to Information Retrieval, chapter 13; Rennie et al. 2003, "
        "Tackling the Poor Assumptions of Naive Bayes Text Classifiers",
    .notes =
        "As MLlib's NaiveBayes, whose model takes these numbers. Features are at least 0 for multinomial and "
        "complement, 0 or 1 for bernoulli; labels are whole numbers of at least 0, not necessarily without gaps. Time "
        "O(rows * features).",
    .refuses = "no rows, NaN, rows of unequal lengths, no weight above 0, features or labels other than said below",
    .memory = {.learning = memory, .distinct = "label"},
};

}  // namespace sparkgap::naivebayes

namespace sparkgap {
namespace {

/// The model as rows of rank 0: term, class, feature, value.
struct ModelRows {
  std::vector<std::string_view> term;
  std::vector<int64_t> feature;
  std::vector<double> label, value;

  void add(std::string_view name, const naivebayes::Result& result, const std::vector<double>& values,
           bool by_feature) {
    const size_t width = by_feature ? static_cast<size_t>(result.width) : 1, all = value.size() + values.size();
    term.reserve(all);
    label.reserve(all);
    feature.reserve(all);
    value.reserve(all);
    for (size_t i = 0; i < values.size(); ++i) {
      term.push_back(name);
      label.push_back(result.labels[i / width]);
      feature.push_back(by_feature ? static_cast<int64_t>(i % width) : -1);
      value.push_back(values[i]);
    }
  }
};

Output run_naivebayes(const Inputs& inputs, const Values& values, Comm& comm, const Progress& progress) {
  using naivebayes::Model;
  const std::string type = get_string(values, "model_type");
  const naivebayes::Params params{
      .smoothing = get_double(values, "smoothing"),
      .model = type == "complement"  ? Model::kComplement
               : type == "bernoulli" ? Model::kBernoulli
               : type == "gaussian"  ? Model::kGaussian
                                     : Model::kMultinomial,
  };
  progress("build");
  const Stopwatch build;
  const Examples examples = Examples::of(inputs, values, comm);
  const Buffer<double> labels = examples.labels(), weights = examples.weights();
  Output output;
  output.build_s = build.seconds();
  const Stopwatch compute;
  const naivebayes::Result result =
      naivebayes::run(examples.features(), labels.span(), weights.span(), params, comm, progress);
  output.compute_s = compute.seconds();
  auto rows = std::make_shared<ModelRows>();
  if (comm.rank() == 0) {
    rows->add("pi", result, result.pi, false);
    rows->add("theta", result, result.theta, true);
    rows->add("sigma", result, result.sigma, true);
  }
  output.rows = static_cast<int64_t>(rows->value.size());
  output.columns = {{"term", Type::kString, nullptr, {}},
                    {"class", Type::kFloat64, rows->label.data(), {}},
                    {"feature", Type::kInt64, rows->feature.data(), {}},
                    {"value", Type::kFloat64, rows->value.data(), {}}};
  output.columns[0].strings = std::move(rows->term);
  output.keep = rows;
  return output;
}

}  // namespace

const Kernel kKernel{naivebayes::kSpec, run_naivebayes};

}  // namespace sparkgap
