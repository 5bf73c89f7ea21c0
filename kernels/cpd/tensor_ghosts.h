// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpd/sparse_tensor.h"

namespace sparkgap {

/// By mode the places that a rank's entries name, in all copies; then those stand in the entries, instead of numbers of
/// all ranks. Their order stays. With few ranks (Ghosts::kFewRanks), or where entries of most ranks name most keys, all
/// are known, and nothing changes.
///
/// Cost       one read of all copies, or two; while it runs 1/4 byte per key of each mode
/// Parallel   collective over comm; all threads
template <typename Packed>
[[nodiscard]] std::vector<Ghosts> find_ghosts(const std::vector<PlaceBits>& layout, TensorCopies<Packed>& copies,
                                              Comm& comm);

}  // namespace sparkgap
