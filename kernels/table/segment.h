// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace sparkgap {

/// A segment as a manifest or a job names it. Negative rows or bytes and an empty checksum are not known.
struct Segment {
  std::string host, path;
  int64_t rows = -1, bytes = -1;
  std::string crc32c = "";
};

}  // namespace sparkgap
