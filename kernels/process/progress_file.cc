// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "process/progress_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace sparkgap {

ProgressFile::ProgressFile(const std::string& path)
    : file_(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {}

ProgressFile::~ProgressFile() {
  write_held();
  if (file_ >= 0) close(file_);
}

Progress ProgressFile::progress() {
  return {[this](std::string_view phase, int64_t iteration, int64_t of, double residual) {
    report(phase, iteration, of, residual);
  }};
}

void ProgressFile::report(std::string_view phase, int64_t iteration, int64_t of, double residual) {
  if (file_ < 0) return;
  const bool first = phase != phase_;
  if (first) write_held();
  phase_ = phase;
  nlohmann::ordered_json line = {{"phase", phase_}};
  if (iteration > 0 || of > 0) line["iteration"] = iteration;
  if (of > 0) line["of"] = of;
  if (residual >= 0 && std::isfinite(residual)) line["residual"] = residual;
  held_ = line.dump() + "\n";
  const auto now = std::chrono::steady_clock::now();
  if (!first && iteration != of && now - written_at_ < std::chrono::milliseconds(50)) return;
  write_held();
  written_at_ = now;
}

void ProgressFile::write_held() {
  if (!held_.empty() && write(file_, held_.data(), held_.size()) < 0) {
    close(file_);
    file_ = -1;
  }
  held_.clear();
}

}  // namespace sparkgap
