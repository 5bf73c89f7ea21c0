// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "table/segment.h"
#include "table/table.h"

namespace sparkgap {

constexpr int64_t kDefaultSegmentBytes = int64_t{1} << 28;

/// Writes this rank's rows as segments <directory>/rank-<5 digits>-<n>.arrow by store/FORMAT.md.
///
/// Input      output: rows, columns of any type of FORMAT.md but decimals and structs, of arrays those of doubles;
///            booleans and validity are one byte per row
/// Output     what was written, in order, host empty; at least one segment, with one empty batch where there are no
///            rows
/// Params     segment_bytes > 0 [bytes]: a segment ends before this size (and 2^30) unless one row alone is larger
/// Cost       fixed-width values go from the kernel's arrays to the file; strings are laid end to end per batch first,
///            and offsets are made
/// Parallel   not collective; a thread for each segment
/// Errors     kNoRoom: the directory cannot be written or is full (names it and the bytes needed); after any throw
///            nothing that this call wrote is left
[[nodiscard]] std::vector<Segment> write_segments(const Output& output, const std::string& directory, int rank,
                                                  int64_t segment_bytes);

/// Writes the arcs of a graph as <directory>/<direction>-<5 digits>.arrow: one segment with one batch however long,
/// because what maps it needs each column in one piece. It is sealed (seal.h). The rest as above.
[[nodiscard]] Segment write_arcs(const OutputArcs& arcs, const std::string& direction, const std::string& directory,
                                 int rank);

}  // namespace sparkgap
