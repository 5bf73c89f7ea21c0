// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/uio.h>

namespace sparkgap {

/// A file in the making: appended to under <path>.part, summed on the way, renamed when complete. Unless finish() was
/// called the destructor removes it.
class SegmentFile {
 public:
  /// needed_bytes is for the message of a full store. Throws Error(kNoRoom) when the file cannot be made.
  SegmentFile(std::string path, int64_t needed_bytes);
  ~SegmentFile();
  SegmentFile(const SegmentFile&) = delete;
  SegmentFile& operator=(const SegmentFile&) = delete;

  /// The bytes must stay until the next flush().
  void append(const void* data, int64_t bytes);
  /// Zeros up to the next multiple.
  void pad_to(int64_t multiple);
  void flush();
  /// After the last append(), where the values were checked (seal.h).
  void seal_for(int64_t bound);
  void finish();

  int64_t size() const { return size_; }
  uint32_t crc() const { return crc_; }
  const std::string& path() const { return path_; }

 private:
  [[noreturn]] void no_room(int reason) const;

  std::string path_, part_;
  int64_t needed_bytes_;
  int file_ = -1;
  int64_t size_ = 0;
  uint32_t crc_ = 0;
  std::vector<iovec> pending_;
};

}  // namespace sparkgap
