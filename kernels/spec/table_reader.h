// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "process/parallel.h"
#include "spec/spec.h"
#include "table/segment.h"
#include "table/table.h"

namespace sparkgap {

/// One of `parts` equal contiguous ranges of rows: the ranks of one host share the host's segments.
struct Share {
  int part = 0, parts = 1;
  int64_t begin(int64_t rows) const { return cut(rows, parts, part); }
  int64_t end(int64_t rows) const { return cut(rows, parts, part + 1); }
};

/// A column that a kernel asks for, and what it takes: "id", "key", "number" or "features" (spec.h).
struct ColumnRequest {
  std::string name, accepts;
};

/// The columns that this Spec and these parameters ask of an input, in the order that kernel.h promises.
std::vector<ColumnRequest> requested_columns(const Spec& spec, const Values& parameters, const InputSpec& input);

/// The rows of all of them, as far as they are known. Throws Error(kData) where that number cannot be.
int64_t total_rows(const std::string& name, const std::vector<Segment>& segments);

/// Maps the segments that hold this share's rows and makes the table of its views.
///
/// Input      segments: those of this host, in order; read nothing but metadata (and the offsets of strings), map all
/// Output     a Table with `rows` set; `rows_global` is this host's rows, for the caller to replace where there are
///            more hosts
/// Params     verify: compare sizes and checksums of the mapped files with the segments' first
/// Cost       O(batches); with strings 4 bytes per row; no copy
/// Errors     kData: file missing, damaged or not as the manifest says, no such column, a type that is not accepted
[[nodiscard]] Table read_table(const std::string& name, const std::vector<Segment>& segments,
                               const std::vector<ColumnRequest>& columns, Share share, bool verify = false);

}  // namespace sparkgap
