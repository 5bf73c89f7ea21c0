// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "table/segment_file.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>

#include "process/error.h"
#include "table/crc32c.h"
#include "table/seal.h"

namespace sparkgap {

SegmentFile::SegmentFile(std::string path, int64_t needed_bytes)
    : path_(std::move(path)), part_(path_ + ".part"), needed_bytes_(needed_bytes) {
  file_ = open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file_ < 0) no_room(errno);
}

SegmentFile::~SegmentFile() {
  if (file_ < 0) return;
  close(file_);
  unlink(part_.c_str());
}

void SegmentFile::append(const void* data, int64_t bytes) {
  if (bytes == 0) return;
  crc_ = crc32c(crc_, data, static_cast<size_t>(bytes));
  size_ += bytes;
  pending_.push_back({const_cast<void*>(data), static_cast<size_t>(bytes)});
}

void SegmentFile::pad_to(int64_t multiple) {
  static const char kZeros[64] = {};
  append(kZeros, (multiple - size_ % multiple) % multiple);
}

void SegmentFile::flush() {
  for (size_t first = 0; first < pending_.size();) {
    const auto count = static_cast<int>(std::min<size_t>(pending_.size() - first, IOV_MAX));
    ssize_t written = writev(file_, pending_.data() + first, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) no_room(errno);
    while (written > 0) {  // a short write: go on from within the piece where it ended
      iovec& piece = pending_[first];
      const size_t part = std::min(piece.iov_len, static_cast<size_t>(written));
      piece.iov_base = static_cast<char*>(piece.iov_base) + part;
      piece.iov_len -= part;
      written -= static_cast<ssize_t>(part);
      if (piece.iov_len == 0) ++first;
    }
  }
  pending_.clear();
}

void SegmentFile::seal_for(int64_t bound) {
  flush();
  seal(file_, crc_, bound);
}

void SegmentFile::finish() {
  flush();
  const int file = file_;
  file_ = -1;
  if (close(file) != 0 || std::rename(part_.c_str(), path_.c_str()) != 0) {
    const int reason = errno;
    unlink(part_.c_str());
    no_room(reason);
  }
}

void SegmentFile::no_room(int reason) const {
  const std::string directory = path_.substr(0, path_.rfind('/'));
  struct statvfs free{};
  std::string found = std::strerror(reason);
  if (statvfs(directory.c_str(), &free) == 0)
    found += " with " + std::to_string(static_cast<uint64_t>(free.f_bavail) * free.f_frsize) + " bytes free";
  throw Error(Exit::kNoRoom, directory, "room to write " + std::to_string(needed_bytes_) + " bytes", found,
              reason == ENOSPC || reason == EDQUOT ? "Free some space or move the store"
                                                   : "Make the directory writable or move the store");
}

}  // namespace sparkgap
