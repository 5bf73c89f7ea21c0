// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "buffer.h"

#include <sys/mman.h>

#include <cstdint>
#include <string>

#include "error.h"

namespace sparkgap {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;

size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

Memory::Memory(size_t bytes) {
  if (bytes == 0) return;
  const bool huge = bytes >= kHugePage;
  const size_t wanted = round_up(bytes, 4096), asked = wanted + (huge ? kHugePage : 0);
  void* mapped = mmap(nullptr, asked, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    throw Error(Exit::kNoRoom, "memory", "room for " + std::to_string(bytes) + " bytes more", "none",
                "Use more hosts, fewer ranks per host or a smaller input");
  auto first = reinterpret_cast<uintptr_t>(mapped);
  if (huge) {
    const uintptr_t start = round_up(first, kHugePage), surplus = start - first;
    if (surplus > 0) munmap(mapped, surplus);
    if (surplus < kHugePage) munmap(reinterpret_cast<void*>(start + wanted), kHugePage - surplus);
    first = start;
    madvise(reinterpret_cast<void*>(first), wanted, MADV_HUGEPAGE);
  }
  data_ = reinterpret_cast<void*>(first);
  bytes_ = wanted;
}

Memory::~Memory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

}  // namespace sparkgap
