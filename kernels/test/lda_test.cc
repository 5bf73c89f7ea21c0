// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "lda.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "error_text.h"
#include "kernel.h"
#include "memory_table.h"
#include "test_comm.h"
#include "topic_pass.h"

namespace sparkgap {
namespace {

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
          for (size_t t = 0; t < k; ++t) gamma[t] = (words[e.word][t] + eta - 1) * (documents[e.document][t] + alpha - 1) / (topics[t] + vocabulary * (eta - 1));
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
    const auto phi = [&](int64_t w, size_t t) { return (words[w][t] + eta - 1) / (topics[t] + vocabulary * (eta - 1)); };
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
          SCOPED_TRACE(testing::Message() << topics << " topics, " << iterations << " iterations, small " << small << " threads " << threads);
          omp_set_num_threads(threads);
          lda::Params params{topics, iterations, {}, {}, 3};
          if (small) params.doc_concentration = 1.1, params.topic_concentration = 1.01;
          const double alpha = small ? 1.1 : 50.0 / static_cast<double>(topics) + 1, eta = small ? 1.01 : 1.1;
          const lda::Result found = lda::run(all, params, comm, {});
          EXPECT_EQ(found.alpha, alpha);
          EXPECT_EQ(found.eta, eta);
          Plain plain(entries, params, alpha, eta, 40);
          EXPECT_NEAR(found.log_likelihood, plain.log_likelihood, 2e-6 * std::abs(plain.log_likelihood));
          EXPECT_NEAR(found.log_prior, plain.log_prior, (small ? 1e-3 : 1e-5) * std::abs(plain.log_prior));
          if (small && iterations > 5) continue;  // single cells part ways
          double apart = 0, mass = 0;
          for (int64_t w = 0; w < 40; ++w)
            for (int64_t t = 0; t < topics; ++t) {
              mass += found.words[static_cast<size_t>(w * topics + t)];
              apart += std::abs(found.words[static_cast<size_t>(w * topics + t)] - plain.words[w][static_cast<size_t>(t)]);
            }
          EXPECT_LT(apart, 1e-4 * mass);
        }
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
  const lda::Params params{3, 10, {}, {}, 1};
  const lda::Result vectors = lda::run(documents_of(features, comm), params, comm, {}), rows = lda::run(documents(entries, comm), params, comm, {});
  EXPECT_NEAR(vectors.log_likelihood, rows.log_likelihood, 1e-6 * std::abs(rows.log_likelihood));
  EXPECT_NEAR(vectors.log_prior, rows.log_prior, 1e-6 * std::abs(rows.log_prior));
}

TEST(Lda, FindsTopicsThatShareNoWords) {
  Comm& comm = test_comm();
  std::mt19937_64 random(6);
  std::vector<Entry> entries;
  for (int64_t j = 0; j < 200; ++j)
    for (int n = 0; n < 40; ++n) entries.push_back({j, j % 4 * 25 + static_cast<int64_t>(random() % 25), 1});  // a word twice counts twice
  lda::Params params{4, 100, 1.01, 1.01, 5};
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
  EXPECT_LT(lda::run(documents(entries, comm, false), params, comm, {}).log_likelihood, found.log_likelihood);
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
        for (int64_t t = 0; t < topics; ++t) words[static_cast<size_t>(w * 2 * width + t)] = static_cast<float>(1 + (w * t) % 7);
      const TopicPass pass{topics, 0.5f, words.data(), sums.data()};
      pass.run(all, 0, all.size(), lanes);
      words.insert(words.end(), sums.begin(), sums.end());
      of_lanes.push_back(words);
    }
    for (const auto& found : of_lanes)
      for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], of_lanes[0][i], 1e-5 * (1 + std::abs(of_lanes[0][i])));
  }
}

TEST(Lda, RefusesWhatIsNoDocument) {
  Comm comm;
  const auto refused = [&](const std::vector<Entry>& entries) { return error_text(Exit::kData, [&] { (void)lda::run(documents(entries, comm), {2, 1, {}, {}, 0}, comm, {}); }); };
  const std::string map = " Fill, map or drop them.";
  EXPECT_EQ(refused({{1, -1, 1}}), "data.word: expected whole numbers from 0 to 4294967294, found -1.000000." + map);
  EXPECT_EQ(refused({{1, 1, -2}}), "data.count: expected finite numbers of at least 0, found -2.000000." + map);
  EXPECT_EQ(refused({{1, 1, 0}, {2, 1, 0}}), "data: expected at least one word with a count above 0, found none. Check the table.");
  EXPECT_EQ(error_text(Exit::kArguments, [&] { (void)lda::run(documents({{1, 1, 1}}, comm), {2, 1, 1.0, {}, 0}, comm, {}); }),
            "doc_concentration: expected more than 1, which EM needs, found 1.000000. Leave it out or raise it.");
  const Table below = memory_table("data", {doubles("a", {1, -1})}, comm);
  const FeatureMatrix features(below, 0, 1, comm);
  EXPECT_EQ(error_text(Exit::kData, [&] { (void)documents_of(features, comm); }), "data.a: expected counts of at least 0, found one below in row 2. Drop or correct it.");
}

TEST(Lda, RunsAsAKernel) {
  Comm& comm = test_comm();
  Inputs inputs;
  inputs["data"] = memory_table("data", {longs("d", {1, 1, 2, 2}), longs("w", {0, 1, 1, 3})}, comm);
  const Values values = validate(kKernel.spec, {{"doc", std::string("d")}, {"word", std::string("w")}, {"k", int64_t{2}}});
  const Output output = kKernel.run(inputs, values, comm, {});
  ASSERT_EQ(output.columns.size(), kKernel.spec.output.size());
  for (size_t c = 0; c < output.columns.size(); ++c) EXPECT_EQ(output.columns[c].name, kKernel.spec.output[c].name);
  ASSERT_EQ(comm.allreduce(output.rows), 8);
  EXPECT_EQ(output.figures.at("vocabulary"), std::vector<double>{4});
  EXPECT_EQ(error_text(Exit::kArguments, [&] { (void)kKernel.run(inputs, validate(kKernel.spec, {{"doc", std::string("d")}}), comm, {}); }),
            "features: expected features, or doc and word, found one of these. Name either a column of vectors or columns of documents and words.");
}

}  // namespace
}  // namespace sparkgap
