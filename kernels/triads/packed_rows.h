// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "buffers/buffer.h"
#include "buffers/leb128.h"
#include "mpi/comm.h"
#include "triads/oriented_rows.h"

namespace sparkgap {

/// Oriented rows as they travel from rank to rank and are kept by those that meet them a few times: of each row its
/// length, then what each neighbour lies above the one before, in 1 to 5 bytes; on R-MAT graphs about 1.3 for each
/// neighbour.
class PackedRows {
 public:
  PackedRows() = default;
  /// With `mutual` a bit more for each neighbour.
  PackedRows(const OrientedRows& rows, bool mutual);

  /// Rows are unpacked by chunks of about equal work, each by one thread.
  int64_t chunks() const { return static_cast<int64_t>(chunks_.size()) - 1; }
  /// body(label, ends, mutual) for each row of a chunk that has neighbours.
  template <typename Body>
  void each_row(int64_t chunk, Body&& body) const {
    std::vector<uint32_t> ends;
    std::vector<uint8_t> mutual;
    const Chunk &from = chunks_[static_cast<size_t>(chunk)], &to = chunks_[static_cast<size_t>(chunk) + 1];
    const uint8_t* at = bytes_.data() + from.at;
    for (int64_t row = from.row; row < to.row; ++row) {
      const uint64_t degree = take_number(at);
      if (degree == 0) continue;
      ends.clear(), mutual.clear();
      uint32_t end = 0;
      for (uint64_t i = 0; i < degree; ++i) {
        const uint64_t number = take_number(at);
        ends.push_back(end += static_cast<uint32_t>(number >> head_.mutual));
        if (head_.mutual != 0) mutual.push_back(number & 1);
      }
      body(static_cast<uint32_t>(head_.first + row * head_.stride), ends, mutual);
    }
  }
  [[nodiscard]] OrientedRows unpack() const;

  /// Hands these on to a rank and gets those of another. Collective; all ranks hand something to one and get from one.
  [[nodiscard]] PackedRows hand_on(int to, int from, Comm& comm) const;

 private:
  /// Where a chunk begins; the last one is where all end.
  struct Chunk {
    int64_t at = 0, row = 0, edge = 0;  ///< byte, row, and neighbours of the rows before
  };
  struct Head {
    int64_t first = 0, stride = 1, mutual = 0;
    int64_t chunks = 1, bytes = 0;
  };

  Head head_;
  std::vector<Chunk> chunks_{Chunk{}};
  Buffer<uint8_t> bytes_;
};

}  // namespace sparkgap
