// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "lda/lda_online.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "arithmetic/counter_hash.h"
#include "arithmetic/exact_sum.h"
#include "arithmetic/wide.h"
#include "lda/polygamma.h"
#include "process/parallel.h"

namespace sparkgap::lda {
namespace {

/// What random numbers are for; documents' gammas count on by iteration.
enum Draw : uint64_t { kTimes = uint64_t{1} << 62, kLambda, kNormal, kAccept };

typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

/// Doubles for k topics and for n words, so that they are whole vectors.
size_t padded(size_t n) { return (n + 3) / 4 * 4; }

/// For each of n words, four at a time: r = count / (b . theta), then sum += r b. b is [word][topics]; both lengths are
/// padded, with zeroes.
SPARKGAP_WIDE void add_shares(const double* b, const double* counts, size_t n, size_t topics, const double* theta,
                              double* r, double* sum) {
  const size_t quads = topics / 4;
  const Four* factor = reinterpret_cast<const Four*>(theta);
  Four* total = reinterpret_cast<Four*>(sum);
  for (size_t i = 0; i < n; i += 4) {
    const Four *first = reinterpret_cast<const Four*>(b + i * topics), *second = first + quads, *third = second + quads,
               *fourth = third + quads;
    Four u = {}, v = {}, w = {}, x = {};
    for (size_t q = 0; q < quads; ++q) {
      u += first[q] * factor[q];
      v += second[q] * factor[q];
      w += third[q] * factor[q];
      x += fourth[q] * factor[q];
    }
    const Four low =
        __builtin_shufflevector(u, v, 0, 4, 2, 6) + __builtin_shufflevector(u, v, 1, 5, 3, 7);  // u01 v01 u23 v23
    const Four high = __builtin_shufflevector(w, x, 0, 4, 2, 6) + __builtin_shufflevector(w, x, 1, 5, 3, 7);
    const Four z =
        __builtin_shufflevector(low, high, 0, 1, 4, 5) + __builtin_shufflevector(low, high, 2, 3, 6, 7) + 1e-100;
    const Four share = *reinterpret_cast<const Four*>(counts + i) / z;
    *reinterpret_cast<Four*>(r + i) = share;
    for (size_t q = 0; q < quads; ++q)
      total[q] += share[0] * first[q] + share[1] * second[q] + (share[2] * third[q] + share[3] * fourth[q]);
  }
}

/// A document's gamma, e^(E log theta), padded, and count / norm of phi for its words, padded.
struct Mixture {
  std::vector<double> gamma, theta, r;
};

/// A thread's sums over its documents.
struct Sums {
  Buffer<double> words;           ///< sum of c phi / e^(E log beta), [word * topics + topic]
  std::vector<double> log_theta;  ///< sum of E log theta
  double documents = 0;
};

class Online {
 public:
  Online(const Documents& documents, const OnlineParams& params, Comm& comm)
      : documents_(documents), params_(params), comm_(comm), topics_(static_cast<size_t>(params.topics)),
        total_(comm.allreduce(documents.size())), alpha_(params.alpha),
        lambda_(static_cast<size_t>(documents.vocabulary) * topics_), beta_(lambda_.size()), of_topic_(topics_) {
    parallel_ranges(documents.vocabulary, 256, [&](int64_t begin, int64_t end) {
      for (auto i = static_cast<size_t>(begin) * topics_; i < static_cast<size_t>(end) * topics_; ++i)
        lambda_[i] = first_lambda(params.seed, static_cast<int64_t>(i / topics_), static_cast<int64_t>(i % topics_));
    });
    expect_beta();
  }

