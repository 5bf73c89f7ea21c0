// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "buffers/buffer.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "process/error.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23  // of Linux 5.14, in headers since glibc 2.35
#endif

namespace sparkgap {
namespace {

constexpr size_t kPage = 4096, kHugePage = size_t{2} << 20;

size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

/// Makes the pages that are no huge ones now. A page that is read before it is written gets two faults, and at the
/// second all threads of the process are interrupted to forget the first: that costs more than they compute where there
/// are few arcs.
void populate_small_pages(char* first, size_t bytes) {
  const size_t huge = bytes / kHugePage * kHugePage;
  if (bytes > huge) (void)populate(first + huge, bytes - huge);  // a refusal changes nothing
}

/// What MemoryReuse keeps.
struct Kept {
  struct Piece {
    char* data;
    size_t bytes;
  };
  std::mutex lock;
  int users = 0;
  std::vector<Piece> pieces;

  /// The least piece that is large enough, cut to size; its rest stays here. nullptr where there is none.
  char* take(size_t bytes) {
    const std::lock_guard guard(lock);
    auto best = pieces.end();
    for (auto piece = pieces.begin(); piece != pieces.end(); ++piece)
      if (piece->bytes >= bytes && (best == pieces.end() || piece->bytes < best->bytes)) best = piece;
    if (best == pieces.end()) return nullptr;
    char* const data = best->data;
    const size_t end = round_up(bytes, kHugePage);
    // The rest starts with a huge page again; what is left of the last one goes with neither.
    if (bytes < std::min(end, best->bytes)) munmap(data + bytes, std::min(end, best->bytes) - bytes);
    if (best->bytes >= end + kHugePage) {
      *best = {data + end, best->bytes - end};
    } else {
      if (best->bytes > end) munmap(data + end, best->bytes - end);
      pieces.erase(best);
    }
    return data;
  }
  bool give(void* data, size_t bytes) {
    if (bytes < kHugePage) return false;
    const std::lock_guard guard(lock);
    if (users > 0) pieces.push_back({static_cast<char*>(data), bytes});
    return users > 0;
  }
};

Kept& kept() {
  static Kept the_one;
  return the_one;
}

}  // namespace

void* map_pages(size_t bytes) {
  const bool huge = bytes >= kHugePage;
  const size_t wanted = round_up(bytes, kPage), asked = wanted + (huge ? kHugePage : 0);
  void* const mapped = mmap(nullptr, asked, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  if (!huge) return mapped;
  const auto first = reinterpret_cast<uintptr_t>(mapped), start = round_up(first, kHugePage), surplus = start - first;
  if (surplus > 0) munmap(mapped, surplus);
  if (surplus < kHugePage) munmap(reinterpret_cast<void*>(start + wanted), kHugePage - surplus);
  madvise(reinterpret_cast<void*>(start), wanted, MADV_HUGEPAGE);
  return reinterpret_cast<void*>(start);
}

bool populate(void* first, size_t bytes) {
  return madvise(first, bytes, MADV_POPULATE_WRITE) == 0 || errno == EINVAL;  // an older system does not know it
}

MemoryReuse::MemoryReuse() {
  const std::lock_guard guard(kept().lock);
  ++kept().users;
}

MemoryReuse::~MemoryReuse() {
  const std::lock_guard guard(kept().lock);
  if (--kept().users > 0) return;
  for (const Kept::Piece& piece : kept().pieces) munmap(piece.data, piece.bytes);
  kept().pieces.clear();
}

Memory::Memory(size_t bytes, Content content) {
  if (bytes == 0) return;
  bytes_ = round_up(bytes, kPage);
  if (bytes >= kHugePage && content == Content::kAnything) data_ = kept().take(bytes_);
  if (data_ != nullptr) return;
  data_ = map_pages(bytes_);
  if (data_ == nullptr)
    throw Error(Exit::kNoRoom, "memory", "room for " + std::to_string(bytes) + " bytes more", "none",
                "Use more hosts, fewer ranks per host or a smaller input");
  populate_small_pages(static_cast<char*>(data_), bytes_);
}

Memory::~Memory() {
  if (data_ != nullptr && !kept().give(data_, bytes_)) munmap(data_, bytes_);
}

}  // namespace sparkgap
