// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "lda/lda.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "lda/lda_online.h"
#include "lda/polygamma.h"
#include "lda/topic_pass.h"
#include "spec/kernel.h"
#include "test/error_text.h"
#include "test/memory_table.h"
#include "test/test_comm.h"

namespace sparkgap {
namespace {

constexpr auto kEm = lda::Optimizer::kEm, kOnline = lda::Optimizer::kOnline;

/// document, word, count
struct Entry {
  int64_t document, word;
  double count;
};

Documents documents(const std::vector<Entry>& entries, Comm& comm, bool counted = true) {
  std::vector<int64_t> document, word;
  std::vector<double> count;
  for (const Entry& e : entries) document.push_back(e.document), word.push_back(e.word), count.push_back(e.count);
  std::vector<MemoryColumn> columns{longs("doc", document), longs("word", word)};
  if (counted) columns.push_back(doubles("count", count));
  const Table table = memory_table("data", std::move(columns), comm, 7);
  return documents_of(table, counted, comm);
}

/// The iterations as the definition reads, in double, gamma written out.
struct Plain {
  std::map<int64_t, std::vector<double>> words, documents;
  std::vector<double> topics;
  double log_likelihood = 0, log_prior = 0;

  Plain(const std::vector<Entry>& entries, const lda::Params& params, double alpha, double eta, double vocabulary) {
    const auto k = static_cast<size_t>(params.topics);
    for (int64_t iteration = 0; iteration <= params.max_iterations; ++iteration) {
      std::map<int64_t, std::vector<double>> next_words, next_documents;
      std::vector<double> next_topics(k);
      for (const Entry& e : entries) {
        if (e.count == 0) continue;
        std::vector<double> gamma(k);
        double sum = 0;
        if (iteration == 0) {
          std::vector<float> shares(k);
          random_shares(params.seed, e.document, static_cast<uint32_t>(e.word), params.topics, shares.data());
          gamma.assign(shares.begin(), shares.end());
        } else {
          for (size_t t = 0; t < k; ++t)
            gamma[t] = (words[e.word][t] + eta - 1) * (documents[e.document][t] + alpha - 1) /
                       (topics[t] + vocabulary * (eta - 1));
        }
        for (const double g : gamma) sum += g;
        next_words.try_emplace(e.word, k), next_documents.try_emplace(e.document, k);
        for (size_t t = 0; t < k; ++t) {
          next_words[e.word][t] += e.count * gamma[t] / sum;
          next_documents[e.document][t] += e.count * gamma[t] / sum;
          next_topics[t] += e.count * gamma[t] / sum;
        }
      }
      words = next_words, documents = next_documents, topics = next_topics;
    }
    const auto phi = [&](int64_t w, size_t t) {
      return (words[w][t] + eta - 1) / (topics[t] + vocabulary * (eta - 1));
    };
    const auto theta = [&](int64_t j, size_t t) {
      double sum = 0;
      for (const double n : documents[j]) sum += n + alpha - 1;
      return (documents[j][t] + alpha - 1) / sum;
    };
    for (const Entry& e : entries) {
      double z = 0;
      for (size_t t = 0; e.count > 0 && t < k; ++t) z += phi(e.word, t) * theta(e.document, t);
      if (e.count > 0) log_likelihood += e.count * std::log(z);
    }
    for (const auto& [w, counts] : words)
      for (size_t t = 0; t < k; ++t) log_prior += (eta - 1) * std::log(phi(w, t));
    for (const auto& [j, counts] : documents)
      for (size_t t = 0; t < k; ++t) log_prior += (alpha - 1) * std::log(theta(j, t));
  }
};

std::vector<Entry> made(int64_t n_documents, int64_t vocabulary, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Entry> entries;
  for (int64_t j = 0; j < n_documents; ++j)
    for (int64_t w = 0; w < vocabulary; ++w)
      if (random() % 3 == 0) entries.push_back({j * 1000 - 7, w, static_cast<double>(random() % 5)});
  std::shuffle(entries.begin(), entries.end(), random);
  return entries;
}

TEST(Lda, IteratesAsDefined) {
  Comm& comm = test_comm();
  const std::vector<Entry> entries = made(30, 40, 1);
  const Documents all = documents(entries, comm);
  ASSERT_EQ(all.vocabulary, 40);
  for (const int64_t topics : {2, 4, 7, 20, 33})
    for (const int64_t iterations : {0, 1, 5, 20})
      for (const bool small : {false, true})
        for (const int threads : {1, 3}) {
          SCOPED_TRACE(testing::Message() << topics << " topics, " << iterations << " iterations, small " << small
                                          << " threads " << threads);
          omp_set_num_threads(threads);
          lda::Params params{.optimizer = kEm, .topics = topics, .max_iterations = iterations, .seed = 3};
          if (small) params.doc_concentration = 1.1, params.topic_concentration = 1.01;
          const double alpha = small ? 1.1 : 50.0 / static_cast<double>(topics) + 1, eta = small ? 1.01 : 1.1;
          const lda::Result found = lda::run(all, params, comm, {});
          EXPECT_EQ(found.alpha, std::vector<double>(static_cast<size_t>(topics), alpha));
          EXPECT_EQ(found.eta, eta);
          Plain plain(entries, params, alpha, eta, 40);
          EXPECT_NEAR(found.objective, plain.log_likelihood, 2e-6 * std::abs(plain.log_likelihood));
          EXPECT_NEAR(*found.log_prior, plain.log_prior, (small ? 1e-3 : 1e-5) * std::abs(plain.log_prior));
          if (small && iterations > 5) continue;  // single cells part ways
          double apart = 0, mass = 0;
          for (int64_t w = 0; w < 40; ++w)
            for (int64_t t = 0; t < topics; ++t) {
              mass += found.words[static_cast<size_t>(w * topics + t)];
              apart +=
                  std::abs(found.words[static_cast<size_t>(w * topics + t)] - plain.words[w][static_cast<size_t>(t)]);
            }
          EXPECT_LT(apart, 1e-4 * mass);
        }
}

/// Online variational Bayes as the paper and MLlib read, phi written out.
struct PlainOnline {
  using Matrix = std::map<int64_t, std::vector<double>>;
  std::map<int64_t, std::vector<std::pair<int64_t, double>>> documents;
  size_t k;
  Matrix lambda;
  std::vector<double> alpha;
  double eta;
  const lda::Params& params;

