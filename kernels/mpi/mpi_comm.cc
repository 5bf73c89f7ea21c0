// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "mpi/mpi_comm.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "mpi/mpi_library.h"
#include "process/error.h"

namespace sparkgap {
namespace {

MPI_Op op_of(Reduce op) { return op == Reduce::kSum ? MPI_SUM : op == Reduce::kMin ? MPI_MIN : MPI_MAX; }

/// Counts and displacements in bytes, so that one datatype (MPI_BYTE) carries every element type.
struct Layout {
  std::vector<MPI_Count> counts;
  std::vector<MPI_Aint> offsets;

  /// One after the other, unless `places` says where each begins.
  Layout(std::span<const int64_t> elements, size_t element_bytes, std::span<const int64_t> places = {}) {
    counts.reserve(elements.size());
    offsets.reserve(elements.size());
    MPI_Aint at = 0;
    for (size_t rank = 0; rank < elements.size(); ++rank) {
      counts.push_back(elements[rank] * static_cast<MPI_Count>(element_bytes));
      offsets.push_back(places.empty() ? at
                                       : static_cast<MPI_Aint>(places[rank]) * static_cast<MPI_Aint>(element_bytes));
      at += static_cast<MPI_Aint>(counts.back());
    }
  }
};

// MPICH removes the names of the memory that its ranks share only when they finalize, so a killed job would leave them
// in /dev/shm. Once every rank has mapped it the name serves no purpose: remove it now, whatever happens later.
void drop_shared_names() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const size_t path = line.find("/dev/shm/mpich_shm_");
    if (path != std::string::npos && line.find(' ', path) == std::string::npos) unlink(line.c_str() + path);
  }
}

