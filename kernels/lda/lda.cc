// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "lda/lda.h"

#include <algorithm>

#include "lda/lda_em.h"
#include "lda/lda_online.h"
#include "lda/topic_pass.h"
#include "learn/examples.h"
#include "process/error.h"
#include "process/stopwatch.h"
#include "rows/long_rows.h"
#include "spec/kernel.h"

namespace sparkgap::lda {
namespace {

double concentration(const char* name, const std::optional<double>& given, Optimizer optimizer, double automatic) {
  const double least = optimizer == Optimizer::kEm ? 1 : 0;
  if (given && !(*given > least))
    throw Error(Exit::kArguments, name, optimizer == Optimizer::kEm ? "more than 1, which em needs" : "more than 0",
                std::to_string(*given), "Leave it out or raise it");
  return given.value_or(automatic);
}

/// online: lambda, beta, and their next sums, of all and of each thread; em: counts, and tables of two floats for each
/// thread, with a mixture of each document. Rank 0 makes rows of the model, of 24 bytes. Documents that come word by
/// word are sorted before that.
double memory(const LearningJob& job, const Values& values) {
  constexpr double kRowBytes = 24;
  const bool vectors = job.width > 0, em = get_string(values, "optimizer") == "em";
  const int64_t k = get_int(values, "k");
  const double model = static_cast<double>(k) * (vectors ? job.width : job.distinct);
  const double sorting = vectors ? 0 : job.rows * (job.ranks > 1 ? 48 : 40);
  const double documents = 16 * job.rows + 8 * (vectors ? job.stored : job.rows);
  const double mixtures = job.rows * (em ? 4 * static_cast<double>(padded_topics(k)) : 16);
  const double tables = (em ? 8 : 24) + 8 * job.threads;
  return std::max(sorting, documents + mixtures + model * ((job.ranks - 1) * tables + std::max(tables, kRowBytes)));
}

}  // namespace

Result run(const Documents& documents, const Params& params, Comm& comm, const Progress& progress) {
  const bool em = params.optimizer == Optimizer::kEm;
  const auto k = static_cast<double>(params.topics);
  const double alpha =
      concentration("doc_concentration", params.doc_concentration, params.optimizer, em ? 50 / k + 1 : 1 / k);
  const double eta =
      concentration("topic_concentration", params.topic_concentration, params.optimizer, em ? 1.1 : 1 / k);
  if (comm.allreduce(static_cast<int64_t>(documents.words.size())) == 0)
    throw Error(Exit::kData, "data", "at least one word with a count above 0", "none", "Check the table");
  progress("start");
  const std::vector<double> of_topic(static_cast<size_t>(params.topics), alpha);
  if (em) {
    EmResult result =
        run_em(documents, {params.topics, params.max_iterations, alpha, eta, params.seed}, comm, progress);
    return {std::move(result.words), of_topic, eta, result.log_likelihood, result.log_prior};
  }
  OnlineResult result =
      run_online(documents,
                 {params.topics, params.max_iterations, of_topic, eta, params.optimize_doc_concentration,
                  params.learning_offset, params.learning_decay, params.subsampling_rate, params.seed},
                 comm, progress);
  return {std::move(result.lambda), std::move(result.alpha), eta, result.bound, {}};
}

const Spec kSpec{
    .name = "lda",
    .family = "ml",
    .summary = "Topics of documents: latent Dirichlet allocation.",
    .inputs = {{.name = "data", .required = true, .doc = "One row per document, or one per document and word."}},
    .parameters =
        {{.name = "features",
          .kind = Kind::kColumns,
          .fallback = {},
          .doc = "Documents as vectors of counts: one column of vectors (sparse ones are read as they are) or of "
                 "arrays of numbers, or several columns of numbers; finite and at least 0.",
          .of = "data",
          .accepts = "features"},
         {.name = "doc",
          .kind = Kind::kColumn,
          .fallback = {},
          .doc = "Instead of features: column of documents, whole numbers.",
          .of = "data",
          .accepts = "number"},
         {.name = "word",
          .kind = Kind::kColumn,
          .fallback = {},
          .doc = "With doc: column of words, whole numbers from 0 on.",
          .of = "data",
          .accepts = "number"},
         {.name = "count",
          .kind = Kind::kColumn,
          .fallback = {},
          .doc = "With doc: column that says how often, finite and at least 0; without one each row counts once.",
          .of = "data",
          .accepts = "number"},
         {.name = "k",
          .kind = Kind::kInt,
          .fallback = int64_t{10},
          .doc = "How many topics.",
          .unit = "topics",
          .min = 2,
          .max = 65536},
         {.name = "max_iter",
          .kind = Kind::kInt,
          .fallback = int64_t{20},
          .doc = "How many iterations.",
          .unit = "iterations",
          .min = 0},
         {.name = "optimizer",
          .kind = Kind::kChoice,
          .fallback = std::string("online"),
          .doc = "online: variational Bayes on draws of documents; em: expectation maximisation on all.",
          .choices = {"online", "em"}},
         {.name = "doc_concentration",
          .kind = Kind::kDouble,
          .fallback = {},
          .doc =
              "The larger, the more even are documents' mixtures of topics. em: above 1. None: 1 / k; em: 50 / k + 1.",
          .min = 0},
         {.name = "topic_concentration",
          .kind = Kind::kDouble,
          .fallback = {},
          .doc = "The larger, the more even are topics' words. em: above 1. None: 1 / k; em: 1.1.",
          .min = 0},
         {.name = "learning_offset",
          .kind = Kind::kDouble,
          .fallback = 1024.0,
          .doc = "online: iteration t counts (learning_offset + t) ** -learning_decay.",
          .min = 0,
          .min_exclusive = true},
         {.name = "learning_decay",
          .kind = Kind::kDouble,
          .fallback = 0.51,
          .doc = "online: as said at learning_offset.",
          .min = 0},
         {.name = "subsampling_rate",
          .kind = Kind::kDouble,
          .fallback = 0.05,
          .doc = "online: how many of the documents an iteration draws.",
          .min = 0,
          .max = 1,
          .min_exclusive = true},
         {.name = "optimize_doc_concentration",
          .kind = Kind::kBool,
          .fallback = true,
          .doc = "online: whether doc_concentration is learnt, topic by topic."},
         {.name = "seed",
          .kind = Kind::kInt,
          .fallback = int64_t{0},
          .doc = "Other seeds start from other shares.",
          .min = -9223372036854775808.0,
          .max = 9223372036854774784.0}},
    .output = {{.name = "word", .type = "bigint", .doc = "from 0"},
               {.name = "topic", .type = "bigint", .doc = "from 0"},
               {.name = "value",
                .type = "double",
                .doc = "online: the parameter of the word in the topic; em: how many of its occurrences are from it"}},
    .match = "epsilon",
    .epsilon = 1e-4,
    .source =
        "Hoffman, Blei, Bach 2010, Online learning for latent Dirichlet allocation; Asuncion, Welling, Smyth, Teh "
        "2009, On smoothing and inference for topic models",
    .notes =
        "As MLlib's LDA. Neither or both of features and doc is an ArgumentError; the rows of a document may lie "
        "anywhere, and rows of the same word add up. em runs in single precision: the likelihood is within 1e-6 of "
        "what double precision gives. The same seed starts from the same shares for every ranks x threads.",
    .refuses = "NaN, counts below 0, words that are no whole numbers, no word at all",
    .figures = {{"objective", "the logarithm of the likelihood, online: its lower bound"},
                {"doc_concentration", "by topic"},
                {"topic_concentration", "the one that was used"},
                {"vocabulary", "how many words"},
                {"log_prior", "em only"}},
    .memory = {.learning = memory, .distinct = "word"},
};

}  // namespace sparkgap::lda

