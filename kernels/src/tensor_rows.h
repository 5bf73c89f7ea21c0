// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "buffer.h"
#include "comm.h"
#include "string_ids.h"
#include "table.h"

namespace sparkgap {

/// The distinct keys of one mode of a tensor, of all ranks' rows.
struct TensorMode {
  std::vector<int64_t> keys;  ///< rising; the same on every rank. Of strings their hashes (StringIds)
  bool strings = false;

  int64_t size() const { return static_cast<int64_t>(keys.size()); }
};

/// The rows of a table as entries of a sparse tensor: instead of each key its place among the keys of its mode. The places depend on
/// the keys alone, not on ranks and threads.
struct TensorRows {
  std::vector<TensorMode> modes;
  std::vector<Buffer<uint32_t>> places;       ///< by mode, then by row of this rank
  Buffer<double> values;                      ///< by row
  std::shared_ptr<const StringIds> strings;   ///< nullptr where no mode has any

  int64_t rows() const { return static_cast<int64_t>(values.size()); }
};

/// The first `modes` columns of the table are keys, integers or strings, each for itself; the next one is values. Collective.
///
/// Cost       integers that lie close together: two reads of an array over their range per key; others a hash table per thread.
///            Memory 8 + 4 bytes per row and mode, 8 per distinct key and rank
/// Errors     kData: no rows, a null, a value that is NaN or infinite, more than 2^32 - 2 keys of a mode
[[nodiscard]] TensorRows tensor_rows_of(const Table& table, size_t modes, Comm& comm);

}  // namespace sparkgap
