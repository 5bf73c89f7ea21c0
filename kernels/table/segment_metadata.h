// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "table/arrow_flatbuffers.h"
#include "table/table.h"

namespace sparkgap {

/// Where a batch lies in its file: offset of its message, length of the message with its prefix and padding, length of
/// its body.
struct BatchPlace {
  int64_t offset, message_bytes, body_bytes;
};

/// The three kinds of metadata of an Arrow file, as flatbuffers without their prefixes. nodes: one per column, and one
/// for the elements of an array behind its own.
std::string encode_schema(const std::vector<OutputColumn>& columns);
std::string encode_batch(int64_t rows, const std::vector<sparkgap_node>& nodes,
                         const std::vector<sparkgap_extent>& buffers, int64_t body_bytes);
std::string encode_footer(const std::vector<OutputColumn>& columns, const std::vector<BatchPlace>& batches);

}  // namespace sparkgap