  void iterate(int64_t iteration) {
    const std::vector<Drawn> drawn = draw(iteration);
    const int64_t parts = threads();
    std::vector<Sums> of_part(static_cast<size_t>(parts));
    parallel_for(parts, [&](int64_t part) {
      Sums& sums = of_part[static_cast<size_t>(part)];
      sums.words = Buffer<double>(lambda_.size());
      sums.log_theta.resize(topics_);
      const auto n = static_cast<int64_t>(drawn.size());
      for (int64_t i = cut(n, parts, part), end = cut(n, parts, part + 1); i < end; ++i)
        add(drawn[static_cast<size_t>(i)].document, drawn[static_cast<size_t>(i)].times, iteration, sums);
    });
    std::vector<double> words(lambda_.size()), rest(topics_ + 1);
    parallel_ranges(static_cast<int64_t>(words.size()), 8192, [&](int64_t begin, int64_t end) {
      for (const Sums& sums : of_part)
        for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) words[i] += sums.words[i];
    });
    for (const Sums& sums : of_part) {
      for (size_t k = 0; k < topics_; ++k) rest[k] += sums.log_theta[k];
      rest[topics_] += sums.documents;
    }
    comm_.allreduce(std::span<double>(words));
    comm_.allreduce(std::span<double>(rest));
    if (rest[topics_] == 0) return;  // no document was drawn: nothing was learnt

    const double share = std::pow(params_.offset + static_cast<double>(iteration), -params_.decay);
    const double scale = static_cast<double>(total_) / std::ceil(params_.rate * static_cast<double>(total_));
    for (size_t i = 0; i < words.size(); ++i)
      lambda_[i] = (1 - share) * lambda_[i] + share * (words[i] * beta_[i] * scale + params_.eta);
    if (params_.optimize_alpha) improve_alpha(rest, share);
    expect_beta();
  }

  /// As MLlib's LocalLDAModel.logLikelihood, the documents' part from one more draw; from all where it draws none.
  double bound(int64_t iteration) {
    std::vector<Drawn> drawn = draw(iteration), all;
    for (int64_t j = 0; j < documents_.size(); ++j)
      if (is_there(j)) all.push_back({j, 1});
    if (comm_.allreduce(static_cast<int64_t>(drawn.size())) == 0) drawn = all;
    double times = 0;
    for (const Drawn& document : drawn) times += document.times;
    const double scale =
        static_cast<double>(comm_.allreduce(static_cast<int64_t>(all.size()))) / comm_.allreduce(times);
    const double of_documents =
        parallel_sum<ExactSum>(static_cast<int64_t>(drawn.size()), 16, [&](int64_t begin, int64_t end) {
          ExactSum sum;
          for (int64_t i = begin; i < end; ++i)
            sum.add(drawn[static_cast<size_t>(i)].times * bound_of(drawn[static_cast<size_t>(i)].document, iteration));
          return sum;
        }).value();
    const double of_words =
        parallel_sum<ExactSum>(documents_.vocabulary, 256, [&](int64_t begin, int64_t end) {
          ExactSum sum;
          for (auto i = static_cast<size_t>(begin) * topics_; i < static_cast<size_t>(end) * topics_; ++i)
            sum.add((params_.eta - lambda_[i]) * std::log(beta_[i]) + std::lgamma(lambda_[i]) -
                    std::lgamma(params_.eta));
          return sum;
        }).value();
    double of_topics = 0;
    for (const double all : of_topic_)
      of_topics += std::lgamma(params_.eta * static_cast<double>(documents_.vocabulary)) - std::lgamma(all);
    return scale * comm_.allreduce(of_documents) + of_words + of_topics;
  }

  std::vector<double> lambda_now() const { return lambda_; }
  std::vector<double> alpha_now() const { return alpha_; }

 private:
  struct Drawn {
    int64_t document;
    double times;
  };
  std::vector<Drawn> draw(int64_t iteration) const {
    std::vector<Drawn> drawn;
    for (int64_t j = 0; j < documents_.size(); ++j)
      if (is_there(j))
        if (const int64_t times =
                times_drawn(params_.seed, iteration, documents_.names[static_cast<size_t>(j)], params_.rate);
            times > 0)
          drawn.push_back({j, static_cast<double>(times)});
    return drawn;
  }
  static double sum_of(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum;
  }
  bool is_there(int64_t j) const {
    return documents_.starts[static_cast<size_t>(j)] < documents_.starts[static_cast<size_t>(j) + 1];
  }

