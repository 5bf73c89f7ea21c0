// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

// The templates of comm.h: the only place where a C++ type becomes an MPI type.

#include <numeric>
#include <type_traits>

namespace sparkgap {

template <typename T>
void Comm::allreduce(std::span<T> values, Reduce op) {
  if constexpr (std::is_same_v<T, int64_t>) allreduce_raw(values.data(), values.size(), Scalar::kInt64, op);
  else if constexpr (std::is_same_v<T, uint64_t>) allreduce_raw(values.data(), values.size(), Scalar::kUint64, op);
  else if constexpr (std::is_same_v<T, uint32_t>) allreduce_raw(values.data(), values.size(), Scalar::kUint32, op);
  else {
    static_assert(std::is_same_v<T, double>, "reductions exist for int64_t, uint64_t, uint32_t and double");
    allreduce_raw(values.data(), values.size(), Scalar::kDouble, op);
  }
}

template <typename T>
void Comm::allgatherv(std::span<T> all, std::span<const int64_t> counts) {
  static_assert(std::is_trivially_copyable_v<T>);
  allgatherv_bytes(all.data(), counts, sizeof(T));
}

template <typename T>
std::vector<T> Comm::allgather(T value) {
  static_assert(!std::is_same_v<T, bool>, "vector<bool> has no elements to send; use uint8_t");
  std::vector<T> all(static_cast<size_t>(size()));
  all[static_cast<size_t>(rank())] = value;
  const std::vector<int64_t> ones(all.size(), 1);
  allgatherv(std::span<T>(all), ones);
  return all;
}

template <typename T>
std::vector<T> Comm::alltoallv(std::span<const T> send, std::span<const int64_t> send_counts,
                               std::vector<int64_t>& receive_counts) {
  static_assert(std::is_trivially_copyable_v<T>);
  receive_counts.assign(static_cast<size_t>(size()), 0);
  const std::vector<int64_t> ones(receive_counts.size(), 1);
  alltoallv_bytes(send_counts.data(), ones, receive_counts.data(), ones, {}, sizeof(int64_t));
  std::vector<T> received(
      static_cast<size_t>(std::accumulate(receive_counts.begin(), receive_counts.end(), int64_t{0})));
  alltoallv_bytes(send.data(), send_counts, received.data(), receive_counts, {}, sizeof(T));
  return received;
}

}  // namespace sparkgap
