// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "lda/lda_em.h"

#include <algorithm>
#include <cmath>

#include "arithmetic/exact_sum.h"
#include "lda/topic_pass.h"
#include "process/parallel.h"

namespace sparkgap::lda {
namespace {

/// N_wk, N_k and N_kj, and a table of phi for each thread.
class Counts {
 public:
  Counts(const Documents& documents, const EmParams& params, Comm& comm)
      : documents_(documents), topics_(params.topics), width_(padded_topics(params.topics)), alpha_(params.alpha - 1),
        eta_(params.eta - 1), comm_(comm), words_(static_cast<size_t>(documents.vocabulary * topics_)),
        of_topic_(static_cast<size_t>(topics_)), of_document_(static_cast<size_t>(documents.size() * width_)),
        tables_(static_cast<size_t>(threads())) {
    for (size_t part = 0; part <= tables_.size(); ++part) {  // as many words each, not as many documents
      const int64_t at = cut(static_cast<int64_t>(documents.words.size()), static_cast<int64_t>(tables_.size()),
                             static_cast<int64_t>(part));
      cuts_.push_back(std::lower_bound(documents.starts.begin(), documents.starts.end(), at) -
                      documents.starts.begin());
    }
    cuts_.back() = documents.size();
    each_part([&](Buffer<float>& table, int64_t begin, int64_t end) {
      table = Buffer<float>(static_cast<size_t>(documents.vocabulary * 2 * width_));
      pass(table).start(documents, begin, end, params.seed);
    });
    gather(false);
  }

  void iterate() {
    each_part([&](Buffer<float>& table, int64_t begin, int64_t end) { pass(table).run(documents_, begin, end); });
    gather(true);
  }

  double log_likelihood() {
    const TopicPass any = pass(tables_[0]);
    return comm_.allreduce(parallel_sum<ExactSum>(documents_.size(), 64, [&](int64_t begin, int64_t end) {
                             ExactSum sum;
                             sum.add(any.log_likelihood(documents_, begin, end));
                             return sum;
                           }).value());
  }

  double log_prior() const {
    const double of_documents = comm_.allreduce(
        parallel_sum<ExactSum>(documents_.size(), 256, [&](int64_t begin, int64_t end) {
          ExactSum sum;
          for (int64_t j = begin; j < end; ++j)
            if (documents_.starts[static_cast<size_t>(j)] < documents_.starts[static_cast<size_t>(j) + 1])
              for (const double theta : theta_of(j)) sum.add(alpha_ * std::log(theta));
          return sum;
        }).value());
    return of_documents + parallel_sum<ExactSum>(documents_.vocabulary, 256, [&](int64_t begin, int64_t end) {
                            ExactSum sum;
                            for (int64_t w = begin; w < end; ++w) {
                              const double* counts = &words_[static_cast<size_t>(w * topics_)];
                              if (std::all_of(counts, counts + topics_, [](double count) { return count == 0; }))
                                continue;
                              for (int64_t k = 0; k < topics_; ++k)
                                sum.add(eta_ * std::log((counts[k] + eta_) / smoothed(k)));
                            }
                            return sum;
                          }).value();
  }

  std::vector<double> take_words() { return std::move(words_); }

 private:
  TopicPass pass(Buffer<float>& table) {
    return {topics_, static_cast<float>(alpha_), table.data(), of_document_.data()};
  }
  double smoothed(int64_t k) const {
    return of_topic_[static_cast<size_t>(k)] + static_cast<double>(documents_.vocabulary) * eta_;
  }

  template <typename Body>
  void each_part(Body&& body) {
    parallel_for(static_cast<int64_t>(tables_.size()), [&](int64_t part) {
      body(tables_[static_cast<size_t>(part)], cuts_[static_cast<size_t>(part)], cuts_[static_cast<size_t>(part) + 1]);
    });
  }

  /// theta of a document, scaled to sum 1.
  std::vector<double> theta_of(int64_t document) const {
    std::vector<double> theta(static_cast<size_t>(topics_));
    double sum = 0;
    for (size_t k = 0; k < theta.size(); ++k)
      sum += theta[k] = of_document_[static_cast<size_t>(document * width_) + k] + alpha_;
    for (double& value : theta) value /= sum;
    return theta;
  }

  /// From what the threads added up to N_wk and N_k of all ranks, and to new tables. scaled: each is to be taken phi
  /// times.
  void gather(bool scaled) {
    parallel_ranges(documents_.vocabulary, 256, [&](int64_t begin, int64_t end) {
      for (int64_t w = begin; w < end; ++w)
        for (int64_t k = 0; k < topics_; ++k) {
          const auto at = static_cast<size_t>(w * 2 * width_ + k);
          double sum = 0;
          for (const Buffer<float>& table : tables_)
            sum += static_cast<double>(table[at + static_cast<size_t>(width_)]);
          words_[static_cast<size_t>(w * topics_ + k)] = scaled ? sum * static_cast<double>(tables_[0][at]) : sum;
        }
    });
    comm_.allreduce(std::span<double>(words_));
    std::fill(of_topic_.begin(), of_topic_.end(), 0.0);
    for (size_t i = 0; i < words_.size(); i += of_topic_.size())
      for (size_t k = 0; k < of_topic_.size(); ++k) of_topic_[k] += words_[i + k];
    parallel_ranges(documents_.vocabulary, 256, [&](int64_t begin, int64_t end) {
      for (Buffer<float>& table : tables_)
        for (int64_t w = begin; w < end; ++w) {
          float* row = &table[static_cast<size_t>(w * 2 * width_)];
          for (int64_t k = 0; k < topics_; ++k)
            row[k] = static_cast<float>((words_[static_cast<size_t>(w * topics_ + k)] + eta_) / smoothed(k));
          std::fill_n(row + width_, width_, 0.0f);
        }
    });
  }

  const Documents& documents_;
  const int64_t topics_, width_;
  const double alpha_, eta_;  ///< less 1
  Comm& comm_;
  std::vector<double> words_, of_topic_;
  Buffer<float> of_document_;
  std::vector<Buffer<float>> tables_;
  std::vector<int64_t> cuts_;  ///< which documents belong to which table
};

}  // namespace

EmResult run_em(const Documents& documents, const EmParams& params, Comm& comm, const Progress& progress) {
  Counts counts(documents, params, comm);
  for (int64_t iteration = 1; iteration <= params.max_iterations; ++iteration) {
    counts.iterate();
    progress("compute", iteration, params.max_iterations);
  }
  const double likelihood = counts.log_likelihood(), prior = counts.log_prior();
  return {counts.take_words(), likelihood, prior};
}

}  // namespace sparkgap::lda
