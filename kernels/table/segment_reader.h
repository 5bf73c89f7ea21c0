// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "buffers/mapped_file.h"
#include "table/table.h"

namespace sparkgap {

/// A column of a segment. A type outside of store/FORMAT.md is absent and known by its Arrow name only.
struct SegmentColumn {
  std::string name;
  std::optional<Type> type;
  std::string arrow_type;                    ///< for messages
  std::vector<SegmentColumn> children = {};  ///< of arrays and structs; where one has no type, this has none
};

struct SegmentBatch {
  int64_t rows = 0;
  std::vector<ColumnView> columns;  ///< all columns of the file; empty views where the type is absent
};

/// What the metadata of one Arrow file says. The views lie in the mapping: each was checked to be inside the file,
/// aligned and long enough for its batch's rows.
struct SegmentContent {
  std::vector<SegmentColumn> columns;
  std::vector<SegmentBatch> batches;
  int64_t rows = 0;
};

/// Parses the metadata of an Arrow IPC file. Throws Error(kData) naming `where` and the file for anything that is
/// damaged, compressed, dictionary-encoded or big-endian.
[[nodiscard]] SegmentContent read_segment(const MappedFile& file, const std::string& where);

/// Whether the offsets of these rows, of strings or arrays or of those in structs, ascend and end within the column's
/// values. Costs one pass, so it is done for the columns and rows that are used. Arrays in arrays are not looked into.
[[nodiscard]] bool offsets_are_sound(const ColumnView& column, int64_t rows);

}  // namespace sparkgap
