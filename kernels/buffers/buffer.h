// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace sparkgap {

/// What stands in new memory: zeroes, or anything where every byte is written before it is read.
enum class Content { kZeroes, kAnything };

/// Pages of anonymous memory for so many bytes, which nobody has written yet, from a multiple of 2 MiB on where they
/// fill that much; munmap() gives them back. nullptr where there is no room.
void* map_pages(size_t bytes);
/// Makes these pages now, each zeroed where it was not there; false where the system has none.
bool populate(void* first, size_t bytes);

/// Anonymous memory that starts at a multiple of 64 bytes, of 2 MiB where there is that much, and asks for huge pages:
/// with 4 KiB pages a third of a graph's build goes into page faults. Huge pages appear when they are first written, so
/// write them from the threads that read them; what fills none is there from the start. Throws Error(kNoRoom).
class Memory {
 public:
  Memory() = default;
  explicit Memory(size_t bytes, Content content = Content::kZeroes);
  ~Memory();
  Memory(Memory&& other) noexcept { swap(other); }
  Memory& operator=(Memory&& other) noexcept {
    Memory(std::move(other)).swap(*this);
    return *this;
  }
  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  void swap(Memory& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

/// While one of these lives, Memory of 2 MiB and more that is given back is kept for Content::kAnything: the system
/// clears every new page, which is a third of the time where arcs are moved from buffer to buffer. The last one to go
/// gives all back.
class MemoryReuse {
 public:
  MemoryReuse();
  ~MemoryReuse();
  MemoryReuse(const MemoryReuse&) = delete;
  MemoryReuse& operator=(const MemoryReuse&) = delete;
};

/// An array of a fixed length in Memory of its own, zeroed unless `content` says else. What large temporaries and
/// results stand in; moves, never copies.
template <typename T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 64);

 public:
  using Element = T;

  Buffer() = default;
  explicit Buffer(size_t length, Content content = Content::kZeroes)
      : memory_(length * sizeof(T), content), length_(length) {}
  Buffer(Buffer&& other) noexcept : memory_(std::move(other.memory_)), length_(std::exchange(other.length_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    memory_ = std::move(other.memory_);
    length_ = std::exchange(other.length_, 0);
    return *this;
  }
  /// The same bytes as values of another type of this size; empty afterwards.
  template <typename U>
  Buffer<U> as() && {
    static_assert(sizeof(U) == sizeof(T));
    Buffer<U> other;
    other.memory_ = std::move(memory_);
    other.length_ = std::exchange(length_, 0);
    return other;
  }
  /// Gives the memory back now.
  void clear() { *this = Buffer(); }

  T* data() const { return static_cast<T*>(memory_.data()); }
  size_t size() const { return length_; }
  bool empty() const { return length_ == 0; }
  T& operator[](size_t i) const { return data()[i]; }
  T* begin() const { return data(); }
  T* end() const { return data() + length_; }
  std::span<T> span() const { return {data(), length_}; }

 private:
  template <typename U>
  friend class Buffer;

  Memory memory_;
  size_t length_ = 0;
};

}  // namespace sparkgap
