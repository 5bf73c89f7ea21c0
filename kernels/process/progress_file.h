// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "process/progress.h"

namespace sparkgap {

/// Appends progress to a file as JSON lines, one write per line. At most 20 lines a second, but always the first and
/// the last of each phase. Progress is advice: a line that cannot be written is dropped.
class ProgressFile {
 public:
  explicit ProgressFile(const std::string& path);
  ~ProgressFile();
  ProgressFile(const ProgressFile&) = delete;
  ProgressFile& operator=(const ProgressFile&) = delete;

  Progress progress();

 private:
  void report(std::string_view phase, int64_t iteration, int64_t of, double residual);
  void write_held();

  int file_;
  std::string phase_, held_;  // held_: the newest line that is not written yet
  std::chrono::steady_clock::time_point written_at_{};
};

}  // namespace sparkgap
