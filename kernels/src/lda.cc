// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "lda.h"

#include <algorithm>
#include <cmath>

#include "error.h"
#include "exact_sum.h"
#include "examples.h"
#include "kernel.h"
#include "long_rows.h"
#include "parallel.h"
#include "stopwatch.h"
#include "topic_pass.h"

namespace sparkgap::lda {
namespace {

/// N_wk, N_k and N_kj, and a table of phi for each thread.
class Counts {
 public:
  Counts(const Documents& documents, const Params& params, double alpha, double eta, Comm& comm)
      : documents_(documents), topics_(params.topics), width_(padded_topics(params.topics)), alpha_(alpha - 1), eta_(eta - 1), comm_(comm),
        words_(static_cast<size_t>(documents.vocabulary * topics_)), of_topic_(static_cast<size_t>(topics_)),
        of_document_(static_cast<size_t>(documents.size() * width_)), tables_(static_cast<size_t>(threads())) {
    for (size_t part = 0; part <= tables_.size(); ++part) {  // as many words each, not as many documents
      const int64_t at = cut(static_cast<int64_t>(documents.words.size()), static_cast<int64_t>(tables_.size()), static_cast<int64_t>(part));
      cuts_.push_back(std::lower_bound(documents.starts.begin(), documents.starts.end(), at) - documents.starts.begin());
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
    const double of_documents = comm_.allreduce(parallel_sum<ExactSum>(documents_.size(), 256, [&](int64_t begin, int64_t end) {
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
                              if (std::all_of(counts, counts + topics_, [](double count) { return count == 0; })) continue;
                              for (int64_t k = 0; k < topics_; ++k) sum.add(eta_ * std::log((counts[k] + eta_) / smoothed(k)));
                            }
                            return sum;
                          }).value();
  }

  std::vector<double> take_words() { return std::move(words_); }

 private:
  TopicPass pass(Buffer<float>& table) { return {topics_, static_cast<float>(alpha_), table.data(), of_document_.data()}; }
  double smoothed(int64_t k) const { return of_topic_[static_cast<size_t>(k)] + static_cast<double>(documents_.vocabulary) * eta_; }

  template <typename Body>
  void each_part(Body&& body) {
    parallel_for(static_cast<int64_t>(tables_.size()), [&](int64_t part) { body(tables_[static_cast<size_t>(part)], cuts_[static_cast<size_t>(part)], cuts_[static_cast<size_t>(part) + 1]); });
  }

  /// theta of a document, scaled to sum 1.
  std::vector<double> theta_of(int64_t document) const {
    std::vector<double> theta(static_cast<size_t>(topics_));
    double sum = 0;
    for (size_t k = 0; k < theta.size(); ++k) sum += theta[k] = of_document_[static_cast<size_t>(document * width_) + k] + alpha_;
    for (double& value : theta) value /= sum;
    return theta;
  }

  /// From what the threads added up to N_wk and N_k of all ranks, and to new tables. scaled: each is to be taken phi times.
  void gather(bool scaled) {
    parallel_ranges(documents_.vocabulary, 256, [&](int64_t begin, int64_t end) {
      for (int64_t w = begin; w < end; ++w)
        for (int64_t k = 0; k < topics_; ++k) {
          const auto at = static_cast<size_t>(w * 2 * width_ + k);
          double sum = 0;
          for (const Buffer<float>& table : tables_) sum += static_cast<double>(table[at + static_cast<size_t>(width_)]);
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
          for (int64_t k = 0; k < topics_; ++k) row[k] = static_cast<float>((words_[static_cast<size_t>(w * topics_ + k)] + eta_) / smoothed(k));
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

double concentration(const char* name, const std::optional<double>& given, double automatic) {
  if (given && !(*given > 1)) throw Error(Exit::kArguments, name, "more than 1, which EM needs", std::to_string(*given), "Leave it out or raise it");
  return given.value_or(automatic);
}

}  // namespace

Result run(const Documents& documents, const Params& params, Comm& comm, const Progress& progress) {
  Result result;
  result.alpha = concentration("doc_concentration", params.doc_concentration, 50.0 / static_cast<double>(params.topics) + 1);
  result.eta = concentration("topic_concentration", params.topic_concentration, 1.1);
  if (comm.allreduce(static_cast<int64_t>(documents.words.size())) == 0) throw Error(Exit::kData, "data", "at least one word with a count above 0", "none", "Check the table");
  progress("start");
  Counts counts(documents, params, result.alpha, result.eta, comm);
  while (result.iterations < params.max_iterations) {
    counts.iterate();
    progress("compute", ++result.iterations, params.max_iterations);
  }
  result.log_likelihood = counts.log_likelihood();
  result.log_prior = counts.log_prior();
  result.words = counts.take_words();
  return result;
}

const Spec kSpec{
    .name = "lda",
    .family = "ml",
    .summary = "Topics of documents: latent Dirichlet allocation by expectation maximisation.",
    .inputs = {{.name = "data", .required = true, .doc = "One row per document, or one per document and word."}},
    .parameters =
        {{.name = "features", .kind = Kind::kColumns, .fallback = {}, .doc = "Documents as vectors of counts: one column of vectors or arrays, or several of numbers; else doc and word.",
          .of = "data", .accepts = "features"},
         {.name = "doc", .kind = Kind::kColumn, .fallback = {}, .doc = "Instead of features: column of documents, whole numbers.", .of = "data", .accepts = "number"},
         {.name = "word", .kind = Kind::kColumn, .fallback = {}, .doc = "With doc: column of words, whole numbers from 0 on.", .of = "data", .accepts = "number"},
         {.name = "count", .kind = Kind::kColumn, .fallback = {}, .doc = "With doc: column that says how often; without one each row counts once.", .of = "data", .accepts = "number"},
         {.name = "k", .kind = Kind::kInt, .fallback = int64_t{10}, .doc = "How many topics.", .unit = "topics", .min = 2, .max = 65536},
         {.name = "max_iter", .kind = Kind::kInt, .fallback = int64_t{20}, .doc = "How many iterations.", .unit = "iterations", .min = 0},
         {.name = "doc_concentration", .kind = Kind::kDouble, .fallback = {}, .doc = "Above 1; larger: documents are more even mixtures. None: 50 / k + 1.", .min = 1},
         {.name = "topic_concentration", .kind = Kind::kDouble, .fallback = {}, .doc = "Above 1; larger: topics have more even words. None: 1.1.", .min = 1},
         {.name = "seed", .kind = Kind::kInt, .fallback = int64_t{0}, .doc = "Other seeds start from other shares.", .min = -9223372036854775808.0, .max = 9223372036854774784.0}},
    .output = {{"word", "bigint"}, {"topic", "bigint"}, {"value", "double"}},
    .match = "epsilon",
    .epsilon = 1e-4,
    .source = "Asuncion, Welling, Smyth, Teh 2009, On smoothing and inference for topic models",
};

}  // namespace sparkgap::lda

namespace sparkgap {
namespace {

Documents read_documents(const Inputs& inputs, const Values& values, Comm& comm) {
  const bool vectors = values.at("features").index() != 0, doc = find_string(values, "doc").has_value(), word = find_string(values, "word").has_value(), count = find_string(values, "count").has_value();
  if (vectors ? doc || word || count : !doc || !word)
    throw Error(Exit::kArguments, "features", vectors ? "nothing beside features" : "features, or doc and word", vectors ? "doc, word or count" : doc || word ? "one of these" : "neither",
                "Name either a column of vectors or columns of documents and words");
  const Table& data = inputs.at("data");
  if (!vectors) return documents_of(data, count, comm);
  return documents_of(Examples(data, get_columns(values, "features").size(), false, false, comm).features(), comm);
}

Output run_lda(const Inputs& inputs, const Values& values, Comm& comm, const Progress& progress) {
  const lda::Params params{.topics = get_int(values, "k"),
                           .max_iterations = get_int(values, "max_iter"),
                           .doc_concentration = find_double(values, "doc_concentration"),
                           .topic_concentration = find_double(values, "topic_concentration"),
                           .seed = static_cast<uint64_t>(get_int(values, "seed"))};
  progress("build");
  const Stopwatch build;
  const Documents documents = read_documents(inputs, values, comm);
  const double build_s = build.seconds();
  const Stopwatch compute;
  lda::Result result = lda::run(documents, params, comm, progress);
  const double compute_s = compute.seconds();
  Output output = long_rows({"word", "topic"}, static_cast<size_t>(params.topics), std::move(result.words), comm);
  output.build_s = build_s;
  output.compute_s = compute_s;
  output.iterations = result.iterations;
  output.figures = {{"objective", {result.log_likelihood}}, {"log_prior", {result.log_prior}}, {"doc_concentration", {result.alpha}}, {"topic_concentration", {result.eta}},
                    {"vocabulary", {static_cast<double>(documents.vocabulary)}}};
  return output;
}

}  // namespace

const Kernel kKernel{lda::kSpec, run_lda};

}  // namespace sparkgap
