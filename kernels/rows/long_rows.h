// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "mpi/comm.h"
#include "table/table.h"

namespace sparkgap {

/// A matrix as rows (row number, column number, value) of rank 0, the others have none: `names` are those of the two
/// numbers, the third is "value". How models leave a kernel.
Output long_rows(std::array<std::string, 2> names, size_t width, std::vector<double> matrix, const Comm& comm);

}  // namespace sparkgap
