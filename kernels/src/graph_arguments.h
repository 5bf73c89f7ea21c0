// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "buffer.h"
#include "graph_rows.h"
#include "kernel.h"

// What all kernels on graphs say alike: the same inputs and parameters by the same words, and ids in the result.

namespace sparkgap {

/// `edges`, and `vertices` with the column `id`, which may be left out.
std::vector<InputSpec> graph_inputs();
/// Columns of `edges`.
Parameter source_column();
Parameter destination_column();
Parameter weight_column();
Parameter directed_flag();

/// The tables of a kernel whose Spec has the inputs and parameters above.
GraphTables graph_tables(const Inputs& inputs, const Values& values);

/// Result column `id`: the ids themselves, or the strings behind these keys. Refers to both.
OutputColumn id_column(const Buffer<int64_t>& ids, const StringIds* strings);

}  // namespace sparkgap