class MpiComm final : public Comm {
 public:
  explicit MpiComm(int ranks) : mpi_(mpi_library()) {
    int provided = MPI_THREAD_SINGLE;
    check(mpi_.Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
    check(mpi_.Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(mpi_.Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
    check(mpi_.Comm_size(MPI_COMM_WORLD, &size_), "MPI_Comm_size");
    if (size_ != ranks || provided < MPI_THREAD_FUNNELED) {
      const std::string found = std::to_string(size_) + " at thread level " + std::to_string(provided);
      mpi_.Finalize();
      throw Error(Exit::kLost, "launch", std::to_string(ranks) + " ranks in one MPI job at thread level FUNNELED",
                  found, "Start the program with the mpiexec of the same MPI library");
    }
    MPI_Comm host = MPI_COMM_NULL;
    check(mpi_.Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host), "MPI_Comm_split_type");
    check(mpi_.Comm_size(host, &on_host_), "MPI_Comm_size");
    check(mpi_.Comm_free(&host), "MPI_Comm_free");
    const char* const share = std::getenv("SPARKGAP_SHARE");
    const bool may_share = is_on_one_host() && (share == nullptr || std::string(share) != "0");
    can_share_ = allreduce<int64_t>(may_share, Reduce::kMin) > 0;  // and every rank is here
    drop_shared_names();
  }
  ~MpiComm() override { mpi_.Finalize(); }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  bool is_on_one_host() const override { return on_host_ == size_; }
  [[noreturn]] void abort(int code) override {
    std::fflush(nullptr);
    mpi_.Abort(MPI_COMM_WORLD, code);
    std::_Exit(code);
  }

 protected:
  void allreduce_raw(void* values, size_t count, Scalar type, Reduce op) override {
    traffic_.messages += rounds();
    traffic_.bytes += rounds() * static_cast<int64_t>(count * (type == Scalar::kUint32 ? 4 : 8));
    check(mpi_.Allreduce_c(MPI_IN_PLACE, values, static_cast<MPI_Count>(count), datatype(type), op_of(op),
                           MPI_COMM_WORLD),
          "MPI_Allreduce");
  }
  SharedMemory share_bytes(size_t bytes) override {
    if (!can_share_ || bytes == 0) return {};
    SharedMemory memory(bytes, *this);
    can_share_ = memory.bytes() > 0;
    return memory;
  }
  void allgatherv_bytes(void* all, std::span<const int64_t> counts, size_t element_bytes) override {
    const Layout layout(counts, element_bytes);
    const MPI_Count mine = layout.counts[static_cast<size_t>(rank_)];
    if (std::all_of(counts.begin(), counts.end(), [](int64_t n) { return n == 1; })) {
      traffic_.messages += rounds();
      traffic_.bytes += mine * (size_ - 1);
      check(mpi_.Allgatherv_c(MPI_IN_PLACE, 0, MPI_BYTE, all, layout.counts.data(), layout.offsets.data(), MPI_BYTE,
                              MPI_COMM_WORLD),
            "MPI_Allgatherv");
      return;
    }
    // MPICH's takes as much memory again, anew each time, and goes through all of it.
    Layout own(layout);
    own.counts.assign(counts.size(), mine);
    own.offsets.assign(counts.size(), layout.offsets[static_cast<size_t>(rank_)]);
    count(own);
    std::vector<MPI_Request> requests;
    post(all, own, all, layout, kGathered, requests);
    wait(requests);
  }
  void alltoallv_bytes(const void* send, std::span<const int64_t> send_counts, void* receive,
                       std::span<const int64_t> receive_counts, std::span<const int64_t> places,
                       size_t element_bytes) override {
    const Layout from(send_counts, element_bytes), to(receive_counts, element_bytes, places);
    count(from);
    check(mpi_.Alltoallv_c(send, from.counts.data(), from.offsets.data(), MPI_BYTE, receive, to.counts.data(),
                           to.offsets.data(), MPI_BYTE, MPI_COMM_WORLD),
          "MPI_Alltoallv");
  }
  void begin_bytes(const void* send, std::span<const int64_t> send_counts, std::span<const int64_t> send_places,
                   void* receive, std::span<const int64_t> receive_counts, std::span<const int64_t> places,
                   size_t element_bytes) override {
    const Layout from(send_counts, element_bytes, send_places), to(receive_counts, element_bytes, places);
    count(from);
    const auto here = static_cast<size_t>(rank_);
    if (from.counts[here] > 0)
      std::memcpy(static_cast<std::byte*>(receive) + to.offsets[here],
                  static_cast<const std::byte*>(send) + from.offsets[here], static_cast<size_t>(from.counts[here]));
    post(send, from, receive, to, kBegun, requests_);
  }
  void progress() override {
    int done = 0;
    if (!requests_.empty())
      check(mpi_.Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE),
            "MPI_Testall");
    if (done != 0) requests_.clear();
  }
  void finish() override { wait(requests_); }

 private:
  static constexpr int kBegun = 1, kGathered = 2;  // tags

  /// A message to each other rank, and one from each, to another one at each step.
  void post(const void* send, const Layout& from, void* receive, const Layout& to, int tag,
            std::vector<MPI_Request>& requests) {
    for (int step = 1; step < size_; ++step) {
      const int source = (rank_ + size_ - step) % size_, target = (rank_ + step) % size_;
      const auto s = static_cast<size_t>(source), t = static_cast<size_t>(target);
      if (to.counts[s] > 0)
        check(mpi_.Irecv_c(static_cast<std::byte*>(receive) + to.offsets[s], to.counts[s], MPI_BYTE, source, tag,
                           MPI_COMM_WORLD, &requests.emplace_back(MPI_REQUEST_NULL)),
              "MPI_Irecv");
      if (from.counts[t] > 0)
        check(mpi_.Isend_c(static_cast<const std::byte*>(send) + from.offsets[t], from.counts[t], MPI_BYTE, target, tag,
                           MPI_COMM_WORLD, &requests.emplace_back(MPI_REQUEST_NULL)),
              "MPI_Isend");
    }
  }
  void wait(std::vector<MPI_Request>& requests) {
    check(mpi_.Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    requests.clear();
  }
  void count(const Layout& sent) {
    for (int rank = 0; rank < size_; ++rank)
      if (const MPI_Count bytes = sent.counts[static_cast<size_t>(rank)]; rank != rank_ && bytes > 0)
        ++traffic_.messages, traffic_.bytes += bytes;
  }
  int64_t rounds() const { return std::bit_width(static_cast<unsigned>(size_ - 1)); }
  static MPI_Datatype datatype(Scalar type) {
    switch (type) {
      case Scalar::kInt64:
        return MPI_INT64_T;
      case Scalar::kUint64:
        return MPI_UINT64_T;
      case Scalar::kUint32:
        return MPI_UINT32_T;
      default:
        return MPI_DOUBLE;
    }
  }
  // After a failed call the other ranks may wait for ever: end them all rather than throw here alone.
  void check(int status, const char* call) {
    if (status == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = "unknown";
    int length = 0;
    mpi_.Error_string(status, text, &length);
    std::fprintf(stderr, "rank %d: expected %s to succeed, found %s. See the logs of the other ranks.\n", rank_, call,
                 text);
    abort(static_cast<int>(Exit::kLost));
  }

  const MpiLibrary& mpi_;
  int rank_ = 0, size_ = 1, on_host_ = 1;
  bool can_share_ = false;
  std::vector<MPI_Request> requests_;  ///< of what was begun
};

}  // namespace

int launched_ranks() {
  const char* size = std::getenv("PMI_SIZE");
  const int ranks = size == nullptr ? 1 : std::atoi(size);
  return ranks > 1 ? ranks : 1;
}

std::unique_ptr<Comm> connect(int ranks) {
  if (ranks == 1) return std::make_unique<Comm>();
  return std::make_unique<MpiComm>(ranks);
}

}  // namespace sparkgap
