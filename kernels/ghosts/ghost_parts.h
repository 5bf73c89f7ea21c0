// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ghosts/ghosts.h"

namespace sparkgap {

/// The rows of each rank cut into parts, as many on every rank, whose values travel while those of others are computed.
/// Here is where the ghosts of each part stand.
///
/// Memory     32 bytes for each part and rank
class GhostCuts {
 public:
  /// How many parts are worth their messages; 1 where no network lies between ranks, as it is this processor that would
  /// carry them. The same on all ranks. Collective.
  static int64_t parts_worth(const Ghosts& ghosts, int64_t value_bytes, Comm& comm);
  /// Cuts rows into so many parts of about equal work; work(row): that of all rows before it.
  template <typename Work>
  static std::vector<int64_t> equal(int64_t rows, int64_t parts, Work&& work) {
    std::vector<int64_t> cuts{0};
    for (int64_t part = 1; part < parts; ++part) {
      int64_t low = cuts.back(), high = rows;
      while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (work(middle) < cut(work(rows), parts, part)) low = middle + 1;
        else high = middle;
      }
      cuts.push_back(low);
    }
    cuts.push_back(rows);
    return cuts;
  }

  /// Part i is the rows from cuts[i] to cuts[i + 1]; all of them are all rows. Collective.
  GhostCuts(const Ghosts& ghosts, const std::vector<int64_t>& cuts, Comm& comm);

  size_t size() const { return parts_.size(); }

 private:
  friend class GhostParts;
  template <typename T>
  friend class ChangedParts;

  struct Part {
    std::vector<Ghosts::Range> wanted;    ///< by rank: what it gets
    std::vector<int64_t> counts, places;  ///< by rank: ghosts whose owner it is, and where the first is
  };

  std::vector<Part> parts_;
};

/// All values of a part travel at once.
class GhostParts {
 public:
  /// width: doubles for each row. Collective, see GhostCuts.
  GhostParts(const Ghosts& ghosts, const std::vector<int64_t>& cuts, Comm& comm, int64_t width = 1);

  size_t size() const { return cuts_.size(); }
  /// Doubles that all parts together take on their way: those of each row for each rank that has it as a ghost. 0 with
  /// few ranks (Ghosts::are_all()).
  size_t room() const { return ghosts_.wanted_.size() * static_cast<size_t>(width_); }
  /// Of a part, some values by place: those of ghosts begin to become those of their owners' rows, for
  /// Comm::progress() and finish(). Until then nobody may write to these rows or to the room, or read those ghosts.
  /// Collective.
  void begin(size_t part, std::span<double> values, std::span<double> room, Comm& comm) const;

 private:
  const Ghosts& ghosts_;
  const GhostCuts cuts_;
  int64_t width_;
  std::vector<int64_t> firsts_;  ///< of what each rank wants, in Ghosts::wanted_
};

/// Of a part those values travel that changed, each with its position.
///
/// Memory     a value and a bit for each ghost, and for each row that changed and each rank that has it as a ghost
template <typename T>
class ChangedParts {
 public:
  /// Collective, see GhostCuts.
  ChangedParts(const Ghosts& ghosts, const std::vector<int64_t>& cuts, Comm& comm)
      : ghosts_(ghosts), cuts_(ghosts, cuts, comm), send_(cuts_.size()), got_(cuts_.size()), rooms_(cuts_.size()) {
    for (size_t part = 0; part < cuts_.size(); ++part) {
      int64_t all = 0;
      for (const int64_t count : cuts_.parts_[part].counts) {
        starts_.push_back(all);
        const int64_t room = count == 0 ? 0 : 1 + PackedPositions::most_bytes(count) + count * int64_t{sizeof(T)};
        rooms_[part].push_back(room);
        all += room;
      }
      got_[part] = Buffer<uint8_t>(static_cast<size_t>(all), Content::kAnything);
    }
  }

  size_t size() const { return cuts_.size(); }
  /// value_of(row) of the rows of a part where changed(row) begins to travel, for Comm::progress() and finish(); and a
  /// note for all who get some. Collective.
  template <typename Changed, typename ValueOf>
  void begin(size_t part, uint8_t note, Changed&& changed, ValueOf&& value_of, Comm& comm) {
    std::vector<uint8_t>& send = send_[part];
    send.clear();
    std::vector<int64_t> bytes, places(ghosts_.ranks());
    for (size_t rank = 0; rank < ghosts_.ranks(); ++rank)  // no position, where the note alone will come
      if (rooms_[part][rank] > 0) got_[part][static_cast<size_t>(starts_of(part)[rank] + 1)] = 0;
    ghosts_.pack_changed<T>(
        cuts_.parts_[part].wanted, [note](std::vector<uint8_t>& to) { to.push_back(note); }, changed, value_of, send,
        bytes);
    std::exclusive_scan(bytes.begin(), bytes.end(), places.begin(), int64_t{0});
    comm.begin_alltoallv<uint8_t>(send, bytes, places, got_[part].span(), rooms_[part], starts_of(part));
  }
  /// After Comm::finish(): noted(note, begin, end) for the ghosts in these places, of a part and rank, and then
  /// taken(place, value) for those whose values came.
  template <typename Noted, typename Taken>
  void take(Noted&& noted, Taken&& taken) const {
    for (size_t i = 0; i < cuts_.size(); ++i) {
      const GhostCuts::Part& part = cuts_.parts_[i];
      for (size_t rank = 0; rank < ghosts_.ranks(); ++rank) {
        if (part.counts[rank] == 0) continue;
        const int64_t first = part.places[rank];
        const auto block =
            got_[i].span().subspan(static_cast<size_t>(starts_of(i)[rank]), static_cast<size_t>(rooms_[i][rank]));
        noted(block[0], first, first + part.counts[rank]);
        Ghosts::each_changed<T>(block.subspan(1), part.counts[rank],
                                [&](uint32_t position, const T& value) { taken(first + position, value); });
      }
    }
  }

 private:
  std::span<const int64_t> starts_of(size_t part) const {
    return std::span(starts_).subspan(part * ghosts_.ranks(), ghosts_.ranks());
  }

  const Ghosts& ghosts_;
  const GhostCuts cuts_;
  std::vector<std::vector<uint8_t>> send_;   ///< by part
  std::vector<Buffer<uint8_t>> got_;         ///< by part: a room for each rank
  std::vector<std::vector<int64_t>> rooms_;  ///< bytes
  std::vector<int64_t> starts_;              ///< of rooms, by part and rank
};

}  // namespace sparkgap
