// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "id_order/id_order.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "buffers/shared_bits.h"
#include "process/parallel.h"
#include "rows/split.h"

namespace sparkgap {
namespace {

/// What each rank has, laid out for allgatherv: this rank's part starts at `first`.
struct Blocks {
  std::vector<int64_t> counts;
  int64_t first, total;
  Blocks(int64_t mine, Comm& comm)
      : counts(comm.allgather(mine)), first(std::accumulate(counts.begin(), counts.begin() + comm.rank(), int64_t{0})),
        total(std::accumulate(counts.begin(), counts.end(), int64_t{0})) {}
};

/// Strings that stand one after the other.
std::vector<std::string_view> texts_in(const char* characters, std::span<const uint32_t> lengths) {
  std::vector<std::string_view> texts;
  texts.reserve(lengths.size());
  for (const uint32_t length : lengths) {
    texts.emplace_back(characters, length);
    characters += length;
  }
  return texts;
}

KeptIds gather_integers(const VertexIds& mine, Comm& comm) {
  const Blocks blocks(mine.rows(), comm);
  auto all = std::make_shared<Buffer<int64_t>>(static_cast<size_t>(blocks.total));
  std::copy(mine.integers().begin(), mine.integers().end(), all->data() + blocks.first);
  comm.allgatherv(all->span(), blocks.counts);
  return {VertexIds(all->span()), {all}};
}

KeptIds gather_texts(const VertexIds& mine, Comm& comm) {
  int64_t characters = 0;
  for (const std::string_view text : mine.texts()) characters += static_cast<int64_t>(text.size());
  const Blocks rows(mine.rows(), comm), of_text(characters, comm);
  Buffer<uint32_t> lengths(static_cast<size_t>(rows.total));
  auto text = std::make_shared<Buffer<char>>(static_cast<size_t>(of_text.total));
  auto row = static_cast<size_t>(rows.first);
  char* to = text->data() + of_text.first;
  for (const std::string_view id : mine.texts()) {
    lengths[row++] = static_cast<uint32_t>(id.size());
    to = std::copy(id.begin(), id.end(), to);
  }
  comm.allgatherv(lengths.span(), rows.counts);
  comm.allgatherv(text->span(), of_text.counts);
  return {VertexIds(texts_in(text->data(), lengths.span())), {text}};
}

/// A set of distinct integers from `least` on as one bit each, with the number of members before every word.
class BitSet {
 public:
  BitSet(std::span<const int64_t> ids, int64_t least, uint64_t width)
      : least_(least), words_(static_cast<size_t>(width / 64 + 1)), before_(words_.size()) {
    parallel_ranges(static_cast<int64_t>(ids.size()), 1 << 14, [&](int64_t begin, int64_t end) {
      for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
        claim_bit(words_.data(), offset(ids[i]));
    });
    uint32_t members = 0;
    for (size_t word = 0; word < words_.size(); ++word) {
      before_[word] = members;
      members += static_cast<uint32_t>(std::popcount(words_[word]));
    }
  }
  uint32_t smaller_than(int64_t id) const {
    const uint64_t at = offset(id);
    return before_[at / 64] + static_cast<uint32_t>(std::popcount(words_[at / 64] & ((uint64_t{1} << (at % 64)) - 1)));
  }

