// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mpi/shared_memory.h"

namespace sparkgap {

enum class Reduce { kSum, kMin, kMax };

/// What a rank has sent to others, as a library without tricks would: a reduction and a gather of one number each in
/// log2(ranks) messages, all else straight to who needs it.
struct Traffic {
  int64_t messages = 0, bytes = 0;
};

/// The ranks of one job, with typed collectives: the MPI datatype follows from the C++ type (comm.cc), counts are
/// 64-bit.
///
/// With one rank nothing of MPI is loaded and every call is a copy or nothing. With more, libmpi_abi.so.1 (MPI-5
/// standard ABI) is opened at run time, so a site's own MPI can take its place. Calls are made from one thread
/// (FUNNELED). A failing MPI call aborts the whole job.
class Comm {
 public:
  Comm() = default;  ///< one rank
  virtual ~Comm() = default;
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;

  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }
  /// Whether no network lies between ranks.
  virtual bool is_on_one_host() const { return true; }
  /// An array of zeroes that all ranks have in common. Empty, on all ranks, where there is one rank, where they are on
  /// several hosts or have no way to each other's memory, or where SPARKGAP_SHARE is 0. Collective.
  template <typename T>
  SharedBuffer<T> share(size_t length) {
    return SharedBuffer<T>(share_bytes(length * sizeof(T)));
  }
  /// Every rank has come here, and sees what all have written before.
  void barrier() { (void)allreduce<int64_t>(0); }
  /// So far.
  const Traffic& traffic() const { return traffic_; }
  /// Ends every rank of the job at once with this status, without unwinding. For main only: everything else throws.
  [[noreturn]] virtual void abort(int code);

  /// In place, every rank gets the reduction. Types: int64_t, uint64_t, uint32_t, double.
  template <typename T>
  void allreduce(std::span<T> values, Reduce op = Reduce::kSum);
  template <typename T>
  T allreduce(T value, Reduce op = Reduce::kSum) {
    allreduce(std::span<T>(&value, 1), op);
    return value;
  }
  /// Sum of the values of lower ranks; 0 on rank 0.
  int64_t exscan(int64_t value);

  /// Rank r's block of `all` is counts[r] elements at offset sum(counts[0..r)); this rank's block is already in place.
  template <typename T>
  void allgatherv(std::span<T> all, std::span<const int64_t> counts);
  /// Every rank's value, by rank.
  template <typename T>
  std::vector<T> allgather(T value);

  /// send holds send_counts[r] elements for rank r, in rank order; returns what others sent here, in rank order,
  /// and how many came from each in receive_counts. T is any trivially copyable type.
  template <typename T>
  std::vector<T> alltoallv(std::span<const T> send, std::span<const int64_t> send_counts,
                           std::vector<int64_t>& receive_counts);

  /// The same into memory of the caller: receive_counts are known (from an exchange of counts). What rank r sent goes
  /// to places[r] and on; one after the other where `places` is empty.
  template <typename T>
  void alltoallv(std::span<const T> send, std::span<const int64_t> send_counts, std::span<T> receive,
                 std::span<const int64_t> receive_counts, std::span<const int64_t> places = {}) {
    alltoallv_bytes(send.data(), send_counts, receive.data(), receive_counts, places, sizeof(T));
  }
  /// The same, but it may go on while the caller computes: what is received is there, and both memories are the
  /// caller's again, after finish(). What goes to rank r stands at send_places[r] and on. receive_counts are the most
  /// that may come: how much did, what came must tell. Where it is not 0, something must be sent.
  template <typename T>
  void begin_alltoallv(std::span<const T> send, std::span<const int64_t> send_counts,
                       std::span<const int64_t> send_places, std::span<T> receive,
                       std::span<const int64_t> receive_counts, std::span<const int64_t> places) {
    static_assert(std::is_trivially_copyable_v<T>);
    begin_bytes(send.data(), send_counts, send_places, receive.data(), receive_counts, places, sizeof(T));
  }
  /// Lets what was begun go on. From the thread that makes all calls, every few hundred microseconds.
  virtual void progress() {}
  /// Waits for all that was begun.
  virtual void finish() {}

 protected:
  enum class Scalar { kInt64, kUint64, kUint32, kDouble };
  virtual void allreduce_raw(void* values, size_t count, Scalar type, Reduce op) {
    (void)values, (void)count, (void)type, (void)op;
  }
  virtual SharedMemory share_bytes(size_t bytes) {
    (void)bytes;
    return {};
  }
  virtual void allgatherv_bytes(void* all, std::span<const int64_t> counts, size_t element_bytes) {
    (void)all, (void)counts, (void)element_bytes;
  }
  virtual void alltoallv_bytes(const void* send, std::span<const int64_t> send_counts, void* receive,
                               std::span<const int64_t> receive_counts, std::span<const int64_t> places,
                               size_t element_bytes);
  virtual void begin_bytes(const void* send, std::span<const int64_t> send_counts, std::span<const int64_t> send_places,
                           void* receive, std::span<const int64_t> receive_counts, std::span<const int64_t> places,
                           size_t element_bytes);
  Traffic traffic_;
};

}  // namespace sparkgap

#include "mpi/comm_inl.h"