  /// beta = e^(E log beta), kept above 0.
  void expect_beta() {
    std::fill(of_topic_.begin(), of_topic_.end(), 0.0);
    for (size_t i = 0; i < lambda_.size(); i += topics_)
      for (size_t k = 0; k < topics_; ++k) of_topic_[k] += lambda_[i + k];
    std::vector<double> of_all;
    for (const double all : of_topic_) of_all.push_back(digamma(all));
    parallel_ranges(documents_.vocabulary, 256, [&](int64_t begin, int64_t end) {
      for (auto i = static_cast<size_t>(begin) * topics_; i < static_cast<size_t>(end) * topics_; ++i)
        beta_[i] = std::max(std::exp(digamma(lambda_[i]) - of_all[i % topics_]), 1e-300);
    });
  }

  void expect_theta(Mixture& mixture) const {
    const double all = digamma(sum_of(mixture.gamma));
    for (size_t k = 0; k < topics_; ++k) mixture.theta[k] = std::exp(digamma(mixture.gamma[k]) - all);
  }

  Mixture infer(int64_t j, int64_t iteration) const {
    constexpr int kMostRepetitions = 1000;
    const auto first = static_cast<size_t>(documents_.starts[static_cast<size_t>(j)]),
               n = static_cast<size_t>(documents_.starts[static_cast<size_t>(j) + 1]) - first;
    const size_t width = padded(topics_), length = padded(n);
    std::vector<double> b(length * width), counts(length), sum(width);
    for (size_t i = 0; i < n; ++i) {
      std::copy_n(&beta_[documents_.words[first + i] * topics_], topics_, &b[i * width]);
      counts[i] = static_cast<double>(documents_.counts[first + i]);
    }
    Mixture mixture{std::vector<double>(topics_), std::vector<double>(width), std::vector<double>(length)};
    for (size_t k = 0; k < topics_; ++k)
      mixture.gamma[k] =
          first_gamma(params_.seed, iteration, documents_.names[static_cast<size_t>(j)], static_cast<int64_t>(k));
    expect_theta(mixture);
    for (int repetition = 0;; ++repetition) {
      std::fill(sum.begin(), sum.end(), 0.0);
      add_shares(b.data(), counts.data(), length, width, mixture.theta.data(), mixture.r.data(), sum.data());
      double moved = 0;
      for (size_t k = 0; k < topics_; ++k) {
        const double gamma = mixture.theta[k] * sum[k] + alpha_[k];
        moved += std::abs(gamma - mixture.gamma[k]);
        mixture.gamma[k] = gamma;
      }
      expect_theta(mixture);
      if (moved > 1e-3 * static_cast<double>(topics_) && repetition < kMostRepetitions) continue;
      add_shares(b.data(), counts.data(), length, width, mixture.theta.data(), mixture.r.data(), sum.data());
      return mixture;
    }
  }

  double bound_of(int64_t j, int64_t iteration) const {
    const Mixture mixture = infer(j, iteration);
    const double all = sum_of(mixture.gamma);
    double sum = std::lgamma(sum_of(alpha_)) - std::lgamma(all);
    for (auto i = static_cast<size_t>(documents_.starts[static_cast<size_t>(j)]), at = size_t{0};
         i < static_cast<size_t>(documents_.starts[static_cast<size_t>(j) + 1]); ++i, ++at) {
      const auto count = static_cast<double>(documents_.counts[i]);
      sum += count * std::log(count / mixture.r[at]);
    }
    for (size_t k = 0; k < topics_; ++k)
      sum += (alpha_[k] - mixture.gamma[k]) * (digamma(mixture.gamma[k]) - digamma(all)) +
             std::lgamma(mixture.gamma[k]) - std::lgamma(alpha_[k]);
    return sum;
  }

