// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "rows/split.h"

#include <gtest/gtest.h>

#include <random>

#include "ids/graph_rows.h"
#include "test/memory_table.h"
#include "test/test_comm.h"

namespace sparkgap {
namespace {

#pragma pack(push, 4)
template <size_t kWords>
struct Record {
  uint32_t words[kWords];
};
#pragma pack(pop)

// Every record size that kernels use: the line of a Scatter is 64, 192 or 320 bytes.
template <size_t kWords>
void split_once(int64_t rows, int partitions_per_rank) {
  Comm& comm = test_comm();
  std::mt19937_64 random(rows);
  std::vector<int64_t> keys;
  for (int64_t i = 0; i < rows; ++i) keys.push_back(static_cast<int64_t>(random() % 1000));
  const Table table = memory_table("edges", {longs("id", keys)}, comm, 777);
  const KeyRows key_rows(table, {0}, -1);
  const Partitions partitions{comm.size(), partitions_per_rank};
  const auto mine = split_rows<Record<kWords>>(key_rows, partitions, comm, [&](const KeyBlock& block, auto&& out) {
    for (int64_t i = 0; i < block.rows; ++i) {
      Record<kWords> record{};
      for (uint32_t& word : record.words) word = static_cast<uint32_t>(block.a[i]);
      out(partitions.of_hash(mix(block.a[i])), record);
    }
  });
  // Rank by rank is the order of the rows, so the pieces of a partition, end to end, have its keys in row order.
  for (int p = 0; p < partitions_per_rank; ++p) {
    std::vector<uint32_t> expected, found;
    for (const int64_t key : keys)
      if (partitions.of_hash(mix(key)) == comm.rank() * partitions_per_rank + p)
        expected.push_back(static_cast<uint32_t>(key));
    for (int rank = 0; rank < comm.size(); ++rank)
      for (const auto& record : mine.piece(p, rank)) {
        found.push_back(record.words[0]);
        EXPECT_EQ(record.words[0], record.words[kWords - 1]);
      }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(mine.count(p), static_cast<int64_t>(expected.size()));
  }
}

TEST(Split, KeepsOrderInsideADestination) {
  for (const int threads : {1, 2, 3}) {
    omp_set_num_threads(threads);
    for (const int64_t rows : {0, 1, 7, 1000, 300000}) {
      split_once<1>(rows, 16);
      split_once<2>(rows, 7);
      split_once<3>(rows, 16);
      split_once<4>(rows, 1);
      split_once<5>(rows, 16);
      split_once<6>(rows, 33);
    }
  }
}

TEST(Split, RunsCoverEveryRecordOnceAndBalance) {
  omp_set_num_threads(2);
  Partitioned<uint32_t> in;
  in.partitions = 3, in.ranks = 2;
  in.records = Buffer<uint32_t>(1000000);
  in.starts = {0, 0, 999000, 999100, 999100, 999900, 1000000};  // one partition has nearly all
  const Runs runs(in);
  std::vector<int> seen(1000000);
  for (int64_t group = 0; group < runs.groups; ++group) {
    int64_t records = 0;
    for (const RecordRun& run : runs.of_group(group)) {
      EXPECT_EQ(run.group, group);
      records += run.end - run.begin;
      for (int64_t i = run.begin; i < run.end; ++i) ++seen[static_cast<size_t>(i)];
    }
    EXPECT_LE(records, 1000000 / runs.groups + 1);
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 1000000);
  int64_t of_partitions = 0;
  for (int p = 0; p < 3; ++p)
    for (const RecordRun& run : runs.of_partition(p)) {
      EXPECT_EQ(run.partition, p);
      of_partitions += run.end - run.begin;
    }
  EXPECT_EQ(of_partitions, 1000000);
}

TEST(Partitions, AreChosenByEdgesAndRanks) {
  EXPECT_EQ(Partitions::for_edges(0, 1).total(), 1);
  EXPECT_EQ(Partitions::for_edges(16 << 20, 1).per_rank, 256);
  EXPECT_EQ(Partitions::for_edges(32 << 20, 1).per_rank, 256);
  EXPECT_EQ(Partitions::for_edges(64 << 20, 1).per_rank, 512);
  EXPECT_EQ(Partitions::for_edges(int64_t{1} << 40, 16).total(), 4096);
  EXPECT_EQ(Partitions::for_edges(int64_t{1} << 40, 5000).per_rank, 1);
  const Partitions three{3, 5};
  EXPECT_EQ(three.of_hash(0), 0);
  EXPECT_EQ(three.of_hash(~uint64_t{0}), 14);
}

TEST(ParallelFor, CarriesAnExceptionOut) {
  EXPECT_THROW(parallel_for(100,
                            [](int64_t i) {
                              if (i == 57) throw std::bad_alloc();
                            }),
               std::bad_alloc);
}

}  // namespace
}  // namespace sparkgap
