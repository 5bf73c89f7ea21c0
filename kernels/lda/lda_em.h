// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "lda/lda_documents.h"
#include "mpi/comm.h"
#include "process/progress.h"

namespace sparkgap::lda {

struct EmParams {
  int64_t topics;
  int64_t max_iterations;
  double alpha, eta;  ///< above 1
  uint64_t seed;
};

/// The same on every rank.
struct EmResult {
  std::vector<double> words;  ///< N_wk, [word * topics + topic]
  double log_likelihood;      ///< of the words that are there
  double log_prior;           ///< of the topics' words and the documents' topics, without constants
};

/// Latent Dirichlet allocation by expectation maximisation.
///
/// Equation   gamma_wjk = (N_wk + eta - 1)(N_kj + alpha - 1) / (N_k + W (eta - 1)), scaled to sum 1 over k; then N_wk =
///            sum_j c_wj gamma_wjk, N_kj = sum_w c_wj gamma_wjk, N_k = sum_w N_wk, c_wj how often word w is in document
///            j, W words. At first gamma is random. log likelihood = sum c_wj log(sum_k phi_wk theta_kj), phi_wk =
///            (N_wk + eta - 1) / (N_k + W (eta - 1)), theta_kj = N_kj + alpha - 1 scaled to 1 over k
/// Source     Asuncion, Welling, Smyth, Teh, On smoothing and inference for topic models, UAI 2009, section 2.1 (MAP);
///            as Apache Spark MLlib's EMLDAOptimizer
/// Cost       per iteration 6 * topics operations and one division per word of a document, in single precision; memory
///            4 * topics bytes per document, 8 * topics * W bytes per thread and twice more; messages per iteration: 8
///            * topics * W bytes
/// Parallel   collective over comm; the start is the same for any np and threads, sums to single precision
[[nodiscard]] EmResult run_em(const Documents& documents, const EmParams& params, Comm& comm, const Progress& progress);

}  // namespace sparkgap::lda
