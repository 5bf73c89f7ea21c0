// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "buffers/buffer.h"
#include "learn/feature_matrix.h"
#include "mpi/comm.h"

namespace sparkgap {

/// This rank's documents, each a run of words with how often they occur. A word may occur in a document twice: the
/// counts add up.
struct Documents {
  Buffer<int64_t> starts;  ///< of each document's words, and one more
  Buffer<int64_t> names;   ///< by document: the same for any number of ranks
  Buffer<uint32_t> words;
  Buffer<float> counts;    ///< above 0
  int64_t vocabulary = 0;  ///< words are below it; the same on every rank

  int64_t size() const { return static_cast<int64_t>(names.size()); }
};

/// Vectors of counts, a document per row, named by the row's number among all ranks' rows. Zeroes are left out.
/// Collective.
/// Errors     kData: a count below 0, NaN or infinite
[[nodiscard]] Documents documents_of(const FeatureMatrix& features, Comm& comm);

/// A row per document and word, on any rank, in any order: columns document and word, whole numbers, word at least 0,
/// and where `counted` how often. Each document goes to one rank. The vocabulary is the greatest word and one.
/// Collective.
/// Errors     kData: a null, a word that is negative or above 4294967294, a count below 0, NaN or infinite
[[nodiscard]] Documents documents_of(const Table& table, bool counted, Comm& comm);

}  // namespace sparkgap
