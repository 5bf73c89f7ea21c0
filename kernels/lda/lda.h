// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lda/lda_documents.h"
#include "mpi/comm.h"
#include "process/progress.h"
#include "spec/spec.h"

namespace sparkgap::lda {

enum class Optimizer { kOnline, kEm };

struct Params {
  Optimizer optimizer;
  int64_t topics;
  int64_t max_iterations;
  std::optional<double> doc_concentration = {};    ///< alpha; none: 1 / topics, kEm: 50 / topics + 1
  std::optional<double> topic_concentration = {};  ///< eta; none: 1 / topics, kEm: 1.1
  double learning_offset = 1024, learning_decay = 0.51, subsampling_rate = 0.05;  ///< kOnline
  bool optimize_doc_concentration = true;                                         ///< kOnline
  uint64_t seed = 0;
};

/// The same on every rank.
struct Result {
  std::vector<double> words;  ///< [word * topics + topic]: kEm: N_wk, 0 for words that are nowhere; kOnline: lambda
  std::vector<double> alpha;  ///< by topic, as used or learnt
  double eta = 0;
  double objective = 0;                  ///< kEm: log likelihood; kOnline: its lower bound
  std::optional<double> log_prior = {};  ///< kEm
};

/// Latent Dirichlet allocation: topics as distributions over words, documents as mixtures of topics.
///
/// Equation   lda_em.h, lda_online.h
/// Source     as Apache Spark MLlib's LDA with both of its optimizers
/// Input      documents; a word twice in a document counts as both together
/// Output     how much each word belongs to each topic
/// Params     optimizer, default kOnline; topics >= 2, default 10; max_iterations >= 0, default 20; doc_concentration,
///            topic_concentration above 0 (kEm: 1); learning_offset above 0, default 1024; learning_decay >= 0, default
///            0.51; subsampling_rate in (0, 1], default 0.05; optimize_doc_concentration, default true; seed
/// Cost       memory 8 bytes per word of a document, and as lda_em.h, lda_online.h say
/// Parallel   collective over comm; what is drawn is the same for any np and threads, sums are to rounding
/// Errors     kArguments: a concentration that is too small; kData: no word at all
[[nodiscard]] Result run(const Documents& documents, const Params& params, Comm& comm, const Progress& progress);

/// Name, inputs, parameters with their defaults, output.
extern const Spec kSpec;

}  // namespace sparkgap::lda
