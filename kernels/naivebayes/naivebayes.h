// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learn/feature_matrix.h"
#include "mpi/comm.h"
#include "process/progress.h"
#include "spec/spec.h"

namespace sparkgap::naivebayes {

enum class Model { kMultinomial, kComplement, kBernoulli, kGaussian };

struct Params {
  double smoothing;
  Model model;
};

/// The same on every rank.
struct Result {
  std::vector<double> labels;  ///< the classes, ascending
  int64_t width = 0;
  std::vector<double> pi;            ///< by class
  std::vector<double> theta, sigma;  ///< [class * width + feature]; sigma of gaussian only
};

/// What a class tells about its features if these do not depend on each other within the class.
///
/// Equation   With W the weight of all rows, W_c that of class c, C classes, d features, s = smoothing, and N_cj the
///            sum of weight * x_j in c: multinomial: pi_c = log(W_c + s) - log(W + C s), theta_cj = log(N_cj + s) -
///            log(sum over j of N_cj + d s); complement: pi likewise, theta_cj = -(log(M_cj + s) - log(sum over j of
///            M_cj + d s)) with M_cj = sum of N_bj over classes b != c; bernoulli: pi likewise, theta_cj = log(N_cj +
///            s) - log(W_c + 2 s), x_j in {0, 1}; gaussian: pi_c = log(W_c / W), theta_cj = mean, sigma_cj = variance
///            of x_j in c, plus 1e-9 of the largest variance of a feature
/// Source     Manning, Raghavan, Schuetze, Introduction to Information Retrieval, chapter 13; Rennie et al. 2003
///            (complement); as Apache Spark MLlib NaiveBayes. Differs: the variance is taken round the mean, not as a
///            difference of squares
/// Input      features: a vector per row, sparse ones read as they are; labels: whole numbers >= 0; weights: one per
///            row, or none: each 1
/// Output     pi, theta, sigma; -infinity where smoothing is 0 and nothing was counted
/// Params     smoothing >= 0, default 1; model, default multinomial
/// Cost       time O(numbers stored), gaussian twice; memory 8 * classes * width bytes per thread (gaussian 16);
///            messages: once that much
/// Parallel   collective over comm; all threads; the same for any np and threads where sums are whole numbers, else to
///            rounding
/// Errors     kData: no rows; a label that is no whole number >= 0; features below 0 (multinomial, complement), other
///            than 0 and 1 (bernoulli); gaussian: a class without weight
[[nodiscard]] Result run(const FeatureMatrix& features, std::span<const double> labels, std::span<const double> weights,
                         const Params& params, Comm& comm, const Progress& progress);

/// Name, inputs, parameters with their defaults, output.
extern const Spec kSpec;

}  // namespace sparkgap::naivebayes
