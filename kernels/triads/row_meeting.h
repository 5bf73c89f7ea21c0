// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "buffers/bit_columns.h"
#include "triads/label_sums.h"
#include "triads/row_block.h"

namespace sparkgap {

/// A row is searched for u's neighbours, instead of being looked up in u's bitmap, where it is that many times longer.
inline constexpr int64_t kSearch = 8;

/// Meets one row at a time with the rows of a block. One per thread. In what follows u > v > w are the labels of a
/// triangle.
template <bool kArcs>
class RowMeeting {
 public:
  RowMeeting(const RowBlock& block, int64_t vertices, LabelSums& sums)
      : block_(block), adder_(sums), bits_(static_cast<size_t>(vertices / 64 + 1)),
        before_(static_cast<size_t>(vertices / 64 + 1)) {}

  /// All triangles of u with v in the block. `mutual` is like `row` where kArcs.
  void meet(uint32_t u, std::span<const uint32_t> row, std::span<const uint8_t> mutual) {
    row_ = row, mutual_ = mutual;
    sort_out_rows();
    if (dense_.empty() && sparse_.empty()) return;
    sums_.assign(row.size(), 0);
    of_u_ = 0;
    make_words();
    if (!dense_.empty()) meet_dense();
    if (!sparse_.empty()) meet_sparse();
    if (of_u_ == 0) return;
    adder_.add(u, of_u_);
    for (size_t i = 0; i < row.size(); ++i)
      if (sums_[i] != 0) adder_.add(row[i], sums_[i]);
  }

 private:
  static constexpr size_t kPlanes = kArcs ? 2 : 1;
  /// The part of u's row in one word of labels.
  struct Word {
    uint32_t index;  ///< label / 64
    uint32_t first;  ///< place in row_ of the lowest bit
    uint64_t bits, mutual;
  };
  struct Dense {
    const uint64_t* words;
    uint32_t label;
    uint32_t at : 31;     ///< in row_
    uint32_t mutual : 1;  ///< u and v are joined both ways
  };
  struct Sparse {
    RowBlock::Place place;
    uint32_t at;
  };

  void sort_out_rows() {
    dense_.clear(), sparse_.clear(), dense_mutual_.clear();
    for (size_t j = 1; j < row_.size(); ++j) {
      if (!block_.has(row_[j])) continue;
      const RowBlock::Place& place = block_.place(row_[j]);
      if (place.length == 0) continue;
      if (!place.dense) {
        block_.prefetch_ends(place);
        sparse_.push_back({place, static_cast<uint32_t>(j)});
        continue;
      }
      const bool mutual = kArcs && mutual_[j] != 0;
      dense_.push_back({block_.words(place), row_[j], static_cast<uint32_t>(j) & 0x7fffffffu, mutual});
      if (mutual) dense_mutual_.push_back(dense_.back());
    }
  }

  void make_words() {
    words_.clear();
    for (size_t i = 0; i < row_.size(); ++i) {
      const uint32_t index = row_[i] / 64;
      if (words_.empty() || words_.back().index != index) words_.push_back({index, static_cast<uint32_t>(i), 0, 0});
      words_.back().bits |= uint64_t{1} << row_[i] % 64;
      if constexpr (kArcs) words_.back().mutual |= uint64_t{mutual_[i]} << row_[i] % 64;
    }
  }

  /// Word by word, so that the counts of a word's columns stay in registers.
  void meet_dense() {
    pairs_.assign(dense_.size(), 0);
    size_t from = 0, from_mutual = 0;  // rows whose labels lie above the word
    for (const Word& word : words_) {
      const uint64_t lowest = uint64_t{word.index} * 64;
      while (from < dense_.size() && dense_[from].label <= lowest) ++from;
      if (from == dense_.size()) break;
      if constexpr (kArcs)
        while (from_mutual < dense_mutual_.size() && dense_mutual_[from_mutual].label <= lowest) ++from_mutual;
      if ((word.bits & (word.bits - 1)) == 0) meet_column(word, from);
      else meet_word(word, from, from_mutual);
    }
    for (size_t j = 0; j < dense_.size(); ++j) {
      sums_[dense_[j].at] += pairs_[j];
      if constexpr (!kArcs) of_u_ += pairs_[j];
    }
  }

  /// A word with one w: no columns to count.
  void meet_column(const Word& word, size_t from) {
    const size_t at = word.index * kPlanes;
    const int bit = std::countr_zero(word.bits);
    const uint32_t of_v = word.mutual != 0 ? 2 : 1;
    uint32_t of_w = 0, of_u = 0;
    for (size_t j = from; j < dense_.size(); ++j) {
      const uint64_t* words = dense_[j].words + at;
      const auto hit = static_cast<uint32_t>(words[0] >> bit & 1);
      if constexpr (kArcs) {
        pairs_[j] += hit * of_v;
        of_w += hit << dense_[j].mutual;
        of_u += hit + static_cast<uint32_t>(words[1] >> bit & 1);
      } else {
        pairs_[j] += hit;
        of_w += hit;
      }
    }
    sums_[word.first] += of_w;
    of_u_ += of_u;
  }

