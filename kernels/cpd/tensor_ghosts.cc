// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "cpd/tensor_ghosts.h"

#include "buffers/counted_bits.h"
#include "process/parallel.h"

namespace sparkgap {
namespace {

/// body(entry) on all entries of a copy.
template <typename Packed, typename Body>
void each_entry(const TensorCopy<Packed>& copy, Body&& body) {
  parallel_ranges(static_cast<int64_t>(copy.entries.size()), 1 << 14, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(copy.entries[static_cast<size_t>(i)]);
  });
}

/// The ghosts among the places that are known; `firsts` of each rank.
Ghosts ghosts_of(const CountedBits& known, std::vector<int64_t> firsts, Comm& comm) {
  const auto here = static_cast<size_t>(comm.rank());
  std::vector<int64_t> counts(firsts.size() - 1);
  const int64_t own = firsts[here + 1] - firsts[here];
  Buffer<uint32_t> rows(static_cast<size_t>(known.size() - own), Content::kAnything);
  size_t rank = 0, at = 0;
  known.each([&](uint64_t number) {
    while (static_cast<int64_t>(number) >= firsts[rank + 1]) ++rank;
    if (rank == here) return;
    rows[at++] = static_cast<uint32_t>(static_cast<int64_t>(number) - firsts[rank]);
    ++counts[rank];
  });
  return Ghosts(std::move(rows), std::move(counts), std::move(firsts), own, comm);
}

}  // namespace

template <typename Packed>
std::vector<Ghosts> find_ghosts(const std::vector<PlaceBits>& layout, TensorCopies<Packed>& copies, Comm& comm) {
  const auto here = static_cast<size_t>(comm.rank());
  std::vector<std::vector<int64_t>> firsts;
  for (const TensorCopy<Packed>& copy : copies) {
    std::vector<int64_t>& of_mode = firsts.emplace_back(1);
    for (const int64_t rows : copy.by_rank) of_mode.push_back(of_mode.back() + rows);
  }
  std::vector<Ghosts> ghosts;
  const auto all_of = [&] {
    for (std::vector<int64_t>& of_mode : firsts) ghosts.emplace_back(std::move(of_mode), comm.rank());
    return std::move(ghosts);
  };
  if (comm.size() <= Ghosts::kFewRanks) return all_of();

  std::vector<CountedBits> known;
  for (const std::vector<int64_t>& of_mode : firsts) {
    CountedBits& own = known.emplace_back(of_mode.back());
    for (int64_t number = of_mode[here]; number < of_mode[here + 1]; ++number) own.add(static_cast<uint64_t>(number));
  }
  for (const TensorCopy<Packed>& copy : copies)
    each_entry(copy, [&](const TensorEntry<Packed>& entry) {
      for (size_t mode = 0; mode < layout.size(); ++mode) known[mode].add(layout[mode].of(entry.at));
    });
  int64_t there = 0, all = 0;
  for (size_t mode = 0; mode < layout.size(); ++mode) {
    known[mode].count();
    there += known[mode].size();
    all += firsts[mode].back() * comm.size();
  }
  constexpr double kMost = 0.75;
  if (static_cast<double>(comm.allreduce(there)) > kMost * static_cast<double>(all)) return all_of();
  for (const TensorCopy<Packed>& copy : copies)
    each_entry(copy, [&](TensorEntry<Packed>& entry) {
      Packed places = 0;
      for (size_t mode = 0; mode < layout.size(); ++mode)
        places |= static_cast<Packed>(known[mode].before(layout[mode].of(entry.at))) << layout[mode].shift;
      entry.at = places;
    });
  for (size_t mode = 0; mode < layout.size(); ++mode)
    ghosts.push_back(ghosts_of(known[mode], std::move(firsts[mode]), comm));
  return ghosts;
}

template std::vector<Ghosts> find_ghosts(const std::vector<PlaceBits>&, TensorCopies<uint64_t>&, Comm&);
template std::vector<Ghosts> find_ghosts(const std::vector<PlaceBits>&, TensorCopies<unsigned __int128>&, Comm&);

}  // namespace sparkgap
