// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "buffers/mapped_file.h"

namespace sparkgap {

/// A seal says that the writer of a file has checked what its values must be, so that readers need not: with arcs, that
/// all lead to vertices with numbers below a bound, and that weights are finite and not negative. It is the part of a
/// second in the time at which the file was changed last, made of the checksum and the bound. Who writes to the file
/// breaks it, as do a copy and a file system that keeps no nanoseconds; readers then check. A program that changes the
/// file through a mapping may leave it whole: nobody may do that to a file of the store.

/// Seals a file that is complete. Nothing happens where the file system refuses.
void seal(int file, uint32_t crc, int64_t bound);

/// Whether a file is sealed and this user's: others may write what they like. `crc32c` is what the manifest says.
[[nodiscard]] bool is_sealed(const MappedFile& file, const std::string& crc32c, int64_t bound);

}  // namespace sparkgap