namespace sparkgap {
namespace {

Documents read_documents(const Inputs& inputs, const Values& values, Comm& comm) {
  const bool vectors = values.at("features").index() != 0, doc = find_string(values, "doc").has_value(),
             word = find_string(values, "word").has_value(), count = find_string(values, "count").has_value();
  if (vectors ? doc || word || count : !doc || !word)
    throw Error(Exit::kArguments, "features", vectors ? "nothing beside features" : "features, or doc and word",
                vectors       ? "doc, word or count"
                : doc || word ? "one of these"
                              : "neither",
                "Name either a column of vectors or columns of documents and words");
  const Table& data = inputs.at("data");
  if (!vectors) return documents_of(data, count, comm);
  return documents_of(Examples(data, get_columns(values, "features").size(), false, false, comm).features(), comm);
}

Output run_lda(const Inputs& inputs, const Values& values, Comm& comm, const Progress& progress) {
  const lda::Params params{
      .optimizer = get_string(values, "optimizer") == "em" ? lda::Optimizer::kEm : lda::Optimizer::kOnline,
      .topics = get_int(values, "k"),
      .max_iterations = get_int(values, "max_iter"),
      .doc_concentration = find_double(values, "doc_concentration"),
      .topic_concentration = find_double(values, "topic_concentration"),
      .learning_offset = get_double(values, "learning_offset"),
      .learning_decay = get_double(values, "learning_decay"),
      .subsampling_rate = get_double(values, "subsampling_rate"),
      .optimize_doc_concentration = get_bool(values, "optimize_doc_concentration"),
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
  output.iterations = params.max_iterations;
  output.figures = {{"objective", {result.objective}},
                    {"doc_concentration", result.alpha},
                    {"topic_concentration", {result.eta}},
                    {"vocabulary", {static_cast<double>(documents.vocabulary)}}};
  if (result.log_prior) output.figures["log_prior"] = {*result.log_prior};
  return output;
}

}  // namespace

const Kernel kKernel{lda::kSpec, run_lda};

}  // namespace sparkgap
