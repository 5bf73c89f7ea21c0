// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "cpd/sparse_tensor.h"

#include <array>
#include <bit>
#include <cmath>

#include "arithmetic/exact_sum.h"
#include "cpd/tensor_ghosts.h"
#include "process/error.h"
#include "rows/split.h"

namespace sparkgap {
namespace {

/// Stable, by the bits [low, high) of the places, a digit at a time; `scratch` has as much room.
template <typename Packed>
void radix_sort(std::span<TensorEntry<Packed>> entries, TensorEntry<Packed>* scratch, int low, int high) {
  constexpr int kDigit = 8;
  TensorEntry<Packed>*from = entries.data(), *to = scratch;
  for (int shift = low; shift < high; shift += kDigit) {
    const auto mask = static_cast<uint32_t>((1 << std::min(kDigit, high - shift)) - 1);
    std::array<size_t, 1 << kDigit> next{};
    for (size_t i = 0; i < entries.size(); ++i) ++next[static_cast<uint32_t>(from[i].at >> shift) & mask];
    size_t at = 0;
    for (size_t& count : next) at += std::exchange(count, at);
    for (size_t i = 0; i < entries.size(); ++i) to[next[static_cast<uint32_t>(from[i].at >> shift) & mask]++] = from[i];
    std::swap(from, to);
  }
  if (from != entries.data()) std::copy(from, from + entries.size(), entries.data());
}

/// Makes the copies of one tensor.
template <typename Packed>
class Builder {
 public:
  using Entry = TensorEntry<Packed>;

  Builder(const std::vector<PlaceBits>& layout, const std::vector<int64_t>& sizes, Comm& comm)
      : layout_(layout), sizes_(sizes), comm_(comm) {}

  /// The rows as they come.
  Buffer<Entry> pack(const TensorRows& rows) const {
    constexpr int64_t kBlock = 2048;
    Buffer<Entry> entries(static_cast<size_t>(rows.rows()), Content::kAnything);
    parallel_ranges(rows.rows(), kBlock, [&](int64_t from, int64_t to) {
      std::array<double, kBlock> values;
      for (int64_t begin = from; begin < to; begin += kBlock) {
        const int64_t end = std::min(to, begin + kBlock);
        rows.values(begin, end, values.data());
        rows.places(0, begin, end, [&](int64_t row, uint32_t place) {
          entries[static_cast<size_t>(row)] = {static_cast<Packed>(place) << layout_[0].shift,
                                               values[static_cast<size_t>(row - begin)]};
        });
        for (size_t mode = 1; mode < layout_.size(); ++mode)
          rows.places(mode, begin, end, [&](int64_t row, uint32_t place) {
            entries[static_cast<size_t>(row)].at |= static_cast<Packed>(place) << layout_[mode].shift;
          });
      }
    });
    return entries;
  }

  /// Of this rank's entries in any order. `whole`: sorted by all places, else by this mode's alone, in the order in
  /// which they come.
  TensorCopy<Packed> copy(size_t mode, bool whole, std::span<const Entry> entries) const {
    const PlaceBits bits = layout_[mode];
    const auto n = static_cast<int64_t>(entries.size());
    const Dealt dealt = deal(bits, sizes_[mode], entries);
    const int64_t groups = std::clamp<int64_t>(n >> 16, 1, 4 * threads());
    SplitPlan plan(groups, dealt.partitions.total());
    const auto partition = [&](const Entry& entry) { return dealt.of_place[bits.of(entry.at)]; };
    parallel_for(groups, [&](int64_t g) {
      int64_t* counts = plan.row(g).data();
      for (const Entry& entry : part_of(entries, groups, g)) ++counts[partition(entry)];
    });
    plan.finish();
    Buffer<Entry> split(static_cast<size_t>(n), Content::kAnything);
    parallel_for(groups, [&](int64_t g) {
      Scatter<Entry> scatter(split.data(), plan.row(g));
      const auto pen = scatter.pen();
      for (const Entry& entry : part_of(entries, groups, g)) pen(partition(entry), entry);
    });
    Partitioned<Entry> mine = exchange(std::move(split), plan, dealt.partitions, comm_);

    const int per_rank = dealt.partitions.per_rank, first_partition = comm_.rank() * per_rank;
    TensorCopy<Packed> made;
    made.by_rank.assign(static_cast<size_t>(comm_.size()), 0);
    for (const uint16_t p : dealt.of_place) ++made.by_rank[static_cast<size_t>(p / per_rank)];
    std::vector<int64_t> offsets{0};
    for (int p = 0; p < per_rank; ++p) offsets.push_back(offsets.back() + mine.count(p));
    made.entries = mine.ranks == 1 ? std::move(mine.records)
                                   : Buffer<Entry>(static_cast<size_t>(offsets.back()), Content::kAnything);
    int64_t longest = 0;
    for (int p = 0; p < per_rank; ++p)
      longest = std::max(longest, offsets[static_cast<size_t>(p) + 1] - offsets[static_cast<size_t>(p)]);
    const Buffer<Entry> scratch(static_cast<size_t>(longest * threads()), Content::kAnything);
    parallel_for(per_rank, [&](int64_t p) {
      Entry* to = made.entries.data() + offsets[static_cast<size_t>(p)];
      const std::span<Entry> own(
          to, static_cast<size_t>(offsets[static_cast<size_t>(p) + 1] - offsets[static_cast<size_t>(p)]));
      if (mine.ranks > 1)
        for (int rank = 0; rank < mine.ranks; ++rank) {
          const std::span<Entry> piece = mine.piece(static_cast<int>(p), rank);
          to = std::copy(piece.begin(), piece.end(), to);
        }
      const auto range =
          std::equal_range(dealt.of_place.begin(), dealt.of_place.end(), static_cast<uint16_t>(first_partition + p));
      const auto low = static_cast<uint64_t>(range.first - dealt.of_place.begin()),
                 high = static_cast<uint64_t>(range.second - dealt.of_place.begin());
      if (low == high || own.empty()) return;
      radix_sort<Packed>(own, scratch.data() + longest * omp_get_thread_num(), whole ? 0 : bits.shift,
                         bits.shift + static_cast<int>(std::bit_width(low ^ (high - 1))));
    });
    return made;
  }

