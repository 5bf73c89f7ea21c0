// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "gather/blocked_rows.h"

#include <algorithm>
#include <utility>

#include "process/parallel.h"

namespace sparkgap {
namespace {

constexpr int kBlockBits = 16;
constexpr int64_t kFewest = int64_t{1} << 18;  // vertices: 2 MiB of values
constexpr int64_t kNear = 2;                   // arcs of a row that make a block worth its run
constexpr int64_t kSample = 64;                // one row of so many
constexpr size_t kAhead = 48;                  // far values are asked for so many arcs before
constexpr uint32_t kLongest = 255;             // terms of a plain sum

int64_t block_of(uint32_t vertex) { return vertex >> kBlockBits; }
uint16_t place_in_block(uint32_t vertex) { return static_cast<uint16_t>(vertex); }
static_assert(kBlockBits == 16);

}  // namespace

std::vector<int64_t> BlockedRows::near_blocks(const Adjacency& arcs, int64_t vertices) {
  if (vertices < kFewest) return {};
  // Arcs that come from a block, and the runs of them that follow each other in a row; of a sample of the rows, for the
  // answer must cost less than it gains.
  struct Count {
    int64_t arcs = 0, runs = 0;
  };
  std::vector<Count> counts(static_cast<size_t>(block_of(static_cast<uint32_t>(vertices - 1)) + 1));
  int64_t sampled = 0, near = 0;
  for (int64_t row = 0, rows = static_cast<int64_t>(arcs.starts.size()) - 1; row < rows; row += kSample) {
    int64_t last = -1;
    for (const uint32_t from : arcs.of(row)) {
      Count& count = counts[static_cast<size_t>(block_of(from))];
      ++count.arcs, count.runs += block_of(from) != last;
      last = block_of(from);
    }
    sampled += arcs.degree(row);
  }
  std::vector<int64_t> found;
  for (size_t block = 0; block < counts.size(); ++block)
    if (const Count& count = counts[block]; count.arcs > 0 && count.arcs >= kNear * count.runs) {
      found.push_back(static_cast<int64_t>(block));
      near += count.arcs;
    }
  return 2 * near < sampled ? std::vector<int64_t>() : found;
}

BlockedRows::BlockedRows(const Adjacency& arcs, std::span<const RowChunk> chunks, int64_t vertices,
                         std::vector<int64_t> near_blocks)
    : near_blocks_(std::move(near_blocks)) {
  const size_t n_near = near_blocks_.size();
  std::vector<uint32_t> part_of_block(static_cast<size_t>(block_of(static_cast<uint32_t>(vertices - 1)) + 1),
                                      static_cast<uint32_t>(n_near));
  for (size_t part = 0; part < n_near; ++part)
    part_of_block[static_cast<size_t>(near_blocks_[part])] = static_cast<uint32_t>(part);

  // So many arcs that a block's values are used often, so few that threads find enough groups.
  const int64_t wanted = std::clamp<int64_t>(arcs.arcs() / 128, 1 << 17, 1 << 20);
  for (const RowChunk& chunk : chunks)
    for (int64_t row = chunk.begin; row < chunk.end;) {
      const auto is_full = [&](const RowChunk& rows) {
        return rows.end != row || rows.end - rows.begin == kMostRows ||
               arcs.starts[static_cast<size_t>(rows.end)] - arcs.starts[static_cast<size_t>(rows.begin)] >= wanted;
      };
      if (groups_.empty() || is_full(groups_.back().rows)) groups_.emplace_back().rows = {row, row};
      RowChunk& rows = groups_.back().rows;
      row = rows.end = std::min(chunk.end, rows.begin + kMostRows);
    }
  parallel_for(groups(), [&](int64_t g) { lay_out(groups_[static_cast<size_t>(g)], arcs, part_of_block); });
}

void BlockedRows::lay_out(Group& group, const Adjacency& arcs, const std::vector<uint32_t>& part_of_block) const {
  const size_t n_near = near_blocks_.size();
  const uint32_t* const ends = arcs.ends.data();
  const double* const weights = arcs.weights.empty() ? nullptr : arcs.weights.data();
  const auto first_arc = [&](int64_t row) { return arcs.starts[static_cast<size_t>(row)]; };
  const auto part_at = [&](int64_t k) { return size_t{part_of_block[static_cast<size_t>(block_of(ends[k]))]}; };

  // A run: arcs of one row that follow each other and are of one part.
  struct Kind {
    uint32_t runs = 0, row = 0, end = 0;  ///< how many, and where the next goes
  };
  std::vector<Kind> kinds((n_near + 1) * (kLongest + 1));  // by part and length
  std::vector<uint8_t> run_lengths;
  for (int64_t row = group.rows.begin; row < group.rows.end; ++row)
    for (int64_t at = first_arc(row), end = first_arc(row + 1); at < end;) {
      const int64_t first = at, last = std::min<int64_t>(end, first + kLongest);
      const size_t part = part_at(at);
      do ++at;
      while (at < last && part_at(at) == part);
      run_lengths.push_back(static_cast<uint8_t>(at - first));
      ++kinds[part * (kLongest + 1) + run_lengths.back()].runs;
    }

  size_t n_runs = 0, n_ends[2] = {0, 0};  // near and far ones
  for (size_t part = 0; part <= n_near; ++part) {
    size_t& n = n_ends[part == n_near];
    for (uint32_t length = 1; length <= kLongest; ++length) {
      Kind& kind = kinds[part * (kLongest + 1) + length];
      if (kind.runs == 0) continue;
      kind.row = static_cast<uint32_t>(n_runs), kind.end = static_cast<uint32_t>(n);
      n_runs += kind.runs, n += size_t{length} * kind.runs;
      group.lengths.push_back({length, kind.runs});
    }
    group.parts.push_back({part < n_near ? near_blocks_[part] : kFar, group.lengths.size()});
  }
  group.row = Buffer<uint16_t>(n_runs, Content::kAnything);
  group.near = Buffer<uint16_t>(n_ends[0], Content::kAnything);
  group.far = Buffer<uint32_t>(n_ends[1] + kAhead);  // beyond the end vertex 0 is asked for
  group.weight = Buffer<double>(weights == nullptr ? 0 : n_ends[0] + n_ends[1], Content::kAnything);

  const uint8_t* run = run_lengths.data();
  for (int64_t row = group.rows.begin; row < group.rows.end; ++row)
    for (int64_t at = first_arc(row), end = first_arc(row + 1); at < end; at += *run++) {
      const size_t part = part_at(at), length = *run;
      Kind& kind = kinds[part * (kLongest + 1) + length];
      group.row[kind.row++] = static_cast<uint16_t>(row - group.rows.begin);
      const size_t to = std::exchange(kind.end, kind.end + static_cast<uint32_t>(length));
      if (part == n_near) std::copy_n(ends + at, length, group.far.data() + to);
      else std::transform(ends + at, ends + at + length, group.near.data() + to, place_in_block);
      if (weights != nullptr)
        std::copy_n(weights + at, length, group.weight.data() + (part == n_near ? n_ends[0] : 0) + to);
    }
}

namespace {

/// Adds the sums of `rows` rows of n arcs each, one after the other at `ends`, to sums[row].
template <bool kWeighted, bool kIsFar, typename End>
[[gnu::always_inline]] inline void sum_rows(size_t n, size_t rows, const uint16_t*& row, const End*& ends,
                                            const double*& weight, const double* values, double* sums) {
  const End* end = ends;
  const double* w = weight;
  const auto term = [&](size_t k) { return kWeighted ? values[end[k]] * w[k] : values[end[k]]; };
  const auto each = [&](size_t length, auto&& sum_of) {
    for (const uint16_t* const last = row + rows; row != last; ++row) {
      if constexpr (kIsFar)
        for (size_t k = 0; k < length; ++k) __builtin_prefetch(&values[end[kAhead + k]]);
      sums[*row] += sum_of();
      end += length;
      if constexpr (kWeighted) w += length;
    }
  };
  switch (n) {
    case 1:
      each(1, [&] { return term(0); });
      break;
    case 2:
      each(2, [&] { return term(0) + term(1); });
      break;
    case 3:
      each(3, [&] { return term(0) + term(1) + term(2); });
      break;
    case 4:
      each(4, [&] { return (term(0) + term(1)) + (term(2) + term(3)); });
      break;
    default:
      each(n, [&] {
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        size_t k = 0;
        for (; k + 4 <= n; k += 4) s0 += term(k), s1 += term(k + 1), s2 += term(k + 2), s3 += term(k + 3);
        for (; k < n; ++k) s0 += term(k);
        return (s0 + s1) + (s2 + s3);
      });
  }
  ends = end;
  weight = w;
}

}  // namespace

template <bool kWeighted>
void BlockedRows::sum_parts(const Group& group, const double* values, double* sums) {
  const uint16_t *row = group.row.data(), *near = group.near.data();
  const uint32_t* far = group.far.data();
  const double* weight = group.weight.data();
  size_t at = 0;
  for (const Part& part : group.parts)
    for (; at < part.end; ++at) {
      const Lengths& these = group.lengths[at];
      if (part.block == kFar) sum_rows<kWeighted, true>(these.arcs, these.rows, row, far, weight, values, sums);
      else
        sum_rows<kWeighted, false>(these.arcs, these.rows, row, near, weight, values + (part.block << kBlockBits),
                                   sums);
    }
}

void BlockedRows::sum(int64_t group, const double* values, double* sums) const {
  const Group& one = groups_[static_cast<size_t>(group)];
  std::fill_n(sums, one.rows.end - one.rows.begin, 0.0);
  if (one.weight.empty()) sum_parts<false>(one, values, sums);
  else sum_parts<true>(one, values, sums);
}

}  // namespace sparkgap
