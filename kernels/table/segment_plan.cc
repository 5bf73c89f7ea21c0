// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "table/segment_plan.h"

#include <algorithm>
#include <stdexcept>

namespace sparkgap {
namespace {

// Bytes that a row takes besides characters. A kernel's booleans are bytes, in the file they are bits.
int64_t fixed_bytes(const OutputColumn& column) {
  constexpr int64_t kOffset = 4;
  switch (column.type) {
    case Type::kBool:
    case Type::kInt8:
      return 1;
    case Type::kInt16:
      return 2;
    case Type::kInt32:
    case Type::kFloat32:
    case Type::kDate32:
      return 4;
    case Type::kString:
    case Type::kBinary:
      return kOffset;
    case Type::kArray:
      return kOffset + 8 * column.width;
    case Type::kInt64:
    case Type::kFloat64:
    case Type::kTimestamp:
    case Type::kTimestampNtz:
      return 8;
    case Type::kDecimal128:
    case Type::kStruct:
      break;
  }
  throw std::logic_error("no kernel writes " + type_name(column.type));
}

// Validity, a bit per row and only where there are nulls, counts as a byte.
int64_t row_bytes(const OutputColumn& column) { return fixed_bytes(column) + (column.validity != nullptr ? 1 : 0); }

int64_t characters(const OutputColumn& column, RowRange range) {
  int64_t bytes = 0;
  for (int64_t i = range.first; i < range.first + range.rows; ++i)
    bytes += static_cast<int64_t>(column.strings[static_cast<size_t>(i)].size());
  return bytes;
}

// Generous bounds of the metadata's size: exact sizes are known only when it is encoded.
int64_t file_overhead(const Output& output) {
  int64_t bytes = 2048;
  for (const auto& column : output.columns)
    bytes += 2 * ((column.type == Type::kArray ? 320 : 160) + static_cast<int64_t>(column.name.size()));
  return bytes;
}
int64_t batch_overhead(const Output& output) {
  return 512 + static_cast<int64_t>(output.columns.size()) * (96 + 3 * kAlignment);
}

// As many rows from `first` on as fit into `room`, at least one where there is one; takes them out of `room`.
int64_t take_rows(const Output& output, int64_t first, int64_t& room) {
  const int64_t most = std::min(output.rows - first, kMaxBatchRows);
  int64_t fixed = 0;
  std::vector<const OutputColumn*> texts;
  for (const auto& column : output.columns) {
    fixed += row_bytes(column);
    if (has_characters(column.type)) texts.push_back(&column);
  }
  room -= batch_overhead(output);
  int64_t rows = 0;
  if (texts.empty()) {
    rows = std::clamp<int64_t>(fixed == 0 ? most : room / fixed, std::min<int64_t>(most, 1), most);
    room -= rows * fixed;
    return rows;
  }
  for (; rows < most; ++rows) {
    int64_t bytes = fixed;
    for (const auto* column : texts)
      bytes += static_cast<int64_t>(column->strings[static_cast<size_t>(first + rows)].size());
    if (bytes > room && rows > 0) break;
    room -= bytes;
  }
  return rows;
}

}  // namespace

std::vector<std::vector<RowRange>> plan_segments(const Output& output, int64_t segment_bytes) {
  const int64_t empty = std::min(segment_bytes, kMaxSegmentBytes) - file_overhead(output);
  std::vector<std::vector<RowRange>> segments(1);
  int64_t room = empty;
  for (int64_t first = 0; first < output.rows || segments.back().empty();) {
    int64_t left = room;
    const int64_t rows = take_rows(output, first, left);
    const bool cut_short = left < 0 || rows < std::min(output.rows - first, kMaxBatchRows);
    if (cut_short && !segments.back().empty()) {  // rather a full batch in the next segment
      segments.emplace_back();
      room = empty;
      continue;
    }
    segments.back().push_back({first, rows});
    room = left;
    first += rows;
  }
  return segments;
}

int64_t value_bytes(const OutputColumn& column, RowRange range) {
  if (has_characters(column.type)) return characters(column, range);
  return range.rows * (column.type == Type::kArray ? 8 * column.width : fixed_bytes(column));
}

int64_t value_bytes(const Output& output) {
  int64_t bytes = 0;
  for (const auto& column : output.columns)
    bytes += value_bytes(column, {0, output.rows}) +
             (has_offsets(column.type) ? output.rows * static_cast<int64_t>(sizeof(int32_t)) : 0);
  return bytes;
}

}  // namespace sparkgap