 private:
  uint64_t offset(int64_t id) const { return static_cast<uint64_t>(id) - static_cast<uint64_t>(least_); }
  int64_t least_;
  Buffer<uint64_t> words_;
  Buffer<uint32_t> before_;
};

/// An id for sorting: `key` rises with the id; equal keys only where strings have the same first 8 bytes, padded with
/// zeros.
struct Sorted {
  uint64_t key;
  uint32_t index;
};

uint64_t key_of(int64_t id) { return static_cast<uint64_t>(id) ^ (uint64_t{1} << 63); }
uint64_t key_of(std::string_view text) {
  uint64_t key = 0;
  for (size_t i = 0; i < 8; ++i) key = key << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0);
  return key;
}

/// Cuts the ids at values drawn from among them into parts that sort side by side.
template <typename Ids>
Buffer<uint32_t> places_by_sort(const Ids& ids) {
  constexpr int64_t kDrawnPerPart = 32;
  const auto n = static_cast<int64_t>(ids.size());
  const auto parts = static_cast<int>(std::clamp<int64_t>(n >> 13, 1, 256));
  const auto at = [&](int64_t i) { return Sorted{key_of(ids[static_cast<size_t>(i)]), static_cast<uint32_t>(i)}; };
  const auto less = [&](const Sorted& a, const Sorted& b) {
    return a.key != b.key ? a.key < b.key : ids[a.index] < ids[b.index];
  };
  std::vector<Sorted> drawn;
  for (int64_t i = 0; parts > 1 && i < parts * kDrawnPerPart; ++i)
    drawn.push_back(at(cut(n, parts * kDrawnPerPart, i)));
  std::sort(drawn.begin(), drawn.end(), less);
  std::vector<Sorted> cuts;
  for (int part = 1; part < parts; ++part) cuts.push_back(drawn[static_cast<size_t>(part * kDrawnPerPart)]);

  const int64_t groups = std::clamp<int64_t>(n >> 14, 1, 4 * threads());
  SplitPlan plan(groups, parts);
  Buffer<uint8_t> part_of(static_cast<size_t>(n));
  const auto each = [&](int64_t group, auto&& body) {
    for (int64_t i = cut(n, groups, group), end = cut(n, groups, group + 1); i < end; ++i)
      body(i, part_of[static_cast<size_t>(i)]);
  };
  parallel_for(groups, [&](int64_t group) {
    const auto counts = plan.row(group);
    each(group, [&](int64_t i, uint8_t& part) {
      part = static_cast<uint8_t>(std::upper_bound(cuts.begin(), cuts.end(), at(i), less) - cuts.begin());
      ++counts[part];
    });
  });
  plan.finish();
  Buffer<Sorted> sorted(static_cast<size_t>(n));
  parallel_for(groups, [&](int64_t group) {
    Scatter<Sorted> scatter(sorted.data(), plan.row(group));
    each(group, [&, pen = scatter.pen()](int64_t i, uint8_t part) { pen(part, at(i)); });
  });
  Buffer<uint32_t> places(static_cast<size_t>(n));
  parallel_for(parts, [&](int64_t part) {
    const int64_t begin = plan.start(static_cast<int>(part)), end = plan.start(static_cast<int>(part) + 1);
    std::sort(sorted.begin() + begin, sorted.begin() + end, less);
    for (int64_t place = begin; place < end; ++place)
      places[sorted[static_cast<size_t>(place)].index] = static_cast<uint32_t>(place);
  });
  return places;
}

/// The least and the greatest integer.
struct Bounds {
  int64_t least = std::numeric_limits<int64_t>::max(), greatest = std::numeric_limits<int64_t>::min();
  Bounds& operator+=(const Bounds& other) {
    least = std::min(least, other.least);
    greatest = std::max(greatest, other.greatest);
    return *this;
  }
};

}  // namespace

KeptIds gather_ids(const VertexIds& mine, Comm& comm) {
  if (comm.size() == 1) return {mine, {}};
  // A rank without rows does not know which kind the ids are.
  const bool strings = comm.allreduce<int64_t>(mine.strings(), Reduce::kMax) > 0;
  return strings ? gather_texts(mine, comm) : gather_integers(mine, comm);
}

KeptIds send_ids(std::span<const int64_t> ids, const std::vector<int64_t>& counts, std::vector<int64_t>& received,
                 Comm& comm) {
  const auto got = std::make_shared<std::vector<int64_t>>(comm.alltoallv<int64_t>(ids, counts, received));
  return {VertexIds(std::span<const int64_t>(*got)), {got}};
}

KeptIds send_ids(std::span<const std::string_view> ids, const std::vector<int64_t>& counts,
                 std::vector<int64_t>& received, Comm& comm) {
  std::vector<uint32_t> lengths;
  std::vector<char> characters;
  std::vector<int64_t> of_rank(counts.size()), ignored;
  auto id = ids.begin();
  for (size_t rank = 0; rank < counts.size(); ++rank)
    for (const auto end = id + counts[rank]; id != end; ++id) {
      lengths.push_back(static_cast<uint32_t>(id->size()));
      characters.insert(characters.end(), id->begin(), id->end());
      of_rank[rank] += static_cast<int64_t>(id->size());
    }
  const std::vector<uint32_t> got_lengths = comm.alltoallv<uint32_t>(lengths, counts, received);
  const auto got = std::make_shared<std::vector<char>>(comm.alltoallv<char>(characters, of_rank, ignored));
  return {VertexIds(texts_in(got->data(), got_lengths)), {got}};
}

Buffer<uint32_t> places_of(const VertexIds& ids) {
  if (ids.strings()) return places_by_sort(ids.texts());
  const auto integers = ids.integers();
  if (integers.empty()) return {};
  const auto bounds = parallel_sum<Bounds>(ids.rows(), 1 << 14, [&](int64_t begin, int64_t end) {
    Bounds part;
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
      part += Bounds{integers[i], integers[i]};
    return part;
  });
  const uint64_t width = static_cast<uint64_t>(bounds.greatest) - static_cast<uint64_t>(bounds.least);
  if (width / 64 > static_cast<uint64_t>(ids.rows())) return places_by_sort(integers);
  const BitSet set(integers, bounds.least, width);
  Buffer<uint32_t> places(integers.size());
  parallel_ranges(ids.rows(), 1 << 14, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
      places[i] = set.smaller_than(integers[i]);
  });
  return places;
}

}  // namespace sparkgap