  PlainOnline(const std::vector<Entry>& entries, const lda::Params& with, int64_t vocabulary)
      : k(static_cast<size_t>(with.topics)), alpha(k, 1.0 / static_cast<double>(k)), eta(1.0 / static_cast<double>(k)),
        params(with) {
    for (const Entry& e : entries)
      if (e.count > 0) documents[e.document].push_back({e.word, e.count});
    for (int64_t w = 0; w < vocabulary; ++w)
      for (size_t t = 0; t < k; ++t) lambda[w].push_back(lda::first_lambda(with.seed, w, static_cast<int64_t>(t)));
    for (int64_t iteration = 1; iteration <= with.max_iterations; ++iteration) iterate(iteration);
  }

  double log_beta(int64_t w, size_t t) const {
    double all = 0;
    for (const auto& [word, row] : lambda) all += row[t];
    return digamma(lambda.at(w)[t]) - digamma(all);
  }
  static std::vector<double> expected_log(const std::vector<double>& of) {
    double all = 0;
    for (const double value : of) all += value;
    std::vector<double> logs;
    for (const double value : of) logs.push_back(digamma(value) - digamma(all));
    return logs;
  }

  std::vector<double> gamma_of(int64_t j, int64_t iteration, const Matrix& beta) const {
    std::vector<double> gamma;
    for (size_t t = 0; t < k; ++t)
      gamma.push_back(lda::first_gamma(params.seed, iteration, j, static_cast<int64_t>(t)));
    for (double moved = 1; moved > 1e-3;) {
      const std::vector<double> log_theta = expected_log(gamma);
      std::vector<double> next = alpha;
      for (const auto& [w, c] : documents.at(j)) {
        std::vector<double> phi;
        double sum = 0;
        for (size_t t = 0; t < k; ++t) sum += phi.emplace_back(std::exp(log_theta[t] + beta.at(w)[t]));
        for (size_t t = 0; t < k; ++t) next[t] += c * phi[t] / sum;
      }
      moved = 0;
      for (size_t t = 0; t < k; ++t) moved += std::abs(next[t] - gamma[t]) / static_cast<double>(k);
      gamma = next;
    }
    return gamma;
  }
  Matrix all_log_beta() const {
    Matrix beta;
    for (const auto& [w, row] : lambda)
      for (size_t t = 0; t < k; ++t) beta[w].push_back(log_beta(w, t));
    return beta;
  }

