// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparkgap {

/// Whether the file system of an open file is in memory, with no disk below.
bool is_in_memory(int file);

/// Bytes per second of a file of which nothing is in the page cache: a few pieces of it are read past that, in a second
/// at most. 0 where it cannot be read, or its file system is in memory.
double disk_speed(const std::string& path);

}  // namespace sparkgap
