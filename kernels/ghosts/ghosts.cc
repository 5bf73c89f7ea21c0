// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "ghosts/ghosts.h"

#include <cstring>
#include <numeric>

#include "buffers/shared_bits.h"

namespace sparkgap {
Ghosts::Ghosts(std::vector<int64_t> firsts, int rank)
    : are_all_(true), rank_(static_cast<size_t>(rank)), firsts_(std::move(firsts)), blocks_(firsts_) {
  own_ = blocks_[rank_];
  rows_ = blocks_[rank_ + 1] - own_;
  for (size_t other = 0; other + 1 < blocks_.size(); ++other) {
    counts_.push_back(other == rank_ ? 0 : blocks_[other + 1] - blocks_[other]);
    wanted_counts_.push_back(other == rank_ ? 0 : rows_);
  }
}

Ghosts::Ghosts(Buffer<uint32_t> ghosts, std::vector<int64_t> counts, std::vector<int64_t> firsts, int64_t rows,
               Comm& comm)
    : rank_(static_cast<size_t>(comm.rank())), rows_(rows), firsts_(std::move(firsts)), counts_(std::move(counts)),
      ghosts_(std::move(ghosts)) {
  blocks_.clear();
  int64_t place = 0;
  for (size_t other = 0; other < counts_.size(); ++other) {
    blocks_.push_back(place);
    place += other == rank_ ? rows : counts_[other];
  }
  blocks_.push_back(place);
  own_ = blocks_[rank_];
  wanted_ = comm.alltoallv<uint32_t>(ghosts_.span(), counts_, wanted_counts_);
}

std::optional<uint32_t> Ghosts::find(int64_t number) const {
  if (are_all_) return static_cast<uint32_t>(number);
  const auto behind = std::upper_bound(firsts_.begin() + 1, firsts_.end() - 1, number);
  const auto rank = static_cast<size_t>(behind - firsts_.begin()) - 1;
  const int64_t row = number - firsts_[rank], first = blocks_[rank];
  if (rank == rank_) return static_cast<uint32_t>(own_ + row);
  const uint32_t* const ghosts = known_rows(rank);
  const uint32_t* const end = ghosts + counts_[rank];
  const uint32_t* const at = std::lower_bound(ghosts, end, static_cast<uint32_t>(row));
  if (at == end || *at != row) return std::nullopt;
  return static_cast<uint32_t>(first + (at - ghosts));
}

void Ghosts::bring_bits(std::span<uint64_t> bits, Comm& comm) const {
  if (comm.size() == 1) return;
  // Each rank's begin at a word of their own while they travel.
  std::vector<int64_t> send_words, words;
  for (size_t rank = 0; rank < counts_.size(); ++rank) {
    send_words.push_back(static_cast<int64_t>(words_for(wanted_counts_[rank])));
    words.push_back(static_cast<int64_t>(words_for(counts_[rank])));
  }
  if (are_all_) words[rank_] = static_cast<int64_t>(words_for(rows_));
  Buffer<uint64_t> got(static_cast<size_t>(std::accumulate(words.begin(), words.end(), int64_t{0})));
  if (are_all_) {
    const int64_t before = std::accumulate(words.begin(), words.begin() + static_cast<int64_t>(rank_), int64_t{0});
    get_bits(bits.data(), own_, rows_, got.data() + before);
    comm.allgatherv(got.span(), words);
  } else {
    Buffer<uint64_t> sent(static_cast<size_t>(std::accumulate(send_words.begin(), send_words.end(), int64_t{0})));
    const uint32_t* rows = wanted_.data();
    uint64_t* to = sent.data();
    for (size_t rank = 0; rank < counts_.size(); rows += wanted_counts_[rank], to += send_words[rank], ++rank)
      parallel_ranges(send_words[rank], kPiece / 64, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t first = 64 * i, last = std::min(first + 64, wanted_counts_[rank]);
          uint64_t word = 0;
          for (int64_t k = first; k < last; ++k) {
            const uint64_t at = static_cast<uint64_t>(own_) + rows[k];
            word |= (bits[at / 64] >> at % 64 & 1) << (k - first);
          }
          to[i] = word;
        }
      });
    comm.alltoallv<uint64_t>(sent.span(), send_words, got.span(), words);
  }
  const uint64_t* from = got.data();
  for (size_t rank = 0; rank < counts_.size(); from += words[rank++])
    if (rank != rank_) put_bits(from, counts_[rank], bits.data(), blocks_[rank]);
}

void Ghosts::take_home(std::span<uint8_t> flags, Comm& comm) const {
  if (comm.size() == 1) return;
  std::vector<uint32_t> found;
  each_range([&](int64_t begin, int64_t end) {
    for (uint8_t *at = flags.data() + begin, *const last = flags.data() + end; at != last; ++at) {
      at = static_cast<uint8_t*>(std::memchr(at, 1, static_cast<size_t>(last - at)));
      if (at == nullptr) break;
      *at = 0;
      found.push_back(static_cast<uint32_t>(at - flags.data()));
    }
  });
  tell_owners([&](auto&& visit) { std::for_each(found.begin(), found.end(), visit); },
              [&](size_t, uint32_t row) { flags[static_cast<size_t>(own_) + row] = 1; }, comm);
}

}  // namespace sparkgap