  void iterate(int64_t iteration) {
    const Matrix beta = all_log_beta();
    Matrix sums;
    std::vector<double> theta_sum(k);
    double drawn = 0;
    for (const auto& [j, words] : documents) {
      const auto times = static_cast<double>(lda::times_drawn(params.seed, iteration, j, params.subsampling_rate));
      if (times == 0) continue;
      drawn += times;
      const std::vector<double> log_theta = expected_log(gamma_of(j, iteration, beta));
      for (const auto& [w, c] : words) {
        double sum = 0;
        for (size_t t = 0; t < k; ++t) sum += std::exp(log_theta[t] + beta.at(w)[t]);
        sums.try_emplace(w, k);
        for (size_t t = 0; t < k; ++t) sums[w][t] += times * c * std::exp(log_theta[t] + beta.at(w)[t]) / sum;
      }
      for (size_t t = 0; t < k; ++t) theta_sum[t] += times * log_theta[t];
    }
    if (drawn == 0) return;
    const auto d = static_cast<double>(documents.size());
    const double r = std::pow(params.learning_offset + static_cast<double>(iteration), -params.learning_decay);
    for (auto& [w, row] : lambda)
      for (size_t t = 0; t < k; ++t)
        row[t] = (1 - r) * row[t] +
                 r * (eta + d / std::ceil(params.subsampling_rate * d) * (sums.contains(w) ? sums[w][t] : 0));
    if (!params.optimize_doc_concentration) return;
    // Newton's step by the Hessian as it is: n (trigamma(sum) - [i = j] trigamma(alpha_i)), solved by elimination.
    double all = 0;
    for (const double a : alpha) all += a;
    std::vector<std::vector<double>> rows(k, std::vector<double>(k + 1));
    for (size_t i = 0; i < k; ++i) {
      for (size_t j = 0; j < k; ++j) rows[i][j] = drawn * (trigamma(all) - (i == j ? trigamma(alpha[i]) : 0));
      rows[i][k] = drawn * (digamma(all) - digamma(alpha[i])) + theta_sum[i];
    }
    for (size_t i = 0; i < k; ++i)
      for (size_t j = 0; j < k; ++j) {
        const double factor = rows[j][i] / rows[i][i];
        for (size_t c = i; j != i && c <= k; ++c) rows[j][c] -= factor * rows[i][c];
      }
    std::vector<double> next = alpha;
    for (size_t i = 0; i < k; ++i) next[i] -= r * rows[i][k] / rows[i][i];
    if (*std::min_element(next.begin(), next.end()) > 0) alpha = next;
  }

