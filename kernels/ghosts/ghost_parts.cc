// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "ghosts/ghost_parts.h"

namespace sparkgap {

GhostParts::GhostParts(const Ghosts& ghosts, const std::vector<int64_t>& cuts, Comm& comm)
    : ghosts_(ghosts), parts_(cuts.size() - 1) {
  const size_t ranks = ghosts.ranks();
  std::vector<int64_t> all_cuts(ranks * cuts.size());
  std::copy(cuts.begin(), cuts.end(), all_cuts.begin() + static_cast<int64_t>(ghosts.rank_ * cuts.size()));
  const std::vector<int64_t> of_each(ranks, static_cast<int64_t>(cuts.size()));
  comm.allgatherv(std::span<int64_t>(all_cuts), of_each);

  // Where rows from `row` on begin among some of a rank's, which rise.
  const auto position = [&](const uint32_t* rows, int64_t length, int64_t row) {
    return ghosts.are_all_ ? row : std::lower_bound(rows, rows + length, row) - rows;
  };
  int64_t first = 0;  // of what a rank wants, among all that is wanted
  for (size_t rank = 0; rank < ranks; first += ghosts.wanted_counts_[rank++])
    for (size_t i = 0; i < parts_.size(); ++i) {
      Part& part = parts_[i];
      int64_t from = 0, to = 0, begin = 0, end = 0;
      if (rank != ghosts.rank_) {
        const uint32_t* const wanted = ghosts.wanted_rows(rank);
        from = position(wanted, ghosts.wanted_counts_[rank], cuts[i]);
        to = position(wanted, ghosts.wanted_counts_[rank], cuts[i + 1]);
        const uint32_t* const known = ghosts.are_all_ ? nullptr : ghosts.known_rows(rank);
        const int64_t* const theirs = &all_cuts[rank * cuts.size() + i];
        begin = position(known, ghosts.counts_[rank], theirs[0]);
        end = position(known, ghosts.counts_[rank], theirs[1]);
      }
      part.send_counts.push_back(to - from);
      part.send_places.push_back((ghosts.are_all_ ? 0 : first) + from);
      part.counts.push_back(end - begin);
      part.places.push_back(ghosts.blocks_[rank] + begin);
      for (int64_t at = from; !ghosts.are_all_ && at < to; at += Ghosts::kPiece)
        part.pieces.push_back({first + at, first + std::min(at + Ghosts::kPiece, to)});
    }
  sent_ = Buffer<double>(ghosts.wanted_.size(), Content::kAnything);
}

void GhostParts::begin(size_t i, std::span<double> values, Comm& comm) const {
  const Part& part = parts_[i];
  const std::span<const double> own = values.subspan(static_cast<size_t>(ghosts_.own_));
  parallel_for(static_cast<int64_t>(part.pieces.size()), [&](int64_t k) {
    const Piece& piece = part.pieces[static_cast<size_t>(k)];
    for (auto at = static_cast<size_t>(piece.begin); at < static_cast<size_t>(piece.end); ++at)
      sent_[at] = own[ghosts_.wanted_[at]];
  });
  comm.begin_alltoallv(ghosts_.are_all_ ? own : std::span<const double>(sent_.span()), part.send_counts,
                       part.send_places, values, part.counts, part.places);
}

}  // namespace sparkgap