  void add(int64_t j, double times, int64_t iteration, Sums& sums) const {
    const Mixture mixture = infer(j, iteration);
    const auto first = static_cast<size_t>(documents_.starts[static_cast<size_t>(j)]),
               last = static_cast<size_t>(documents_.starts[static_cast<size_t>(j) + 1]);
    for (size_t i = 0; i < last - first; ++i)
      for (size_t k = 0; k < topics_; ++k)
        sums.words[documents_.words[first + i] * topics_ + k] += times * mixture.r[i] * mixture.theta[k];
    for (size_t k = 0; k < topics_; ++k) sums.log_theta[k] += times * std::log(mixture.theta[k]);
    sums.documents += times;
  }

  /// One step of Newton's method, whose Hessian is a diagonal and a constant (Huang 2005).
  void improve_alpha(const std::vector<double>& rest, double share) {
    const double n = rest[topics_], all = sum_of(alpha_);
    std::vector<double> gradient(topics_), diagonal(topics_);
    double ratio = 0, inverse = 1 / (n * trigamma(all));
    for (size_t k = 0; k < topics_; ++k) {
      gradient[k] = n * (digamma(all) - digamma(alpha_[k]) + rest[k] / n);
      diagonal[k] = -n * trigamma(alpha_[k]);
      ratio += gradient[k] / diagonal[k];
      inverse += 1 / diagonal[k];
    }
    std::vector<double> next = alpha_;
    for (size_t k = 0; k < topics_; ++k) next[k] -= share * (gradient[k] - ratio / inverse) / diagonal[k];
    if (std::all_of(next.begin(), next.end(), [](double alpha) { return alpha > 0; })) alpha_ = next;
  }

  const Documents& documents_;
  const OnlineParams& params_;
  Comm& comm_;
  const size_t topics_;
  const int64_t total_;  ///< documents of all ranks
  std::vector<double> alpha_, lambda_, beta_, of_topic_;
};

}  // namespace

double random_gamma(uint64_t seed, uint64_t a, uint64_t b, uint64_t c) {
  constexpr double kShape = 100, d = kShape - 1.0 / 3;  // Marsaglia, Tsang 2000
  const uint64_t of = counter_hash(seed, a, b, c);
  for (uint64_t n = 0;; ++n) {
    const double u = 1 - counter_uniform(of, kNormal, n, 0),
                 angle = 2 * std::numbers::pi * counter_uniform(of, kNormal, n, 1);
    const double x = std::sqrt(-2 * std::log(u)) * std::cos(angle), v = std::pow(1 + x / std::sqrt(9 * d), 3);
    if (v > 0 && std::log(1 - counter_uniform(of, kAccept, n)) < x * x / 2 + d - d * v + d * std::log(v))
      return d * v / kShape;
  }
}

int64_t times_drawn(uint64_t seed, int64_t iteration, int64_t document, double rate) {
  double left = counter_uniform(seed, kTimes, static_cast<uint64_t>(iteration), static_cast<uint64_t>(document)),
         chance = std::exp(-rate);
  for (int64_t times = 0;; chance *= rate / static_cast<double>(++times))
    if ((left -= chance) < 0 || chance == 0) return times;
}

double first_lambda(uint64_t seed, int64_t word, int64_t topic) {
  return random_gamma(seed, kLambda, static_cast<uint64_t>(word), static_cast<uint64_t>(topic));
}

double first_gamma(uint64_t seed, int64_t iteration, int64_t document, int64_t topic) {
  return random_gamma(seed, static_cast<uint64_t>(iteration), static_cast<uint64_t>(document),
                      static_cast<uint64_t>(topic));
}

OnlineResult run_online(const Documents& documents, const OnlineParams& params, Comm& comm, const Progress& progress) {
  Online online(documents, params, comm);
  for (int64_t iteration = 1; iteration <= params.max_iterations; ++iteration) {
    online.iterate(iteration);
    progress("compute", iteration, params.max_iterations);
  }
  progress("bound");
  const double bound = online.bound(params.max_iterations + 1);
  return {online.lambda_now(), online.alpha_now(), bound};
}

}  // namespace sparkgap::lda
