// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "graph.h"

namespace sparkgap {

/// Vertices that a user named.
struct NamedRows {
  std::vector<int64_t> rows;  ///< those of this rank, rising
  int64_t distinct = 0;       ///< of all ranks
};

/// Finds ids, given as text, in a graph. `parameter` is what the user calls the list. Collective. Throws kArguments where the list
/// is empty, kData where one is no vertex.
NamedRows find_named_rows(const Graph& graph, const std::vector<std::string>& ids, const std::string& parameter, Comm& comm);

}  // namespace sparkgap
