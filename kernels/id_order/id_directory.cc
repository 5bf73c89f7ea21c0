// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "id_order/id_directory.h"

#include <algorithm>
#include <numeric>

#include "process/parallel.h"

namespace sparkgap {
namespace {

constexpr int64_t kDrawnPerRank = 64;

std::span<const int64_t> values_of(const VertexIds& ids, int64_t) { return ids.integers(); }
const std::vector<std::string_view>& values_of(const VertexIds& ids, std::string_view) { return ids.texts(); }

/// The least id of each rank's range but the first's, from ids drawn everywhere.
template <typename Id>
std::vector<Id> cut_ids(const VertexIds& mine, KeptIds& drawn, Comm& comm) {
  const auto& own = values_of(mine, Id());
  const auto n = static_cast<int64_t>(own.size());
  std::vector<Id> some;
  for (int64_t i = 0; i < std::min(n, kDrawnPerRank); ++i)
    some.push_back(own[static_cast<size_t>(cut(n, std::min(n, kDrawnPerRank), i))]);
  if constexpr (std::is_same_v<Id, int64_t>) drawn = gather_ids(VertexIds(std::span<const int64_t>(some)), comm);
  else drawn = gather_ids(VertexIds(std::move(some)), comm);
  const auto& all = values_of(drawn.ids, Id());
  std::vector<Id> sorted(all.begin(), all.end()), cuts;
  std::sort(sorted.begin(), sorted.end());
  for (int rank = 1; rank < comm.size() && !sorted.empty(); ++rank)
    cuts.push_back(sorted[static_cast<size_t>(cut(static_cast<int64_t>(sorted.size()), comm.size(), rank))]);
  return cuts;
}

/// The ids of this rank's range; `order`: the indices of `mine` in the order in which they were sent.
template <typename Id>
KeptIds deal_out(const VertexIds& mine, std::vector<uint32_t>& order, std::vector<int64_t>& counts,
                 std::vector<int64_t>& received, Comm& comm) {
  KeptIds drawn;
  const std::vector<Id> cuts = cut_ids<Id>(mine, drawn, comm);
  const auto& own = values_of(mine, Id());
  std::vector<uint32_t> rank_of(own.size());
  parallel_ranges(static_cast<int64_t>(own.size()), 1 << 14, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
      rank_of[i] = static_cast<uint32_t>(std::upper_bound(cuts.begin(), cuts.end(), own[i]) - cuts.begin());
  });
  counts.assign(static_cast<size_t>(comm.size()), 0);
  for (const uint32_t rank : rank_of) ++counts[rank];
  std::vector<int64_t> next(counts.size());
  std::partial_sum(counts.begin(), counts.end() - 1, next.begin() + 1);
  order.resize(own.size());
  std::vector<Id> sent(own.size());
  for (size_t i = 0; i < own.size(); ++i) {
    const auto at = static_cast<size_t>(next[rank_of[i]]++);
    order[at] = static_cast<uint32_t>(i);
    sent[at] = own[i];
  }
  return send_ids(std::span<const Id>(sent), counts, received, comm);
}

/// Those in some places, to the ranks that asked for them.
template <typename Id>
KeptIds send_chosen(const VertexIds& ids, const Buffer<uint32_t>& by_place, std::span<const uint32_t> wanted,
                    const std::vector<int64_t>& counts, Comm& comm) {
  const auto& values = values_of(ids, Id());
  std::vector<Id> found;
  found.reserve(wanted.size());
  for (const uint32_t place : wanted) found.push_back(values[by_place[place]]);
  std::vector<int64_t> received;
  return send_ids(std::span<const Id>(found), counts, received, comm);
}

}  // namespace

IdDirectory::IdDirectory(const VertexIds& mine, Comm& comm) : places_(static_cast<size_t>(mine.rows())) {
  std::vector<uint32_t> order;
  std::vector<int64_t> counts, received;
  // A rank without rows does not know which kind the ids are.
  const bool strings = comm.allreduce<int64_t>(mine.strings(), Reduce::kMax) > 0;
  range_ = strings ? deal_out<std::string_view>(mine, order, counts, received, comm)
                   : deal_out<int64_t>(mine, order, counts, received, comm);
  firsts_ = {0};
  for (const int64_t rows : comm.allgather<int64_t>(range_.ids.rows())) firsts_.push_back(firsts_.back() + rows);
  const Buffer<uint32_t> local = places_of(range_.ids);
  by_place_ = Buffer<uint32_t>(local.size(), Content::kAnything);
  std::vector<int64_t> answers(local.size());
  for (size_t i = 0; i < local.size(); ++i) {
    by_place_[local[i]] = static_cast<uint32_t>(i);
    answers[i] = firsts_[static_cast<size_t>(comm.rank())] + local[i];
  }
  std::vector<int64_t> ignored;
  const std::vector<int64_t> places = comm.alltoallv<int64_t>(answers, received, ignored);
  for (size_t i = 0; i < places.size(); ++i) places_[order[i]] = places[i];
}

KeptIds IdDirectory::ids_at(std::span<const int64_t> places, Comm& comm) const {
  const auto rank_of = [&](int64_t place) {
    return static_cast<size_t>(std::upper_bound(firsts_.begin() + 1, firsts_.end() - 1, place) - firsts_.begin()) - 1;
  };
  std::vector<int64_t> counts(static_cast<size_t>(comm.size())), next(counts.size()), asked;
  for (const int64_t place : places) ++counts[rank_of(place)];
  std::partial_sum(counts.begin(), counts.end() - 1, next.begin() + 1);
  std::vector<uint32_t> wanted(places.size()), at(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    const size_t rank = rank_of(places[i]);
    at[i] = static_cast<uint32_t>(next[rank]++);
    wanted[at[i]] = static_cast<uint32_t>(places[i] - firsts_[rank]);
  }
  const std::vector<uint32_t> here = comm.alltoallv<uint32_t>(wanted, counts, asked);
  // In the order of the requests, which is that of the ranks.
  const bool strings = comm.allreduce<int64_t>(range_.ids.strings(), Reduce::kMax) > 0;
  if (strings) {
    KeptIds got = send_chosen<std::string_view>(range_.ids, by_place_, here, asked, comm);
    std::vector<std::string_view> texts;
    texts.reserve(places.size());
    for (const uint32_t i : at) texts.push_back(got.ids.texts()[i]);
    return {VertexIds(std::move(texts)), got.keep};
  }
  const KeptIds got = send_chosen<int64_t>(range_.ids, by_place_, here, asked, comm);
  const auto integers = std::make_shared<std::vector<int64_t>>();
  integers->reserve(places.size());
  for (const uint32_t i : at) integers->push_back(got.ids.integers()[i]);
  return {VertexIds(std::span<const int64_t>(*integers)), {integers}};
}

}  // namespace sparkgap
