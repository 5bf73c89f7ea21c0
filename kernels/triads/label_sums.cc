// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "triads/label_sums.h"

namespace sparkgap {
namespace {

#pragma pack(push, 4)
struct LabelSum {
  uint32_t at;  ///< among the labels of a rank
  int64_t sum;
};
#pragma pack(pop)

/// A range of labels for each rank, where what all know of them comes together.
struct Homes {
  int64_t labels;
  int ranks;

  int64_t first(int rank) const { return cut(labels, ranks, rank); }
  int of(uint32_t label) const {
    auto rank = static_cast<int>(static_cast<__int128>(label) * ranks / labels);
    while (first(rank + 1) <= label) ++rank;
    return rank;
  }
};

/// The sums of this rank's range of labels, from what each rank has for some labels.
Buffer<int64_t> sum_at_home(const Homes& homes, const CountedBits& known, std::span<const int64_t> sums, Comm& comm) {
  std::vector<int64_t> counts(static_cast<size_t>(homes.ranks)), received;
  std::vector<LabelSum> send;
  size_t at = 0;
  int rank = 0;
  known.each([&](uint64_t label) {
    const int64_t sum = sums[at++];
    if (sum == 0) return;
    while (homes.first(rank + 1) <= static_cast<int64_t>(label)) ++rank;
    ++counts[static_cast<size_t>(rank)];
    send.push_back({static_cast<uint32_t>(static_cast<int64_t>(label) - homes.first(rank)), sum});
  });
  Buffer<int64_t> mine(static_cast<size_t>(homes.first(comm.rank() + 1) - homes.first(comm.rank())));
  for (const LabelSum& each : comm.alltoallv<LabelSum>(send, counts, received)) mine[each.at] += each.sum;
  return mine;
}

}  // namespace

Buffer<int64_t> LabelSums::take_by_row(const Graph& graph, std::span<const uint32_t> label, Comm& comm) && {
  const auto label_of = [&](int64_t row) { return label[graph.ghosts.place(row)]; };
  Buffer<int64_t> of_row(static_cast<size_t>(graph.rows));
  if (known_ == nullptr) {
    const Buffer<int64_t> all = std::move(*this).take(comm);
    parallel_ranges(graph.rows, 1 << 14, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) of_row[static_cast<size_t>(row)] = all[label_of(row)];
    });
    return of_row;
  }
  sum_threads();
  const Homes homes{graph.vertices, comm.size()};
  const Buffer<int64_t> mine = sum_at_home(homes, *known_, all_.span(), comm);
  all_.clear();
  // Each asks for the sums of its rows.
  std::vector<int64_t> counts(static_cast<size_t>(homes.ranks)), next(counts.size()), received;
  for (int64_t row = 0; row < graph.rows; ++row) ++counts[static_cast<size_t>(homes.of(label_of(row)))];
  for (size_t rank = 1; rank < next.size(); ++rank) next[rank] = next[rank - 1] + counts[rank - 1];
  Buffer<uint32_t> wanted(of_row.size()), row_of(of_row.size());
  for (int64_t row = 0; row < graph.rows; ++row) {
    const int home = homes.of(label_of(row));
    const auto at = static_cast<size_t>(next[static_cast<size_t>(home)]++);
    wanted[at] = static_cast<uint32_t>(label_of(row) - homes.first(home));
    row_of[at] = static_cast<uint32_t>(row);
  }
  const std::vector<uint32_t> asked = comm.alltoallv<uint32_t>(wanted.span(), counts, received);
  Buffer<int64_t> answer(asked.size()), got(of_row.size());
  for (size_t i = 0; i < asked.size(); ++i) answer[i] = mine[asked[i]];
  comm.alltoallv<int64_t>(answer.span(), received, got.span(), counts);
  for (size_t i = 0; i < got.size(); ++i) of_row[row_of[i]] = got[i];
  return of_row;
}

}  // namespace sparkgap
