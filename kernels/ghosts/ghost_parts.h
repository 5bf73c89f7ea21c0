// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ghosts/ghosts.h"

namespace sparkgap {

/// Values of ghosts that travel part by part: those of the rows that are done, while the others are computed.
///
/// The rows of each rank are cut into parts, as many on every rank.
///
/// Memory     8 bytes for each row and each rank that has it as a ghost; none with few ranks (Ghosts::are_all())
class GhostParts {
 public:
  /// Part i is the rows from cuts[i] to cuts[i + 1]; all of them are all rows. Collective.
  GhostParts(const Ghosts& ghosts, const std::vector<int64_t>& cuts, Comm& comm);

  size_t size() const { return parts_.size(); }
  /// Of a part, some values by place: those of ghosts begin to become those of their owners' rows, for
  /// Comm::progress() and finish(). Until then nobody may write to these rows, or read those ghosts. Collective.
  void begin(size_t part, std::span<double> values, Comm& comm) const;

 private:
  struct Piece {
    int64_t begin, end;
  };
  struct Part {
    std::vector<int64_t> send_counts, send_places, counts, places;  ///< by rank
    std::vector<Piece> pieces;                                      ///< of what is wanted
  };

  const Ghosts& ghosts_;
  std::vector<Part> parts_;
  Buffer<double> sent_;  ///< as Ghosts::wanted_
};

}  // namespace sparkgap
