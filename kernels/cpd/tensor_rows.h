// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "buffers/buffer.h"
#include "ids/keys.h"
#include "ids/string_ids.h"
#include "learn/examples.h"
#include "mpi/comm.h"
#include "table/table.h"

namespace sparkgap {

/// The distinct keys of one mode of a tensor, of all ranks' rows.
struct TensorMode {
  std::vector<int64_t> keys;  ///< rising; the same on every rank. Of strings their hashes (StringIds)
  bool strings = false;

  int64_t size() const { return static_cast<int64_t>(keys.size()); }
};

/// The rows of a table as entries of a sparse tensor: instead of each key its place among the keys of its mode. The
/// places depend on the keys alone, not on ranks and threads.
class TensorRows {
 public:
  /// The first `modes` columns of the table are keys, integers or strings, each for itself; the next one is values.
  /// Collective. Refers to the table.
  ///
  /// Cost       integers that lie close together: two reads of an array over their range per key; others a hash table
  ///            per thread. Memory 8 bytes per distinct key and rank; where keys lie far apart 4 more per row and mode,
  ///            of strings 12
  /// Errors     kData: no rows, a null, a value that is NaN or infinite, more than 2^32 - 2 keys of a mode
  TensorRows(const Table& table, size_t modes, Comm& comm);

  int64_t rows() const { return table_.rows; }  ///< of this rank
  const std::vector<TensorMode>& modes() const { return modes_; }
  /// nullptr where no mode has any.
  const std::shared_ptr<const StringIds>& strings() const { return strings_; }

  /// body(row, place) for the rows [begin, end).
  template <typename Body>
  void places(size_t mode, int64_t begin, int64_t end, Body&& body) const {
    const Places& of = places_[mode];
    if (!of.by_row.empty()) {
      for (int64_t row = begin; row < end; ++row) body(row, of.by_row[static_cast<size_t>(row)]);
      return;
    }
    int64_t row = begin;
    of.keys.blocks<false>(begin, end, [&](const KeyBlock& block) {
      for (int64_t i = 0; i < block.rows; ++i)
        body(row + i, of.by_key[static_cast<size_t>(static_cast<uint64_t>(block.a[i]) - of.least)]);
      row += block.rows;
    });
  }
  /// Of the rows [begin, end), into out[0], ...
  void values(int64_t begin, int64_t end, double* out) const;
  /// Gives the memory of the places back; places() must not be called after.
  void release() { places_.clear(); }

 private:
  struct Places {
    KeyRows keys;
    uint64_t least = 0;
    Buffer<uint32_t> by_key{};  ///< of key - least, where keys lie close together
    Buffer<uint32_t> by_row{};  ///< else
  };
  static std::vector<int64_t> number_close(Places& places, uint64_t width, Comm& comm);
  static std::vector<int64_t> number_far(Places& places, Comm& comm);

  const Table& table_;
  std::vector<int64_t> starts_{0};  ///< first row of each batch, and their number
  NumberColumn values_;
  std::vector<TensorMode> modes_;
  std::vector<Places> places_;  ///< by mode
  std::shared_ptr<const StringIds> strings_;
};

}  // namespace sparkgap
