// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "buffers/disk_speed.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace sparkgap {
namespace {

constexpr decltype(statfs::f_type) kTmpfs = 0x01021994;
constexpr int64_t kPiece = 4 << 20, kPieces = 8, kAligned = 4096;
constexpr double kMostSeconds = 1;

/// Bytes that were read; what is in the page cache is dropped first, for file systems that do not read past it.
int64_t read_piece(int file, int64_t at, uint8_t* into) {
  posix_fadvise(file, at, kPiece, POSIX_FADV_DONTNEED);
  int64_t done = 0;
  while (done < kPiece) {
    const ssize_t n = pread(file, into + done, static_cast<size_t>(kPiece - done), at + done);
    if (n <= 0) break;
    done += n;
    if (n % kAligned != 0) break;  // the end of the file
  }
  return done;
}

}  // namespace

bool is_in_memory(int file) {
  struct statfs system{};
  return fstatfs(file, &system) == 0 && system.f_type == kTmpfs;
}

double disk_speed(const std::string& path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT);
  if (file < 0) file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  struct stat status{};
  const std::unique_ptr<uint8_t, decltype(&std::free)> piece(
      static_cast<uint8_t*>(std::aligned_alloc(kAligned, static_cast<size_t>(kPiece))), std::free);
  int64_t bytes = 0;
  double seconds = 0;
  if (piece != nullptr && fstat(file, &status) == 0 && !is_in_memory(file)) {
    const int64_t stride = std::max(kPiece, status.st_size / kPieces / kAligned * kAligned);
    const auto begin = std::chrono::steady_clock::now();
    for (int64_t at = 0; at < status.st_size && seconds < kMostSeconds; at += stride) {
      bytes += read_piece(file, at, piece.get());
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
  }
  close(file);
  return seconds > 0 ? static_cast<double>(bytes) / seconds : 0;
}

}  // namespace sparkgap
