// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "lda/lda_documents.h"

#include <algorithm>
#include <cmath>

#include "ids/key_table.h"
#include "process/error.h"
#include "process/parallel.h"
#include "rows/partitions.h"

namespace sparkgap {
namespace {

/// One row of the table.
struct Occurrence {
  int64_t document;
  uint32_t word;
  float count;
};

/// The rows of this rank that count something, as they come.
std::vector<Occurrence> occurrences(const Table& table, bool counted) {
  std::vector<std::vector<Occurrence>> of_batch(table.batches.size());
  const auto refuse = [&](size_t column, const std::string& expected, const std::string& found) {
    throw Error(Exit::kData, table.name + "." + table.column_names[column], expected, found, "Fill, map or drop them");
  };
  parallel_for(static_cast<int64_t>(table.batches.size()), [&](int64_t i) {
    const Batch& batch = table.batches[static_cast<size_t>(i)];
    const auto rows = static_cast<size_t>(batch.rows);
    for (size_t column = 0; column < (counted ? 3 : 2); ++column)
      for (int64_t row = 0; batch.columns[column].validity != nullptr && row < batch.rows; ++row)
        if (batch.columns[column].is_null(row)) refuse(column, "no nulls", "one");
    std::vector<double> documents(rows), words(rows), counts(rows, 1);
    copy_numbers(batch.columns[0], 0, batch.rows, documents.data());
    copy_numbers(batch.columns[1], 0, batch.rows, words.data());
    if (counted) copy_numbers(batch.columns[2], 0, batch.rows, counts.data());
    for (size_t row = 0; row < rows; ++row) {
      if (!(std::abs(documents[row]) <= 9007199254740992.0) || documents[row] != std::floor(documents[row]))
        refuse(0, "whole numbers up to 2^53", std::to_string(documents[row]));
      if (!(words[row] >= 0 && words[row] <= 4294967294.0) || words[row] != std::floor(words[row]))
        refuse(1, "whole numbers from 0 to 4294967294", std::to_string(words[row]));
      if (!(counts[row] >= 0 && std::isfinite(counts[row])))
        refuse(2, "finite numbers of at least 0", std::to_string(counts[row]));
      if (counts[row] > 0)
        of_batch[static_cast<size_t>(i)].push_back(
            {static_cast<int64_t>(documents[row]), static_cast<uint32_t>(words[row]), static_cast<float>(counts[row])});
    }
  });
  std::vector<Occurrence> all;
  size_t rows = 0;
  for (const auto& part : of_batch) rows += part.size();
  all.reserve(rows);
  for (auto& part : of_batch) {
    all.insert(all.end(), part.begin(), part.end());
    part = {};
  }
  return all;
}

/// Each document's rows at the rank that its name falls to.
std::vector<Occurrence> exchanged(std::vector<Occurrence> rows, Comm& comm) {
  if (comm.size() == 1) return rows;
  const auto ranks = static_cast<size_t>(comm.size());
  const auto rank_of = [&](const Occurrence& row) { return mix(row.document) % ranks; };
  std::vector<int64_t> counts(ranks), next(ranks), received;
  for (const Occurrence& row : rows) ++counts[rank_of(row)];
  for (size_t rank = 1; rank < ranks; ++rank) next[rank] = next[rank - 1] + counts[rank - 1];
  std::vector<Occurrence> sorted(rows.size());
  for (const Occurrence& row : rows) sorted[static_cast<size_t>(next[rank_of(row)]++)] = row;
  return comm.alltoallv(std::span<const Occurrence>(sorted), counts, received);
}

}  // namespace

Documents documents_of(const FeatureMatrix& features, Comm& comm) {
  const int64_t first = comm.exscan(features.rows()), n = features.rows();
  Documents documents{
      Buffer<int64_t>(static_cast<size_t>(n) + 1), Buffer<int64_t>(static_cast<size_t>(n)), {}, {}, features.width()};
  parallel_ranges(n, 256, [&](int64_t begin, int64_t end) {
    features.for_rows(begin, end, [&](int64_t row, int64_t entries, const int32_t*, const double* value) {
      int64_t above = 0;
      bool below = false;
      for (int64_t i = 0; i < entries; ++i) {
        above += value[i] > 0;
        below |= value[i] < 0;
      }
      if (below) features.refuse("counts of at least 0", "one below", row, "Drop or correct it");
      documents.names[static_cast<size_t>(row)] = first + row;
      documents.starts[static_cast<size_t>(row) + 1] = above;
    });
  });
  for (size_t row = 0; row < static_cast<size_t>(n); ++row) documents.starts[row + 1] += documents.starts[row];
  const auto total = static_cast<size_t>(documents.starts[static_cast<size_t>(n)]);
  documents.words = Buffer<uint32_t>(total, Content::kAnything);
  documents.counts = Buffer<float>(total, Content::kAnything);
  parallel_ranges(n, 256, [&](int64_t begin, int64_t end) {
    features.for_rows(begin, end, [&](int64_t row, int64_t entries, const int32_t* index, const double* value) {
      auto at = static_cast<size_t>(documents.starts[static_cast<size_t>(row)]);
      for (int64_t i = 0; i < entries; ++i) {
        if (!(value[i] > 0)) continue;
        documents.words[at] = static_cast<uint32_t>(index == nullptr ? i : index[i]);
        documents.counts[at++] = static_cast<float>(value[i]);
      }
    });
  });
  return documents;
}

Documents documents_of(const Table& table, bool counted, Comm& comm) {
  const std::vector<Occurrence> rows = exchanged(occurrences(table, counted), comm);
  KeyTable numbers;
  std::vector<uint32_t> number(rows.size());
  int64_t greatest = -1;
  for (size_t i = 0; i < rows.size(); ++i) {
    number[i] = i > 0 && rows[i].document == rows[i - 1].document
                    ? number[i - 1]
                    : numbers.insert(rows[i].document, mix(rows[i].document));
    greatest = std::max<int64_t>(greatest, rows[i].word);
  }
  Documents documents{Buffer<int64_t>(numbers.size() + size_t{1}), Buffer<int64_t>(numbers.size()),
                      Buffer<uint32_t>(rows.size(), Content::kAnything), Buffer<float>(rows.size(), Content::kAnything),
                      comm.allreduce(greatest, Reduce::kMax) + 1};
  std::copy(numbers.keys().begin(), numbers.keys().end(), documents.names.begin());
  std::vector<int64_t> next(numbers.size() + size_t{1});
  for (const uint32_t document : number) ++next[document + size_t{1}];
  for (size_t document = 0; document < numbers.size(); ++document) next[document + 1] += next[document];
  std::copy(next.begin(), next.end(), documents.starts.begin());
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto at = static_cast<size_t>(next[number[i]]++);
    documents.words[at] = rows[i].word;
    documents.counts[at] = rows[i].count;
  }
  return documents;
}

}  // namespace sparkgap
