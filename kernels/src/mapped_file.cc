// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "error.h"

namespace sparkgap {

MappedFile::MappedFile(const std::string& path, const std::string& where) : path_(path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw Error(Exit::kData, where, "a readable file at " + path, std::strerror(errno), "Export or write the table again");
  struct stat status {};
  void* at = MAP_FAILED;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
    at = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_SHARED, file, 0);
  const int reason = errno;
  close(file);
  if (at == MAP_FAILED) {
    const std::string found = status.st_size == 0 ? "an empty file" : !S_ISREG(status.st_mode) ? "no regular file" : std::strerror(reason);
    throw Error(Exit::kData, where, "an Arrow file at " + path, found, "Export or write the table again");
  }
  data_ = static_cast<const uint8_t*>(at);
  size_ = status.st_size;
}

MappedFile::~MappedFile() { munmap(const_cast<uint8_t*>(data_), static_cast<size_t>(size_)); }

bool MappedFile::holds(const void* p, int64_t bytes) const {
  // As numbers: a pointer from a damaged file may point anywhere.
  const auto begin = reinterpret_cast<uintptr_t>(p), first = reinterpret_cast<uintptr_t>(data_);
  return bytes >= 0 && bytes <= size_ && begin >= first && begin - first <= static_cast<uintptr_t>(size_ - bytes);
}

void MappedFile::will_need(const void* p, int64_t bytes) const {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = reinterpret_cast<uintptr_t>(p) & ~(page - 1), end = reinterpret_cast<uintptr_t>(p) + static_cast<uintptr_t>(bytes);
  if (bytes > 0) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_WILLNEED);  // advice: a refusal changes nothing
}

}  // namespace sparkgap
