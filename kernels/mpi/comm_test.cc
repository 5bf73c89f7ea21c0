// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <numeric>

#include "test/test_comm.h"

namespace sparkgap {
namespace {

TEST(Comm, ReducesEveryType) {
  Comm& comm = test_comm();
  const int64_t n = comm.size(), r = comm.rank();
  EXPECT_EQ(comm.allreduce<int64_t>(r + 1), n * (n + 1) / 2);
  EXPECT_EQ(comm.allreduce<int64_t>(-r, Reduce::kMin), -(n - 1));
  EXPECT_EQ(comm.allreduce<uint64_t>(uint64_t{1} << 63, Reduce::kMax), uint64_t{1} << 63);
  EXPECT_EQ(comm.allreduce<uint32_t>(0xffffffffu, Reduce::kMax), 0xffffffffu);
  EXPECT_EQ(comm.allreduce<double>(0.5), 0.5 * static_cast<double>(n));
  std::vector<double> values{static_cast<double>(r), -1.0};
  comm.allreduce(std::span<double>(values), Reduce::kMax);
  EXPECT_EQ(values, (std::vector<double>{static_cast<double>(n - 1), -1.0}));
  comm.allreduce(std::span<double>());
}

TEST(Comm, ExscanSumsLowerRanks) {
  Comm& comm = test_comm();
  const int64_t r = comm.rank();
  EXPECT_EQ(comm.exscan(10), 10 * r);
  EXPECT_EQ(comm.exscan(r), r * (r - 1) / 2);
}

TEST(Comm, GathersBlocksOfUnequalLength) {
  Comm& comm = test_comm();
  std::vector<int64_t> counts;
  for (int r = 0; r < comm.size(); ++r) counts.push_back(r * 3);  // rank 0 has none
  std::vector<uint32_t> all(static_cast<size_t>(std::accumulate(counts.begin(), counts.end(), int64_t{0})));
  const auto first = static_cast<size_t>(comm.exscan(counts[static_cast<size_t>(comm.rank())]));
  for (int64_t i = 0; i < counts[static_cast<size_t>(comm.rank())]; ++i)
    all[first + static_cast<size_t>(i)] = static_cast<uint32_t>(comm.rank());
  comm.allgatherv(std::span<uint32_t>(all), counts);
  size_t at = 0;
  for (int r = 0; r < comm.size(); ++r)
    for (int64_t i = 0; i < counts[static_cast<size_t>(r)]; ++i) EXPECT_EQ(all[at++], static_cast<uint32_t>(r));
  EXPECT_EQ(comm.allgather<int32_t>(comm.rank()).back(), comm.size() - 1);
}

struct Pair {
  int64_t from;
  char to[3];
};

TEST(Comm, ExchangesStructs) {
  Comm& comm = test_comm();
  std::vector<Pair> send;
  std::vector<int64_t> counts, received_counts;
  for (int to = 0; to < comm.size(); ++to) {
    counts.push_back(to + comm.rank());  // rank 0 sends nothing to itself
    for (int i = 0; i < to + comm.rank(); ++i)
      send.push_back({comm.rank(), {static_cast<char>(to), 'x', static_cast<char>(i)}});
  }
  const auto received = comm.alltoallv<Pair>(send, counts, received_counts);
  size_t at = 0;
  for (int from = 0; from < comm.size(); ++from) {
    EXPECT_EQ(received_counts[static_cast<size_t>(from)], from + comm.rank());
    for (int i = 0; i < from + comm.rank(); ++i, ++at) {
      EXPECT_EQ(received[at].from, from);
      EXPECT_EQ(received[at].to[0], comm.rank());
      EXPECT_EQ(received[at].to[2], i);
    }
  }
  EXPECT_EQ(at, received.size());
  std::vector<Pair> again(received.size());
  comm.alltoallv<Pair>(send, counts, std::span<Pair>(again), received_counts);
  EXPECT_TRUE(again.empty() || again.back().from == received.back().from);
}

TEST(Comm, ExchangesWhileItComputes) {
  Comm& comm = test_comm();
  const auto ranks = static_cast<size_t>(comm.size());
  const int64_t n = 1 << 15, rounds = 3;  // values to each rank, in the opposite order of ranks
  std::vector<std::vector<double>> sent, received;
  std::vector<int64_t> counts(ranks, n), rooms(ranks, n + 1), from, to;
  for (size_t rank = 0; rank < ranks; ++rank) {
    from.push_back(static_cast<int64_t>(ranks - 1 - rank) * n);
    to.push_back(static_cast<int64_t>(rank) * (n + 1));
  }
  for (int64_t round = 0; round < rounds; ++round) {
    sent.emplace_back(ranks * n);
    std::iota(sent.back().begin(), sent.back().end(), 1e8 * comm.rank() + 1e7 * static_cast<double>(round));
    received.emplace_back(ranks * (n + 1), -1.0);
  }
  for (int64_t round = 0; round < rounds; ++round) {
    const auto i = static_cast<size_t>(round);
    comm.begin_alltoallv<double>(sent[i], counts, from, std::span<double>(received[i]), rooms, to);
    comm.progress();
    EXPECT_EQ(comm.allreduce<int64_t>(1), comm.size()) << "other calls go on";
  }
  comm.finish();
  comm.finish();
  for (int64_t round = 0; round < rounds; ++round)
    for (int rank = 0; rank < comm.size(); ++rank) {
      const double* const got = received[static_cast<size_t>(round)].data() + rank * (n + 1);
      const double first =
          1e8 * rank + 1e7 * static_cast<double>(round) + static_cast<double>(from[static_cast<size_t>(comm.rank())]);
      for (int64_t k = 0; k < n; ++k) ASSERT_EQ(got[k], first + static_cast<double>(k));
      EXPECT_EQ(got[n], -1);
    }
}

TEST(Comm, SharesMemory) {
  Comm& comm = test_comm();
  const auto ranks = static_cast<size_t>(comm.size()), rank = static_cast<size_t>(comm.rank()), each = size_t{5000};
  for (const size_t length : {ranks * each, size_t{0}, ranks * each}) {
    const SharedBuffer<uint64_t> shared = comm.share<uint64_t>(length);
    EXPECT_EQ(shared.empty(), length == 0 || ranks == 1) << "these ranks are on one host";
    if (shared.empty()) continue;
    const std::span<uint64_t> all = shared.span();
    ASSERT_EQ(all.size(), length);
    EXPECT_EQ(all[(rank + 1) % ranks * each + 7], 0) << "nobody has written there yet";
    comm.barrier();
    std::fill_n(all.begin() + static_cast<int64_t>(rank * each), each, rank + 1);
    comm.barrier();
    for (size_t i = 0; i < length; ++i) ASSERT_EQ(all[i], i / each + 1);
    comm.barrier();
    for (int i = 0; i < 1000; ++i) std::atomic_ref(all[0]).fetch_add(1);
    comm.barrier();
    EXPECT_EQ(all[0], 1 + 1000 * ranks);
  }
  for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    EXPECT_EQ(std::filesystem::read_symlink(file, gone).string().find("memfd:sparkgap"), std::string::npos);
  }
}

TEST(Comm, CountsWhatGoesToOthers) {
  Comm& comm = test_comm();
  const auto others = static_cast<int64_t>(comm.size()) - 1;
  Traffic last = comm.traffic();
  const auto expect = [&](int64_t messages, int64_t bytes) {
    EXPECT_EQ(comm.traffic().messages - last.messages, messages);
    EXPECT_EQ(comm.traffic().bytes - last.bytes, bytes);
    last = comm.traffic();
  };
  const int64_t rounds = comm.size() == 1 ? 0 : comm.size() == 2 ? 1 : 2;
  std::vector<double> three(3);
  comm.allreduce(std::span<double>(three));
  expect(rounds, rounds * 24);
  (void)comm.allgather<int32_t>(1);
  expect(rounds, others * 4);
  const std::vector<int64_t> two(static_cast<size_t>(comm.size()), 2);
  std::vector<double> all(two.size() * 2);
  comm.allgatherv(std::span<double>(all), two);
  expect(others, others * 16);
  std::vector<int64_t> to_next(two.size()), from_last(two.size());
  to_next[static_cast<size_t>((comm.rank() + 1) % comm.size())] = 1;
  from_last[static_cast<size_t>((comm.rank() + comm.size() - 1) % comm.size())] = 1;
  const double sent = comm.rank();
  double received = -1;
  comm.alltoallv<double>(std::span(&sent, 1), to_next, std::span(&received, 1), from_last);
  EXPECT_EQ(received, (comm.rank() + comm.size() - 1) % comm.size());
  expect(others > 0 ? 1 : 0, others > 0 ? 8 : 0);
}

TEST(Comm, CarriesMegabytes) {
  Comm& comm = test_comm();
  const int64_t n = 1 << 20;
  std::vector<double> send(static_cast<size_t>(n * comm.size()));
  std::iota(send.begin(), send.end(), 1e6 * comm.rank());
  std::vector<int64_t> counts(static_cast<size_t>(comm.size()), n), received_counts;
  const auto received = comm.alltoallv<double>(send, counts, received_counts);
  for (int from = 0; from < comm.size(); ++from)
    for (int64_t i = 0; i < n; i += 4099)
      ASSERT_EQ(received[static_cast<size_t>(from * n + i)], 1e6 * from + static_cast<double>(comm.rank() * n + i));
}

}  // namespace
}  // namespace sparkgap
