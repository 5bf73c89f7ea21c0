// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace sparkgap {

/// Receives a kernel's progress. Empty in tests. Called on rank 0's main thread; cheap enough for every iteration.
struct Progress {
  std::function<void(std::string_view phase, int64_t iteration, int64_t of, double residual)> report;
  void operator()(std::string_view phase, int64_t iteration = 0, int64_t of = 0, double residual = -1) const {
    if (report) report(phase, iteration, of, residual);
  }
};

}  // namespace sparkgap
