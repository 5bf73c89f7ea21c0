// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "buffers/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "buffers/disk_speed.h"
#include "process/error.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif
#endif

namespace sparkgap {
namespace {

/// Under AddressSanitizer nobody may read what the last page has behind the end of the file; it does not know of
/// mappings by itself.
void guard_end([[maybe_unused]] const uint8_t* data, [[maybe_unused]] int64_t size, [[maybe_unused]] bool guarded) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  const int64_t page = sysconf(_SC_PAGESIZE), whole = (size + page - 1) / page * page;
  if (guarded) __asan_poison_memory_region(data + size, static_cast<size_t>(whole - size));
  else __asan_unpoison_memory_region(data, static_cast<size_t>(whole));
#endif
#endif
}

/// A refusal changes nothing.
void advise(const void* p, int64_t bytes, int advice) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = reinterpret_cast<uintptr_t>(p) & ~(page - 1),
                  end = reinterpret_cast<uintptr_t>(p) + static_cast<uintptr_t>(bytes);
  madvise(reinterpret_cast<void*>(begin), end - begin, advice);
}

}  // namespace

MappedFile::MappedFile(const std::string& path, const std::string& where) : path_(path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    throw Error(Exit::kData, where, "a readable file at " + path, std::strerror(errno),
                "Export or write the table again");
  struct stat status{};
  void* at = MAP_FAILED;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
    at = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_SHARED, file, 0);
  const int reason = errno;
  in_memory_ = is_in_memory(file);
  close(file);
  if (at == MAP_FAILED) {
    const std::string found = status.st_size == 0        ? "an empty file"
                              : !S_ISREG(status.st_mode) ? "no regular file"
                                                         : std::strerror(reason);
    throw Error(Exit::kData, where, "an Arrow file at " + path, found, "Export or write the table again");
  }
  data_ = static_cast<const uint8_t*>(at);
  size_ = status.st_size;
  device_ = status.st_dev;
  inode_ = status.st_ino;
  owner_ = status.st_uid;
  changed_nanoseconds_ = status.st_mtim.tv_nsec;
  // Else each page that was read is marked as used when it is unmapped, which costs as much again as the rest of that,
  // the first time.
  if (in_memory_) madvise(at, static_cast<size_t>(size_), MADV_SEQUENTIAL);
  guard_end(data_, size_, true);
}

MappedFile::~MappedFile() {
  guard_end(data_, size_, false);
  munmap(const_cast<uint8_t*>(data_), static_cast<size_t>(size_));
}

bool MappedFile::holds(const void* p, int64_t bytes) const {
  // As numbers: a pointer from a damaged file may point anywhere.
  const auto begin = reinterpret_cast<uintptr_t>(p), first = reinterpret_cast<uintptr_t>(data_);
  return bytes >= 0 && bytes <= size_ && begin >= first && begin - first <= static_cast<uintptr_t>(size_ - bytes);
}

void MappedFile::will_need(const void* p, int64_t bytes) const {
  // Of one in memory there is nothing to fetch, and the kernel would look at every page to see it.
  if (!in_memory_ && bytes > 0) advise(p, bytes, MADV_WILLNEED);
}

void MappedFile::enter(const void* p, int64_t bytes) const {
  constexpr int kPopulateRead = 22;  // MADV_POPULATE_READ, since Linux 5.14; others refuse it
  if (in_memory_ && bytes > 0) advise(p, bytes, kPopulateRead);
}

FileStream::~FileStream() {
  if (descriptor_ >= 0) close(descriptor_);
}

void FileStream::open(const MappedFile& file) {
  if (descriptor_ >= 0) close(descriptor_);
  file_ = &file;
  descriptor_ = ::open(file.path_.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status{};
  if (descriptor_ < 0 ||
      (fstat(descriptor_, &status) == 0 && status.st_dev == file.device_ && status.st_ino == file.inode_))
    return;
  close(descriptor_);
  descriptor_ = -1;
}

void FileStream::read(const MappedFile& file, const void* p, size_t bytes, void* out) {
  if (file_ != &file) open(file);
  const auto* from = static_cast<const uint8_t*>(p);
  auto* to = static_cast<uint8_t*>(out);
  while (bytes > 0 && descriptor_ >= 0) {
    const ssize_t n = pread(descriptor_, to, bytes, from - file.data_);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    from += n;
    to += n;
    bytes -= static_cast<size_t>(n);
  }
  std::memcpy(to, from, bytes);
}

}  // namespace sparkgap
