// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "table/seal.h"

#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <ctime>

namespace sparkgap {
namespace {

/// From 1 to 999,999,999: no whole second.
int64_t nanoseconds(uint32_t crc, int64_t bound) {
  constexpr int64_t kOthers = 999999999;
  return 1 + (int64_t{crc} + 31 * (bound % kOthers)) % kOthers;
}

}  // namespace

void seal(int file, uint32_t crc, int64_t bound) {
  const timespec kept{0, UTIME_OMIT}, changed{std::time(nullptr), nanoseconds(crc, bound)};
  const timespec times[] = {kept, changed};
  (void)futimens(file, times);
}

bool is_sealed(const MappedFile& file, const std::string& crc32c, int64_t bound) {
  uint32_t crc = 0;
  const char* const end = crc32c.data() + crc32c.size();
  if (crc32c.empty() || std::from_chars(crc32c.data(), end, crc, 16).ptr != end) return false;
  return file.owner() == geteuid() && file.changed_nanoseconds() == nanoseconds(crc, bound);
}

}  // namespace sparkgap
