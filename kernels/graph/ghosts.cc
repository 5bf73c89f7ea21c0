// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "graph/ghosts.h"

#include <bit>
#include <cstring>

#include "buffers/shared_bits.h"

namespace sparkgap {
namespace {

/// A set of vertices in which each has a position, by number.
class Positions {
 public:
  Positions(const Graph& graph, std::initializer_list<Adjacency*> arcs) : words_(words_for(graph.vertices)) {
    Buffer<uint64_t> met(words_.size());
    for (const Adjacency* one : arcs)
      parallel_ranges(one->arcs(), 1 << 16, [&](int64_t begin, int64_t end) {
        for (auto k = static_cast<size_t>(begin); k < static_cast<size_t>(end); ++k)
          claim_bit(met.data(), one->ends[k]);
      });
    for (int64_t own = graph.first; own < graph.first + graph.rows;) {
      const auto bit = static_cast<size_t>(own % 64);
      const int64_t bits = std::min<int64_t>(64 - own % 64, graph.first + graph.rows - own);
      met[static_cast<size_t>(own / 64)] &= ~(~uint64_t{0} >> (64 - bits) << bit);
      own += bits;
    }
    for (size_t i = 0; i < words_.size(); ++i) {
      words_[i] = {met[i], size_};
      size_ += static_cast<uint32_t>(std::popcount(met[i]));
    }
  }

  uint32_t size() const { return size_; }
  uint32_t of(uint32_t vertex) const {
    const Word& word = words_[vertex / 64];
    return word.before + static_cast<uint32_t>(std::popcount(word.bits & ((uint64_t{1} << vertex % 64) - 1)));
  }
  /// body(vertex) by number.
  template <typename Body>
  void each(Body&& body) const {
    for (size_t i = 0; i < words_.size(); ++i)
      for (uint64_t left = words_[i].bits; left != 0; left &= left - 1)
        body(static_cast<uint32_t>(i * 64) + static_cast<uint32_t>(std::countr_zero(left)));
  }

 private:
  struct Word {
    uint64_t bits;
    uint32_t before;  ///< in all words before
  };
  Buffer<Word> words_;
  uint32_t size_ = 0;
};

}  // namespace

Ghosts::Ghosts(const Graph& graph, std::initializer_list<Adjacency*> arcs, Comm& comm)
    : graph_(graph), comm_(comm), are_all_(comm.size() <= kFewRanks), rows_(graph.rows),
      own_(are_all_ ? graph.first : 0), places_(graph.vertices), counts_(graph.counts) {
  if (are_all_) {
    counts_[static_cast<size_t>(comm.rank())] = 0;
    wanted_counts_.assign(counts_.size(), rows_);
    wanted_counts_[static_cast<size_t>(comm.rank())] = 0;
  } else {
    find(arcs);
  }
}

void Ghosts::find(std::initializer_list<Adjacency*> arcs) {
  const Positions ghosts(graph_, arcs);
  places_ = rows_ + ghosts.size();
  numbers_ = Buffer<uint32_t>(ghosts.size(), Content::kAnything);
  std::fill(counts_.begin(), counts_.end(), 0);
  size_t at = 0;
  ghosts.each([&](uint32_t vertex) {
    numbers_[at++] = vertex;
    ++counts_[static_cast<size_t>(graph_.rank_of(vertex))];
  });
  wanted_ = comm_.alltoallv<uint32_t>(numbers_.span(), counts_, wanted_counts_);
  for (uint32_t& vertex : wanted_) vertex -= static_cast<uint32_t>(graph_.first);
  for (Adjacency* one : arcs) {
    Buffer<uint32_t>& ends = ends_.emplace_back(one->ends.size(), Content::kAnything);
    parallel_ranges(one->arcs(), 1 << 16, [&](int64_t begin, int64_t end) {
      for (auto k = static_cast<size_t>(begin); k < static_cast<size_t>(end); ++k) {
        const uint32_t vertex = one->ends[k];
        const auto row = static_cast<uint64_t>(static_cast<int64_t>(vertex) - graph_.first);
        ends[k] = static_cast<uint32_t>(
            row < static_cast<uint64_t>(rows_) ? row : static_cast<uint64_t>(rows_) + ghosts.of(vertex));
      }
    });
    one->ends = ends.span();
  }
}

void Ghosts::take_home(std::span<uint8_t> flags) {
  if (comm_.size() == 1) return;
  std::vector<uint32_t> found;
  std::vector<int64_t> counts(counts_.size()), received;
  each_owner([&](size_t rank, int64_t place) {
    uint8_t *const begin = flags.data() + place, *const end = begin + counts_[rank];
    for (uint8_t* at = begin; at != end; ++at) {
      at = static_cast<uint8_t*>(std::memchr(at, 1, static_cast<size_t>(end - at)));
      if (at == nullptr) break;
      *at = 0;
      found.push_back(static_cast<uint32_t>(at - begin));
      ++counts[rank];
    }
  });
  const std::vector<uint32_t> told = comm_.alltoallv<uint32_t>(found, counts, received);
  auto one = told.begin();
  size_t first = 0;
  for (size_t rank = 0; rank < received.size(); first += static_cast<size_t>(wanted_counts_[rank++]))
    for (const auto end = one + received[rank]; one != end; ++one)
      flags[static_cast<size_t>(own_) + (are_all_ ? *one : wanted_[first + *one])] = 1;
}

}  // namespace sparkgap
