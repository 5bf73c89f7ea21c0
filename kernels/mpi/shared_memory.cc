// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "mpi/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string>

#include "buffers/buffer.h"
#include "mpi/comm.h"
#include "process/parallel.h"

namespace sparkgap {
namespace {

/// Where the first rank has it open, and which file it is: what others find there may be another, as a container
/// counts its processes anew.
struct Place {
  int64_t process = 0, file = -1;
  uint64_t device = 0, inode = 0;
};

Place made(size_t bytes) {
  const int file = memfd_create("sparkgap", MFD_CLOEXEC);
  if (file < 0) return {};
  struct stat is{};
  if (ftruncate(file, static_cast<off_t>(bytes)) != 0 || fstat(file, &is) != 0) {
    close(file);
    return {};
  }
  return {getpid(), file, is.st_dev, is.st_ino};
}

int opened(const Place& place) {
  if (place.file < 0) return -1;
  const std::string path = "/proc/" + std::to_string(place.process) + "/fd/" + std::to_string(place.file);
  struct stat is{};
  if (stat(path.c_str(), &is) != 0 || is.st_dev != place.device || is.st_ino != place.inode) return -1;
  return open(path.c_str(), O_RDWR | O_CLOEXEC);
}

void* mapped(int file, size_t bytes) {
  void* const room = map_pages(bytes);
  if (room == nullptr) return nullptr;
  void* const data = mmap(room, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file, 0);
  if (data == MAP_FAILED) {
    munmap(room, bytes);
    return nullptr;
  }
  madvise(data, bytes, MADV_HUGEPAGE);  // a refusal changes nothing
  return data;
}

/// Each rank makes its share of the pages: one by one, as they are written, each would be a fault, and where there is
/// no room for one more the process would end.
bool populate_share(void* data, size_t bytes, const Comm& comm) {
  constexpr size_t kPiece = size_t{2} << 20;
  const auto pieces = static_cast<int64_t>((bytes + kPiece - 1) / kPiece);
  const int64_t first = cut(pieces, comm.size(), comm.rank()), last = cut(pieces, comm.size(), comm.rank() + 1);
  std::atomic<bool> have_all = true;
  parallel_for(last - first, [&](int64_t i) {
    const size_t begin = static_cast<size_t>(first + i) * kPiece, end = std::min(begin + kPiece, bytes);
    if (!populate(static_cast<char*>(data) + begin, end - begin)) have_all = false;
  });
  return have_all;
}

}  // namespace

SharedMemory::SharedMemory(size_t bytes, Comm& comm) {
  if (bytes == 0) return;
  const Place place = comm.allgather(comm.rank() == 0 ? made(bytes) : Place{}).front();
  const int file = comm.rank() == 0 ? static_cast<int>(place.file) : opened(place);
  if (file >= 0) {
    data_ = mapped(file, bytes);
    bytes_ = data_ == nullptr ? 0 : bytes;
  }
  const bool has_it = data_ != nullptr && populate_share(data_, bytes_, comm);
  const bool all_have_it = comm.allreduce<int64_t>(has_it, Reduce::kMin) > 0;
  if (file >= 0) close(file);  // not before: others open it while the first has it open
  if (!all_have_it) const SharedMemory dropped(std::move(*this));
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

}  // namespace sparkgap
