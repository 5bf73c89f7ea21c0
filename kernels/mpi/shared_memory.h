// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace sparkgap {

class Comm;

/// Memory that all ranks of a job have in common, zeroed, where they are on one host. What one wrote others see after
/// their next call of a collective (Comm::barrier()); until then they may write only what nobody else reads or writes,
/// or by atomics.
///
/// It has no name: the first rank makes it (memfd_create), the others open it through /proc, so a killed job leaves
/// nothing, and the size of /dev/shm, 64 MiB in many containers, is no limit, unlike what MPICH gives by
/// MPI_Win_allocate_shared.
class SharedMemory {
 public:
  SharedMemory() = default;
  /// Empty, on all ranks, where one cannot reach it. Collective.
  SharedMemory(size_t bytes, Comm& comm);
  ~SharedMemory();
  SharedMemory(SharedMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  SharedMemory& operator=(SharedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

/// An array in it.
template <typename T>
class SharedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SharedBuffer() = default;
  explicit SharedBuffer(SharedMemory memory) : memory_(std::move(memory)) {}
  bool empty() const { return memory_.bytes() == 0; }
  std::span<T> span() const { return {static_cast<T*>(memory_.data()), memory_.bytes() / sizeof(T)}; }

 private:
  SharedMemory memory_;
};

}  // namespace sparkgap
