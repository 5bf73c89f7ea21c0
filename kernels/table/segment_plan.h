// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "table/table.h"

namespace sparkgap {

constexpr int64_t kAlignment = 64;
constexpr int64_t kMaxBatchRows = 1 << 20;
constexpr int64_t kMaxSegmentBytes = int64_t{1} << 30;

struct RowRange {
  int64_t first = 0, rows = 0;
};

/// How rows are cut into segments (outer) of batches (inner): every batch at most kMaxBatchRows, every segment below
/// segment_bytes (and 2^30) unless one row alone is larger; one empty batch where there are no rows.
[[nodiscard]] std::vector<std::vector<RowRange>> plan_segments(const Output& output, int64_t segment_bytes);

/// Bytes of all values, without metadata and padding.
int64_t value_bytes(const Output& output);
/// Bytes of these rows of a column, without offsets.
int64_t value_bytes(const OutputColumn& column, RowRange range);

/// Strings and binary: offsets and characters instead of fixed-width values.
inline bool has_characters(Type type) { return type == Type::kString || type == Type::kBinary; }
inline bool has_offsets(Type type) { return has_characters(type) || type == Type::kArray; }

}  // namespace sparkgap
