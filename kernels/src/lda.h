// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "comm.h"
#include "lda_documents.h"
#include "progress.h"
#include "spec.h"

namespace sparkgap::lda {

struct Params {
  int64_t topics;
  int64_t max_iterations;
  std::optional<double> doc_concentration;    ///< alpha; none: 50 / topics + 1
  std::optional<double> topic_concentration;  ///< eta; none: 1.1
  uint64_t seed;
};

/// The same on every rank.
struct Result {
  std::vector<double> words;          ///< N_wk, [word * topics + topic]
  double alpha = 0, eta = 0;          ///< as used
  double log_likelihood = 0;          ///< of the words that are there
  double log_prior = 0;               ///< of the topics' words and the documents' topics, without constants
  int64_t iterations = 0;
};

/// Latent Dirichlet allocation: topics as distributions over words, documents as mixtures of topics, by expectation maximisation.
///
/// Equation   gamma_wjk = (N_wk + eta - 1)(N_kj + alpha - 1) / (N_k + W (eta - 1)), scaled to sum 1 over k; then N_wk = sum_j c_wj gamma_wjk,
///            N_kj = sum_w c_wj gamma_wjk, N_k = sum_w N_wk, c_wj how often word w is in document j, W words. At first gamma is random.
///            log likelihood = sum c_wj log(sum_k phi_wk theta_kj), phi_wk = (N_wk + eta - 1) / (N_k + W (eta - 1)), theta_kj = N_kj + alpha - 1 scaled to 1 over k
/// Source     Asuncion, Welling, Smyth, Teh, On smoothing and inference for topic models, UAI 2009, section 2.1 (MAP); as Apache Spark MLlib's
///            EMLDAOptimizer
/// Input      documents; a word twice in a document counts as both together
/// Output     N_wk: how many words of each kind are from each topic; 0 for words that are nowhere
/// Params     topics >= 2, default 10; max_iterations >= 0, default 20; doc_concentration > 1; topic_concentration > 1; seed
/// Cost       per iteration 6 * topics operations and one division per word of a document, in single precision; memory 8 bytes per word of a document, 4 * topics bytes
///            per document, 8 * topics * W bytes per thread and twice more; messages per iteration: 8 * topics * W bytes
/// Parallel   collective over comm; the start is the same for any np and threads, sums to single precision
/// Errors     kArguments: a concentration of at most 1; kData: no word at all
[[nodiscard]] Result run(const Documents& documents, const Params& params, Comm& comm, const Progress& progress);

/// Name, inputs, parameters with their defaults, output.
extern const Spec kSpec;

}  // namespace sparkgap::lda