  void meet_word(const Word& word, size_t from, size_t from_mutual) {
    const size_t at = word.index * kPlanes;
    BitColumns columns;
    uint64_t common[8];
    size_t j = from;
    const auto one = [&](const Dense& v, uint32_t& pairs) {
      const uint64_t both = v.words[at] & word.bits;
      pairs += static_cast<uint32_t>(std::popcount(both));
      if constexpr (kArcs) {
        pairs += static_cast<uint32_t>(std::popcount(both & word.mutual));
        of_u_ += std::popcount(both) + std::popcount(v.words[at + 1] & word.bits);
      }
      return both;
    };
    for (; j + 8 <= dense_.size(); j += 8) {
      for (size_t i = 0; i < 8; ++i) common[i] = one(dense_[j + i], pairs_[j + i]);
      columns.add8(common);
    }
    for (; j < dense_.size(); ++j) columns.add(one(dense_[j], pairs_[j]));
    if constexpr (kArcs) {  // an arc more for w where u and v have two
      for (j = from_mutual; j + 8 <= dense_mutual_.size(); j += 8) {
        for (size_t i = 0; i < 8; ++i) common[i] = dense_mutual_[j + i].words[at] & word.bits;
        columns.add8(common);
      }
      for (; j < dense_mutual_.size(); ++j) columns.add(dense_mutual_[j].words[at] & word.bits);
    }
    uint32_t* sums = sums_.data() + word.first;
    for (uint64_t bits = word.bits; bits != 0; bits &= bits - 1) *sums++ += columns.count(std::countr_zero(bits));
  }

  void meet_sparse() {
    bool marked = false;
    for (const Sparse& v : sparse_) {
      if (int64_t{v.at} * kSearch < int64_t{v.place.length}) {
        search(v);
        continue;
      }
      if (!marked) mark();
      marked = true;
      look_up(v);
    }
    if (marked)
      for (const Word& word : words_) bits_[word.index] = 0;
  }
  void mark() {
    for (const Word& word : words_) bits_[word.index] = word.bits, before_[word.index] = word.first;
  }

  /// u's neighbours below v, in v's row.
  void search(const Sparse& v) {
    const auto ends = block_.ends(v.place);
    auto from = ends.begin();
    for (uint32_t i = 0; i < v.at; ++i) {
      from = std::lower_bound(from, ends.end(), row_[i]);
      if (from == ends.end()) return;
      if (*from == row_[i]) found(v, i, from - ends.begin());
    }
  }

  /// v's neighbours, in the bitmap of u's row. First the ones that are there, then what to do with them: no branch to
  /// guess.
  void look_up(const Sparse& v) {
    const auto ends = block_.ends(v.place);
    if (hits_.size() < ends.size()) hits_.resize(ends.size());
    size_t n = 0;
    for (size_t k = 0; k < ends.size(); ++k) {
      hits_[n] = static_cast<uint32_t>(k);
      n += bits_[ends[k] / 64] >> ends[k] % 64 & 1;
    }
    for (size_t h = 0; h < n; ++h) {
      const uint32_t w = ends[hits_[h]];
      const uint64_t below = bits_[w / 64] & ((uint64_t{1} << w % 64) - 1);
      found(v, before_[w / 64] + static_cast<uint32_t>(std::popcount(below)), hits_[h]);
    }
  }

  /// w is at place i of u's row and at place k of v's.
  void found(const Sparse& v, uint32_t i, int64_t k) {
    if constexpr (kArcs) {
      of_u_ += 1 + block_.mutual(v.place)[static_cast<size_t>(k)];
      sums_[v.at] += 1 + uint32_t{mutual_[i]};
      sums_[i] += 1 + uint32_t{mutual_[v.at]};
    } else {
      ++of_u_, ++sums_[v.at], ++sums_[i];
    }
  }

  const RowBlock& block_;
  const LabelSums::Adder adder_;
  Buffer<uint64_t> bits_;    ///< by label / 64: u's row, where marked
  Buffer<uint32_t> before_;  ///< like bits_: how many of u's neighbours lie below
  std::span<const uint32_t> row_;
  std::span<const uint8_t> mutual_;
  std::vector<Dense> dense_, dense_mutual_;
  std::vector<Sparse> sparse_;
  std::vector<Word> words_;
  std::vector<uint32_t> pairs_;  ///< by place in dense_: what v gets
  std::vector<uint32_t> sums_;   ///< by place in row_
  std::vector<uint32_t> hits_;
  int64_t of_u_ = 0;
};

}  // namespace sparkgap