  /// Of a copy that is sorted by all places: rows of the same keys become one. Returns how many went, of all ranks.
  int64_t merge(Buffer<Entry>& entries, const std::string& name) const {
    const auto n = static_cast<int64_t>(entries.size()), parts = std::clamp<int64_t>(n >> 14, 1, 1024);
    const auto is_first = [&](int64_t i) {
      return i == 0 || entries[static_cast<size_t>(i)].at != entries[static_cast<size_t>(i) - 1].at;
    };
    std::vector<int64_t> kept(static_cast<size_t>(parts) + 1);
    parallel_for(parts, [&](int64_t part) {
      int64_t firsts = 0;
      for (int64_t i = cut(n, parts, part), end = cut(n, parts, part + 1); i < end; ++i) firsts += is_first(i);
      kept[static_cast<size_t>(part) + 1] = firsts;
    });
    for (size_t part = 0; part < static_cast<size_t>(parts); ++part) kept[part + 1] += kept[part];
    const int64_t duplicates = n - kept.back();
    if (duplicates > 0) {
      Buffer<Entry> merged(static_cast<size_t>(kept.back()), Content::kAnything);
      parallel_for(parts, [&](int64_t part) {
        auto to = static_cast<size_t>(kept[static_cast<size_t>(part)]);
        for (int64_t i = cut(n, parts, part), end = cut(n, parts, part + 1); i < end; ++i) {
          if (!is_first(i)) continue;
          Entry entry = entries[static_cast<size_t>(i)];
          for (int64_t same = i + 1; same < n && !is_first(same); ++same)
            entry.value += entries[static_cast<size_t>(same)].value;
          if (!std::isfinite(entry.value))
            throw Error(Exit::kData, name, "rows of the same keys whose values have a finite sum",
                        std::to_string(entry.value), "Scale the values");
          merged[to++] = entry;
        }
      });
      entries = std::move(merged);
    }
    return comm_.allreduce(duplicates);
  }

  /// Where the rows of a copy begin.
  void find_rows(size_t mode, TensorCopy<Packed>& copy) const {
    const PlaceBits bits = layout_[mode];
    int64_t first = 0;
    for (int rank = 0; rank < comm_.rank(); ++rank) first += copy.by_rank[static_cast<size_t>(rank)];
    copy.starts.assign(static_cast<size_t>(copy.by_rank[static_cast<size_t>(comm_.rank())]) + 1,
                       static_cast<int64_t>(copy.entries.size()));
    const auto row = [&](int64_t i) {
      return static_cast<int64_t>(bits.of(copy.entries[static_cast<size_t>(i)].at)) - first;
    };
    parallel_ranges(static_cast<int64_t>(copy.entries.size()), 1 << 14, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        for (int64_t r = i == 0 ? 0 : row(i - 1) + 1; r <= row(i); ++r) copy.starts[static_cast<size_t>(r)] = i;
    });
  }

