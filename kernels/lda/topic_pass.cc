// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "lda/topic_pass.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "arithmetic/counter_hash.h"
#include "arithmetic/wide.h"

namespace sparkgap {
namespace {

typedef float Four __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t Places __attribute__((vector_size(16)));
typedef uint32_t Bits __attribute__((vector_size(16)));

/// kQuads vectors of four topics each, known to the compiler so that a document's stay in registers; 0: `quads` of
/// them, in `scratch`.
template <int kQuads>
[[gnu::always_inline]] inline void pass(const TopicPass& state, const Documents& all, int64_t begin, int64_t end,
                                        int quads, Four* scratch) {
  constexpr int kMost = kQuads > 0 ? kQuads : 1;
  constexpr int64_t kAhead = 24;
  const int n_quads = kQuads > 0 ? kQuads : quads;
  const int64_t width = 4 * n_quads, stride = 2 * width, stored = static_cast<int64_t>(all.words.size());
  const uint32_t* words = all.words.data();
  Four own_theta[kMost], own_sum[kMost];
  Four *theta = kQuads > 0 ? own_theta : scratch, *sum = kQuads > 0 ? own_sum : scratch + quads;
  for (int64_t document = begin; document < end; ++document) {
    float* of_document = state.documents + document * width;
    const int64_t first = all.starts[static_cast<size_t>(document)],
                  last = all.starts[static_cast<size_t>(document) + 1];
    for (int q = 0; q < n_quads; ++q) {
      theta[q] = *reinterpret_cast<const Four*>(of_document + 4 * q) + state.alpha;
      sum[q] = Four{};
    }
    for (int64_t i = first; i < last; i += 4) {
      Four* row[4];
      Four count = {}, z[4] = {};
      for (int w = 0; w < 4; ++w) {
        const int64_t at = std::min<int64_t>(i + w, last - 1);  // beyond the end: the last again, with count 0
        row[w] = reinterpret_cast<Four*>(state.words + words[at] * stride);
        count[w] = i + w < last ? all.counts[static_cast<size_t>(at)] : 0;
        const float* ahead = state.words + words[std::min(i + w + kAhead, stored - 1)] * stride;
        for (int64_t byte = 0; byte < stride; byte += 16) __builtin_prefetch(ahead + byte, 1);
      }
      for (int q = 0; q < n_quads; ++q)
        for (int w = 0; w < 4; ++w) z[w] += row[w][q] * theta[q];
      const Four low =
          __builtin_shufflevector(z[0], z[1], 0, 1, 4, 5) + __builtin_shufflevector(z[0], z[1], 2, 3, 6, 7);
      const Four high =
          __builtin_shufflevector(z[2], z[3], 0, 1, 4, 5) + __builtin_shufflevector(z[2], z[3], 2, 3, 6, 7);
      const Four r =
          count / (__builtin_shufflevector(low, high, 0, 2, 4, 6) + __builtin_shufflevector(low, high, 1, 3, 5, 7));
      for (int w = 0; w < 4; ++w)
        for (int q = 0; q < n_quads; ++q) {
          sum[q] += r[w] * row[w][q];
          row[w][n_quads + q] += r[w] * theta[q];
        }
    }
    for (int q = 0; q < n_quads; ++q) *reinterpret_cast<Four*>(of_document + 4 * q) = theta[q] * sum[q];
  }
}

[[gnu::always_inline]] inline void choose(const TopicPass& state, const Documents& all, int64_t begin, int64_t end) {
  const auto quads = static_cast<int>(padded_topics(state.topics) / 4);
  switch (quads) {
    case 1:
      return pass<1>(state, all, begin, end, quads, nullptr);
    case 2:
      return pass<2>(state, all, begin, end, quads, nullptr);
    case 3:
      return pass<3>(state, all, begin, end, quads, nullptr);
    case 4:
      return pass<4>(state, all, begin, end, quads, nullptr);
    case 5:
      return pass<5>(state, all, begin, end, quads, nullptr);
    default:
      break;
  }
  std::vector<float> scratch(static_cast<size_t>(8 * quads));
  pass<0>(state, all, begin, end, quads, reinterpret_cast<Four*>(scratch.data()));
}

void choose_2(const TopicPass& state, const Documents& all, int64_t begin, int64_t end) {
  choose(state, all, begin, end);
}
#ifdef __x86_64__
[[SPARKGAP_LANES_4]] void choose_4(const TopicPass& state, const Documents& all, int64_t begin, int64_t end) {
  choose(state, all, begin, end);
}
[[SPARKGAP_LANES_8]] void choose_8(const TopicPass& state, const Documents& all, int64_t begin, int64_t end) {
  choose(state, all, begin, end);
}
#else
constexpr auto choose_4 = choose_2, choose_8 = choose_2;
#endif

float sum_of(const Four& v) { return (v[0] + v[2]) + (v[1] + v[3]); }

/// What random_shares() says before they are scaled: `shares` has room for whole vectors. Returns their sum.
[[gnu::always_inline]] inline float shares_of(uint64_t seed, int64_t document, uint32_t word, int64_t topics,
                                              Four* shares) {
  const uint64_t hash = counter_hash(seed, static_cast<uint64_t>(document), word);
  const auto low = static_cast<uint32_t>(hash), high = static_cast<uint32_t>(hash >> 32);
  Bits topic = {0, 1, 2, 3};
  Four sum = {};
  for (int64_t k = 0; k < topics; k += 4, topic += 4) {
    Bits bits = low + topic * 0x9e3779b9u;
    bits = (bits ^ (bits >> 16)) * 0x7feb352du;
    bits = (bits ^ (bits >> 15) ^ high) * 0x846ca68bu;
    bits = (bits ^ (bits >> 16)) >> 8;
    Four share = __builtin_convertvector((Places)bits, Four) * 0x1p-24f + 0x1p-25f;
    if (k + 4 > topics) share = topic < static_cast<uint32_t>(topics) ? share : Four{};
    shares[k / 4] = share;
    sum += share;
  }
  return sum_of(sum);
}

SPARKGAP_WIDE void start_documents(const TopicPass& state, const Documents& all, int64_t begin, int64_t end,
                                   uint64_t seed, Four* shares) {
  const int64_t width = padded_topics(state.topics), quads = width / 4;
  for (int64_t document = begin; document < end; ++document) {
    Four* of_document = reinterpret_cast<Four*>(state.documents + document * width);
    const auto last = static_cast<size_t>(all.starts[static_cast<size_t>(document) + 1]);
    for (auto i = static_cast<size_t>(all.starts[static_cast<size_t>(document)]); i < last; ++i) {
      const float scale =
          all.counts[i] / shares_of(seed, all.names[static_cast<size_t>(document)], all.words[i], state.topics, shares);
      Four* sum = reinterpret_cast<Four*>(state.words + all.words[i] * 2 * width + width);
      for (int64_t q = 0; q < quads; ++q) {
        of_document[q] += scale * shares[q];
        sum[q] += scale * shares[q];
      }
    }
  }
}

SPARKGAP_WIDE double log_likelihood_of(const TopicPass& state, const Documents& all, int64_t begin, int64_t end,
                                       Four* theta) {
  const int64_t width = padded_topics(state.topics), quads = width / 4;
  double total = 0;
  for (int64_t document = begin; document < end; ++document) {
    const Four* of_document = reinterpret_cast<const Four*>(state.documents + document * width);
    double scale = 0;  // of theta
    for (int64_t k = 0; k < state.topics; ++k)
      scale += static_cast<double>(state.documents[document * width + k] + state.alpha);
    for (int64_t q = 0; q < quads; ++q) theta[q] = of_document[q] + state.alpha;  // beyond the last topic phi is 0
    const double log_scale = std::log(scale);
    const auto last = static_cast<size_t>(all.starts[static_cast<size_t>(document) + 1]);
    for (auto i = static_cast<size_t>(all.starts[static_cast<size_t>(document)]); i < last; ++i) {
      const Four* phi = reinterpret_cast<const Four*>(state.words + all.words[i] * 2 * width);
      Four z = {};
      for (int64_t q = 0; q < quads; ++q) z += phi[q] * theta[q];
      total += static_cast<double>(all.counts[i]) * (std::log(static_cast<double>(sum_of(z))) - log_scale);
    }
  }
  return total;
}

}  // namespace

void TopicPass::run(const Documents& all, int64_t begin, int64_t end, int lanes) const {
  (lanes == 8 ? choose_8 : lanes == 4 ? choose_4 : choose_2)(*this, all, begin, end);
}

void TopicPass::start(const Documents& all, int64_t begin, int64_t end, uint64_t seed) const {
  std::vector<float> shares(static_cast<size_t>(padded_topics(topics)));
  start_documents(*this, all, begin, end, seed, reinterpret_cast<Four*>(shares.data()));
}

double TopicPass::log_likelihood(const Documents& all, int64_t begin, int64_t end) const {
  std::vector<float> theta(static_cast<size_t>(padded_topics(topics)));
  return log_likelihood_of(*this, all, begin, end, reinterpret_cast<Four*>(theta.data()));
}

void random_shares(uint64_t seed, int64_t document, uint32_t word, int64_t topics, float* shares) {
  std::vector<float> whole(static_cast<size_t>(padded_topics(topics)));
  const float sum = shares_of(seed, document, word, topics, reinterpret_cast<Four*>(whole.data()));
  for (int64_t k = 0; k < topics; ++k) shares[k] = whole[static_cast<size_t>(k)] / sum;
}

}  // namespace sparkgap
