// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "lda/lda_documents.h"
#include "mpi/comm.h"
#include "process/progress.h"

namespace sparkgap::lda {

struct OnlineParams {
  int64_t topics;
  int64_t max_iterations;
  std::vector<double> alpha;  ///< by topic, at first
  double eta;
  bool optimize_alpha;
  double offset, decay;  ///< tau and kappa
  double rate;           ///< of documents that an iteration draws
  uint64_t seed;
};

/// The same on every rank.
struct OnlineResult {
  std::vector<double> lambda;  ///< [word * topics + topic]
  std::vector<double> alpha;   ///< by topic
  double bound = 0;            ///< lower bound of the log likelihood, estimated from one more draw
};

/// Latent Dirichlet allocation by online variational Bayes.
///
/// Equation   Each iteration t draws documents, each Poisson(rate) times. For each, gamma starts random and is repeated
///            until it moves by at most 1e-3 in the mean: phi_wk = e^(E log theta_k + E log beta_wk) scaled to 1 over
///            k, gamma_k = alpha_k + sum_w c_w phi_wk. Then lambda = (1 - r) lambda + r (eta + D / ceil(rate D) sum c_w
///            phi_wk), r = (offset + t)^-decay, D documents of all ranks. optimize_alpha: one Newton step on alpha
///            towards what the drawn documents say, r times, where all stay above 0
/// Source     Hoffman, Blei, Bach, Online learning for latent Dirichlet allocation, NIPS 2010; as Apache Spark MLlib's
///            OnlineLDAOptimizer
/// Output     lambda, alpha, the bound of the paper's equation 4 as MLlib's LocalLDAModel has it
/// Cost       per drawn document and repetition 4 * topics operations per word; the bound takes one more draw; memory 8
///            * topics * W bytes per thread, and twice more; messages per iteration: 8 * topics * W bytes
/// Parallel   collective over comm; draws are the same for any np and threads, sums to rounding
[[nodiscard]] OnlineResult run_online(const Documents& documents, const OnlineParams& params, Comm& comm,
                                      const Progress& progress);

/// What the iterations draw: a number from Gamma(100, 1 / 100), and how often iteration t has a document.
double random_gamma(uint64_t seed, uint64_t a, uint64_t b, uint64_t c);
int64_t times_drawn(uint64_t seed, int64_t iteration, int64_t document, double rate);
/// The first lambda of a word and topic; the first gamma of a document and topic.
double first_lambda(uint64_t seed, int64_t word, int64_t topic);
double first_gamma(uint64_t seed, int64_t iteration, int64_t document, int64_t topic);

}  // namespace sparkgap::lda