  double bound() const {
    const Matrix beta = all_log_beta();
    double sum = 0;
    const auto dirichlet = [](const std::vector<double>& prior, const std::vector<double>& at) {
      const std::vector<double> logs = expected_log(at);
      double value = 0, of_prior = 0, of_at = 0;
      for (size_t i = 0; i < at.size(); ++i) {
        value += (prior[i] - at[i]) * logs[i] + std::lgamma(at[i]) - std::lgamma(prior[i]);
        of_prior += prior[i];
        of_at += at[i];
      }
      return value + std::lgamma(of_prior) - std::lgamma(of_at);
    };
    const int64_t next = params.max_iterations + 1;
    double times_all = 0;
    for (const auto& [j, words] : documents)
      times_all += static_cast<double>(lda::times_drawn(params.seed, next, j, params.subsampling_rate));
    for (const auto& [j, words] : documents) {
      const double times = times_all == 0
                               ? 1
                               : static_cast<double>(lda::times_drawn(params.seed, next, j, params.subsampling_rate)) *
                                     static_cast<double>(documents.size()) / times_all;
      if (times == 0) continue;
      const std::vector<double> gamma = gamma_of(j, next, beta), log_theta = expected_log(gamma);
      for (const auto& [w, c] : words) {
        double z = 0;
        for (size_t t = 0; t < k; ++t) z += std::exp(log_theta[t] + beta.at(w)[t]);
        sum += times * c * std::log(z);
      }
      sum += times * dirichlet(alpha, gamma);
    }
    for (size_t t = 0; t < k; ++t) {
      std::vector<double> of_topic;
      for (const auto& [w, row] : lambda) of_topic.push_back(row[t]);
      sum += dirichlet(std::vector<double>(of_topic.size(), eta), of_topic);
    }
    return sum;
  }
};

TEST(Lda, LearnsOnlineAsDefined) {
  Comm& comm = test_comm();
  const std::vector<Entry> entries = made(30, 25, 2);
  const Documents all = documents(entries, comm);
  for (const int64_t topics : {2, 5})
    for (const double rate : {1e-9, 0.3, 1.0})
      for (const bool optimize : {false, true})
        for (const int threads : {1, 3}) {
          SCOPED_TRACE(testing::Message()
                       << topics << " topics, rate " << rate << " optimize " << optimize << " threads " << threads);
          omp_set_num_threads(threads);
          const lda::Params params{.optimizer = kOnline,
                                   .topics = topics,
                                   .max_iterations = 4,
                                   .learning_offset = 3,
                                   .subsampling_rate = rate,
                                   .optimize_doc_concentration = optimize,
                                   .seed = 11};
          const lda::Result found = lda::run(all, params, comm, {});
          const PlainOnline plain(entries, params, 25);
          for (int64_t w = 0; w < 25; ++w)
            for (size_t t = 0; t < plain.k; ++t)
              EXPECT_NEAR(found.words[static_cast<size_t>(w) * plain.k + t], plain.lambda.at(w)[t],
                          1e-8 * plain.lambda.at(w)[t]);
          for (size_t t = 0; t < plain.k; ++t) EXPECT_NEAR(found.alpha[t], plain.alpha[t], 1e-8);
          EXPECT_EQ(found.alpha[0] != 1.0 / static_cast<double>(topics), optimize && rate > 0.1);
          EXPECT_NEAR(found.objective, plain.bound(), 1e-9 * std::abs(plain.bound()));
        }
}

TEST(Lda, DrawsAsItShould) {
  double sum = 0, squares = 0, times = 0;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    const double gamma = lda::first_gamma(1, 2, i, 3);
    EXPECT_GT(gamma, 0);
    sum += gamma;
    squares += (gamma - 1) * (gamma - 1);
    times += static_cast<double>(lda::times_drawn(1, 2, i, 0.4));
  }
  EXPECT_NEAR(sum / kDraws, 1, 0.004);
  EXPECT_NEAR(squares / kDraws, 0.01, 0.0005);
  EXPECT_NEAR(times / kDraws, 0.4, 0.02);
}

TEST(Lda, VectorsAreTheSameDocuments) {
  Comm comm;
  std::vector<Entry> entries;
  std::vector<std::vector<double>> columns(6, std::vector<double>(9));
  std::mt19937_64 random(2);
  for (int64_t j = 0; j < 9; ++j)
    for (int64_t w = 0; w < 6; ++w) {
      if (j == 4) continue;  // a document without words
      columns[static_cast<size_t>(w)][static_cast<size_t>(j)] = static_cast<double>(random() % 3);
      entries.push_back({j, w, columns[static_cast<size_t>(w)][static_cast<size_t>(j)]});
    }
  std::vector<MemoryColumn> memory;
  for (size_t w = 0; w < 6; ++w) memory.push_back(doubles("w" + std::to_string(w), columns[w]));
  const Table table = memory_table("data", std::move(memory), comm);
  const FeatureMatrix features(table, 0, 6, comm);
  const lda::Params params{.optimizer = kEm, .topics = 3, .max_iterations = 10, .seed = 1};
  const lda::Result vectors = lda::run(documents_of(features, comm), params, comm, {}),
                    rows = lda::run(documents(entries, comm), params, comm, {});
  EXPECT_NEAR(vectors.objective, rows.objective, 1e-6 * std::abs(rows.objective));
  EXPECT_NEAR(*vectors.log_prior, *rows.log_prior, 1e-6 * std::abs(*rows.log_prior));
}

TEST(Lda, FindsTopicsThatShareNoWords) {
  Comm& comm = test_comm();
  std::mt19937_64 random(6);
  std::vector<Entry> entries;
  for (int64_t j = 0; j < 200; ++j)
    for (int n = 0; n < 40; ++n)
      entries.push_back({j, j % 4 * 25 + static_cast<int64_t>(random() % 25), 1});  // a word twice counts twice
  lda::Params params{.optimizer = kEm,
                     .topics = 4,
                     .max_iterations = 100,
                     .doc_concentration = 1.01,
                     .topic_concentration = 1.01,
                     .seed = 5};
  const lda::Result found = lda::run(documents(entries, comm, false), params, comm, {});
  double mass = 0, of_best = 0;
  for (int64_t block = 0; block < 4; ++block) {
    std::vector<double> of_topic(4);
    for (int64_t w = 25 * block; w < 25 * (block + 1); ++w)
      for (int64_t t = 0; t < 4; ++t) of_topic[static_cast<size_t>(t)] += found.words[static_cast<size_t>(w * 4 + t)];
    for (const double n : of_topic) mass += n;
    of_best += *std::max_element(of_topic.begin(), of_topic.end());
  }
  EXPECT_NEAR(mass, 8000, 0.1);
  EXPECT_GT(of_best, 0.7 * mass);
  params.max_iterations = 2;
  EXPECT_LT(lda::run(documents(entries, comm, false), params, comm, {}).objective, found.objective);
}

TEST(Lda, EachWidthOfVectorsGivesTheSame) {
  Comm comm;
  const Documents all = documents(made(20, 30, 4), comm);
  for (const int64_t topics : {3, 20, 50}) {
    const int64_t width = padded_topics(topics);
    std::vector<std::vector<float>> of_lanes;
    for (int lanes = 2; lanes <= vector_lanes(); lanes *= 2) {
      std::vector<float> words(static_cast<size_t>(30 * 2 * width)), sums(static_cast<size_t>(all.size() * width));
      for (int64_t w = 0; w < 30; ++w)
        for (int64_t t = 0; t < topics; ++t)
          words[static_cast<size_t>(w * 2 * width + t)] = static_cast<float>(1 + (w * t) % 7);
      const TopicPass pass{topics, 0.5f, words.data(), sums.data()};
      pass.run(all, 0, all.size(), lanes);
      words.insert(words.end(), sums.begin(), sums.end());
      of_lanes.push_back(words);
    }
    for (const auto& found : of_lanes)
      for (size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(found[i], of_lanes[0][i], 1e-5 * (1 + std::abs(of_lanes[0][i])));
  }
}

TEST(Lda, RefusesWhatIsNoDocument) {
  Comm comm;
  const auto refused = [&](const std::vector<Entry>& entries) {
    return error_text(Exit::kData, [&] {
      (void)lda::run(documents(entries, comm), {.optimizer = kEm, .topics = 2, .max_iterations = 1}, comm, {});
    });
  };
  const std::string map = " Fill, map or drop them.";
  EXPECT_EQ(refused({{1, -1, 1}}), "data.word: expected whole numbers from 0 to 4294967294, found -1.000000." + map);
  EXPECT_EQ(refused({{1, 1, -2}}), "data.count: expected finite numbers of at least 0, found -2.000000." + map);
  EXPECT_EQ(refused({{1, 1, 0}, {2, 1, 0}}),
            "data: expected at least one word with a count above 0, found none. Check the table.");
  EXPECT_EQ(error_text(Exit::kArguments,
                       [&] {
                         (void)lda::run(documents({{1, 1, 1}}, comm),
                                        {.optimizer = kEm, .topics = 2, .max_iterations = 1, .doc_concentration = 1.0},
                                        comm, {});
                       }),
            "doc_concentration: expected more than 1, which em needs, found 1.000000. Leave it out or raise it.");
  const Table below = memory_table("data", {doubles("a", {1, -1})}, comm);
  const FeatureMatrix features(below, 0, 1, comm);
  EXPECT_EQ(error_text(Exit::kData, [&] { (void)documents_of(features, comm); }),
            "data.a: expected counts of at least 0, found one below in row 2. Drop or correct it.");
}

TEST(Lda, RunsAsAKernel) {
  Comm& comm = test_comm();
  Inputs inputs;
  inputs["data"] = memory_table("data", {longs("d", {1, 1, 2, 2}), longs("w", {0, 1, 1, 3})}, comm);
  const Values values = validate(
      kKernel.spec,
      {{"doc", std::string("d")}, {"word", std::string("w")}, {"k", int64_t{2}}, {"optimizer", std::string("em")}});
  const Output output = kKernel.run(inputs, values, comm, {});
  ASSERT_EQ(output.columns.size(), kKernel.spec.output.size());
  for (size_t c = 0; c < output.columns.size(); ++c) EXPECT_EQ(output.columns[c].name, kKernel.spec.output[c].name);
  ASSERT_EQ(comm.allreduce(output.rows), 8);
  EXPECT_EQ(output.figures.at("vocabulary"), std::vector<double>{4});
  EXPECT_EQ(
      error_text(Exit::kArguments,
                 [&] { (void)kKernel.run(inputs, validate(kKernel.spec, {{"doc", std::string("d")}}), comm, {}); }),
      "features: expected features, or doc and word, found one of these. Name either a column of vectors or columns of "
      "documents and words.");
}

}  // namespace
}  // namespace sparkgap
