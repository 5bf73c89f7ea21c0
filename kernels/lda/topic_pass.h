// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "arithmetic/vector_lanes.h"
#include "lda/lda_documents.h"

namespace sparkgap {

/// Floats for k topics, so that they are whole vectors.
inline int64_t padded_topics(int64_t k) { return (k + 3) / 4 * 4; }

/// One pass of LDA's EM over documents: which topics their words are from, all in single precision.
///
/// With phi_wk = (N_wk + eta - 1) / (N_k + W (eta - 1)) and theta_k = N_kj + alpha - 1, word w of document j is from
/// topic k with probability phi_wk theta_k / z, z = sum over k. So one division per word is enough: r = count / z, n +=
/// r phi_w, a_w += r theta; afterwards N_kj = theta n and N_wk = phi_w a_w, which the caller takes. Nothing is stored
/// per word of a document (the same as Lee and Seung's updates).
struct TopicPass {
  int64_t topics;
  float alpha;       ///< alpha - 1
  float* words;      ///< [word][phi padded | a padded], this thread's own: the two are read and written at one place
  float* documents;  ///< [document][padded]: N_kj, replaced

  /// The documents [begin, end), four words at a time.
  void run(const Documents& all, int64_t begin, int64_t end, int lanes = vector_lanes()) const;
  /// Instead, the first time: each word of a document is from topics by random shares, and a_w is their sum.
  void start(const Documents& all, int64_t begin, int64_t end, uint64_t seed) const;
  /// Sum of count * log(sum over k of phi_wk theta_k / sum of theta), by the tables as they are.
  [[nodiscard]] double log_likelihood(const Documents& all, int64_t begin, int64_t end) const;
};

/// The shares of topics that a word of a document starts with: above 0, their sum 1. They depend on the names alone.
void random_shares(uint64_t seed, int64_t document, uint32_t word, int64_t topics, float* shares);

}  // namespace sparkgap
