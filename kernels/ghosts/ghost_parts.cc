// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "ghosts/ghost_parts.h"

#include <cstdlib>

namespace sparkgap {

int64_t GhostCuts::parts_worth(const Ghosts& ghosts, int64_t value_bytes, Comm& comm) {
  constexpr int64_t kMost = 4;
  if (comm.is_on_one_host()) return 1;
  const char* const least = std::getenv("SPARKGAP_LEAST_MESSAGE");  // [bytes], so that tests have parts of small graphs
  const int64_t least_message = least == nullptr ? int64_t{64} << 10 : std::max(1, std::atoi(least));
  const int64_t received = (ghosts.places() - ghosts.rows()) * value_bytes / (comm.size() - 1);
  return comm.allreduce(std::clamp<int64_t>(received / least_message, 1, kMost), Reduce::kMax);
}

GhostCuts::GhostCuts(const Ghosts& ghosts, const std::vector<int64_t>& cuts, Comm& comm) : parts_(cuts.size() - 1) {
  const size_t ranks = ghosts.ranks();
  std::vector<int64_t> all_cuts(ranks * cuts.size());
  std::copy(cuts.begin(), cuts.end(), all_cuts.begin() + static_cast<int64_t>(ghosts.rank_ * cuts.size()));
  const std::vector<int64_t> of_each(ranks, static_cast<int64_t>(cuts.size()));
  comm.allgatherv(std::span<int64_t>(all_cuts), of_each);

  // Where rows from `row` on begin among some of a rank's, which rise.
  const auto position = [&](const uint32_t* rows, int64_t length, int64_t row) {
    return ghosts.are_all_ ? row : std::lower_bound(rows, rows + length, row) - rows;
  };
  for (size_t rank = 0; rank < ranks; ++rank)
    for (size_t i = 0; i < parts_.size(); ++i) {
      Ghosts::Range wanted, known;
      if (rank != ghosts.rank_) {
        const uint32_t* const theirs = ghosts.wanted_rows(rank);
        wanted = {position(theirs, ghosts.wanted_counts_[rank], cuts[i]),
                  position(theirs, ghosts.wanted_counts_[rank], cuts[i + 1])};
        const uint32_t* const here = ghosts.are_all_ ? nullptr : ghosts.known_rows(rank);
        const int64_t* const of_rank = &all_cuts[rank * cuts.size() + i];
        known = {position(here, ghosts.counts_[rank], of_rank[0]), position(here, ghosts.counts_[rank], of_rank[1])};
      }
      parts_[i].wanted.push_back(wanted);
      parts_[i].counts.push_back(known.end - known.begin);
      parts_[i].places.push_back(ghosts.blocks_[rank] + known.begin);
    }
}

GhostParts::GhostParts(const Ghosts& ghosts, const std::vector<int64_t>& cuts, Comm& comm, int64_t width)
    : ghosts_(ghosts), cuts_(ghosts, cuts, comm), width_(width), firsts_(ghosts.ranks()) {
  if (!ghosts.are_all())
    std::exclusive_scan(ghosts.wanted_counts_.begin(), ghosts.wanted_counts_.end(), firsts_.begin(), int64_t{0});
}

void GhostParts::begin(size_t i, std::span<double> values, std::span<double> room, Comm& comm) const {
  const GhostCuts::Part& part = cuts_.parts_[i];
  const std::span<const double> own = values.subspan(static_cast<size_t>(ghosts_.own_ * width_));
  std::vector<int64_t> send_counts, send_places, counts, places;
  std::vector<Ghosts::Range> pieces;
  for (size_t rank = 0; rank < ghosts_.ranks(); ++rank) {
    const auto& [begin, end] = part.wanted[rank];
    send_counts.push_back((end - begin) * width_);
    send_places.push_back((firsts_[rank] + begin) * width_);
    counts.push_back(part.counts[rank] * width_);
    places.push_back(part.places[rank] * width_);
    for (int64_t at = begin; !ghosts_.are_all_ && at < end; at += Ghosts::kPiece)
      pieces.push_back({firsts_[rank] + at, firsts_[rank] + std::min(at + Ghosts::kPiece, end)});
  }
  parallel_for(static_cast<int64_t>(pieces.size()), [&](int64_t k) {
    for (int64_t at = pieces[static_cast<size_t>(k)].begin; at < pieces[static_cast<size_t>(k)].end; ++at)
      std::copy_n(own.data() + ghosts_.wanted_[static_cast<size_t>(at)] * width_, width_, room.data() + at * width_);
  });
  comm.begin_alltoallv(ghosts_.are_all_ ? own : std::span<const double>(room), send_counts, send_places, values, counts,
                       places);
}

}  // namespace sparkgap
