// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace sparkgap {

/// A whole file, mapped for reading and shared with the page cache: nothing of it is copied into this process.
class MappedFile {
 public:
  /// Throws Error(kData) naming `where` when the file cannot be opened or mapped or is empty.
  MappedFile(const std::string& path, const std::string& where);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const uint8_t* data() const { return data_; }
  int64_t size() const { return size_; }
  const std::string& path() const { return path_; }
  /// Whether [p, p + bytes) lies inside.
  bool holds(const void* p, int64_t bytes) const;
  /// Tells the kernel that these bytes will be read soon (from disk they are then fetched ahead).
  void will_need(const void* p, int64_t bytes) const;

 private:
  std::string path_;
  const uint8_t* data_ = nullptr;
  int64_t size_ = 0;
};

}  // namespace sparkgap