 private:
  /// Which partition each place of a mode is in: as many entries in each, as far as that goes, and rising.
  struct Dealt {
    Partitions partitions;
    std::vector<uint16_t> of_place;
  };
  Dealt deal(PlaceBits bits, int64_t size, std::span<const Entry> entries) const {
    const int64_t parts = std::clamp<int64_t>(static_cast<int64_t>(entries.size()) / size, 1, threads());
    std::vector<Buffer<int64_t>> counts;
    for (int64_t part = 0; part < parts; ++part) counts.emplace_back(static_cast<size_t>(size));
    parallel_for(parts, [&](int64_t part) {
      int64_t* const of = counts[static_cast<size_t>(part)].data();
      for (const Entry& entry : part_of(entries, parts, part)) ++of[bits.of(entry.at)];
    });
    for (size_t part = 1; part < counts.size(); ++part)
      for (size_t i = 0; i < static_cast<size_t>(size); ++i) counts[0][i] += counts[part][i];
    comm_.allreduce(counts[0].span());
    int64_t total = 0;
    for (const int64_t count : counts[0]) total += count;
    // About 16 Ki entries each: with the scratch of a sort they fit the second cache.
    const int ranks = comm_.size();
    const auto per_rank = static_cast<int>(std::clamp<int64_t>((total / ranks) >> 14, 1, std::max(1, 4096 / ranks)));
    Dealt dealt{{ranks, per_rank}, std::vector<uint16_t>(static_cast<size_t>(size))};
    int64_t before = 0;
    for (size_t i = 0; i < static_cast<size_t>(size); ++i) {
      dealt.of_place[i] = static_cast<uint16_t>(before * dealt.partitions.total() / total);
      before += counts[0][i];
    }
    return dealt;
  }

  static std::span<const Entry> part_of(std::span<const Entry> entries, int64_t parts, int64_t part) {
    const auto n = static_cast<int64_t>(entries.size());
    return entries.subspan(static_cast<size_t>(cut(n, parts, part)),
                           static_cast<size_t>(cut(n, parts, part + 1) - cut(n, parts, part)));
  }

  const std::vector<PlaceBits>& layout_;
  const std::vector<int64_t>& sizes_;
  Comm& comm_;
};

template <typename Packed>
TensorCopies<Packed> build(TensorRows& rows, SparseTensor& tensor, const std::string& name, Comm& comm) {
  const Builder<Packed> builder(tensor.layout, tensor.sizes, comm);
  TensorCopies<Packed> copies;
  {
    const auto entries = builder.pack(rows);
    rows.release();
    copies.push_back(builder.copy(0, true, entries.span()));
  }
  tensor.duplicates = builder.merge(copies[0].entries, name);
  const int64_t n = static_cast<int64_t>(copies[0].entries.size());
  for (size_t mode = 1; mode < tensor.layout.size(); ++mode)
    copies.push_back(builder.copy(mode, false, copies[0].entries.span()));
  for (size_t mode = 0; mode < tensor.layout.size(); ++mode) builder.find_rows(mode, copies[mode]);
  tensor.known = find_ghosts(tensor.layout, copies, comm);
  tensor.entries = comm.allreduce(n);
  tensor.squares = comm.allreduce(parallel_sum<ExactSum>(n, 1 << 14, [&](int64_t begin, int64_t end) {
                                    ExactSum sum;
                                    for (int64_t i = begin; i < end; ++i)
                                      sum.add(copies[0].entries[static_cast<size_t>(i)].value *
                                              copies[0].entries[static_cast<size_t>(i)].value);
                                    return sum;
                                  }).value());
  return copies;
}

}  // namespace

SparseTensor::SparseTensor(TensorRows& rows, const std::string& name, Comm& comm) {
  int bits = 0;
  for (const TensorMode& mode : rows.modes()) sizes.push_back(mode.size());
  layout.resize(sizes.size());
  for (size_t mode = sizes.size(); mode-- > 0;) {
    layout[mode] = {bits, static_cast<int>(std::bit_width(static_cast<uint64_t>(sizes[mode] - 1)))};
    bits += layout[mode].bits;
  }
  if (bits > 127)
    throw Error(Exit::kData, name,
                "modes whose numbers of keys, each up to the next power of two, multiply to at most 2^127",
                "2^" + std::to_string(bits), "Leave modes out");
  if (bits <= 63) copies = build<uint64_t>(rows, *this, name, comm);
  else copies = build<unsigned __int128>(rows, *this, name, comm);
  if (!(squares > 0)) throw Error(Exit::kData, name, "at least one value other than 0", "none", "Check the values");
  if (!std::isfinite(squares))
    throw Error(Exit::kData, name, "values whose squares have a finite sum", "infinity", "Scale the values");
}

}  // namespace sparkgap
