// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <span>
#include <string>

#include "process/error.h"

namespace sparkgap {

/// Throws Error(kData) where a label of this rank is not a class: a whole number that fits 32 bits, at least 0.
inline void require_classes(std::span<const double> labels) {
  for (size_t row = 0; row < labels.size(); ++row)
    if (const double label = labels[row]; !(label >= 0) || label > 2147483647 || label != std::floor(label))
      throw Error(Exit::kData, "label", "whole numbers from 0 to 2147483647",
                  std::to_string(label) + " in row " + std::to_string(row + 1),
                  "Index the labels, as StringIndexer does");
}

}  // namespace sparkgap
