// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "buffers/buffer.h"
#include "cpd/tensor_rows.h"
#include "ghosts/ghosts.h"
#include "mpi/comm.h"
#include "rows/row_chunks.h"

namespace sparkgap {

/// Where a mode's place stands in the packed places of an entry: the first mode in the highest bits.
struct PlaceBits {
  int shift = 0;
  int bits = 0;

  template <typename Packed>
  uint32_t of(Packed packed) const {
    return static_cast<uint32_t>(packed >> shift) & static_cast<uint32_t>((uint64_t{1} << bits) - 1);
  }
};

/// An entry that is not zero. Packed is uint64_t, or unsigned __int128 where the places do not fit.
template <typename Packed>
struct TensorEntry {
  Packed at;
  double value;
};

/// All entries whose place in one mode belongs to this rank, by it and then by the places in the other modes.
template <typename Packed>
struct TensorCopy {
  Buffer<TensorEntry<Packed>> entries;
  std::vector<int64_t> starts{0};  ///< of each of this rank's places, and one more
  std::vector<int64_t> by_rank;    ///< how many places belong to each rank, in rank order

  int64_t rows() const { return static_cast<int64_t>(starts.size()) - 1; }
};
template <typename Packed>
using TensorCopies = std::vector<TensorCopy<Packed>>;

/// The entries of a tensor, each once, in one copy for each mode: a row of a copy is summed up by one rank, and nobody
/// else writes there. Of each mode a rank knows the places that belong to it and those that its entries name, its
/// ghosts: entries say these, and the numbers of keys are those of all ranks.
struct SparseTensor {
  std::vector<PlaceBits> layout;  ///< by mode
  std::vector<Ghosts> known;      ///< by mode
  std::vector<int64_t> sizes;     ///< by mode: how many keys
  int64_t entries = 0;            ///< of all ranks
  int64_t duplicates = 0;         ///< rows that were added to another of the same keys
  double squares = 0;             ///< sum of the values' squares
  std::variant<TensorCopies<uint64_t>, TensorCopies<unsigned __int128>> copies;

  /// The rows' places are given back on the way. Collective.
  ///
  /// Cost       per mode one split and a radix sort within the cache; with more than three ranks two more reads, to
  ///            find ghosts; memory 16 bytes per entry and mode (32 where the places take more than 63
  ///            bits), and as much once more while the first one is made
  /// Parallel   which rank a place belongs to depends on how many entries each has; entries stand in the same order for
  ///            any np and threads
  /// Errors     kData: the sizes' product is above 2^127; a sum of rows of the same keys is beyond the largest double;
  ///            no value but 0
  SparseTensor(TensorRows& rows, const std::string& name, Comm& comm);
};

}  // namespace sparkgap
