// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "rmat/rmat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "spec/kernel.h"
#include "test/error_text.h"
#include "test/memory_table.h"
#include "test/test_comm.h"

namespace sparkgap {
namespace {

using rmat::Generator;
using rmat::Params;

Params params(int scale, int64_t edge_factor = 16, int64_t seed = 1) {
  return {scale, edge_factor, seed, 0.57, 0.19, 0.19};
}

TEST(Rmat, ShufflesLabelsByABijection) {
  for (const int scale : {1, 2, 3, 5, 10, 13})
    for (const int64_t seed : {1, 2}) {
      const Generator generator(params(scale, 1, seed));
      std::set<uint64_t> labels;
      for (uint64_t v = 0; v < uint64_t{1} << scale; ++v) labels.insert(generator.label(v));
      EXPECT_EQ(labels.size(), size_t{1} << scale);
      EXPECT_EQ(*labels.rbegin(), (uint64_t{1} << scale) - 1);
    }
}

TEST(Rmat, PicksQuadrantsWithTheirProbabilitiesOnEveryLevel) {
  for (const int scale : {1, 4, 5, 13, 20}) {
    const Generator generator(params(scale));
    const int64_t n = 200000;
    std::vector<std::vector<double>> counts(static_cast<size_t>(scale), std::vector<double>(4));
    double both_lowest_zero = 0;
    for (int64_t i = 0; i < n; ++i) {
      const rmat::Edge edge = generator.plain(i);
      ASSERT_LT(edge.src | edge.dst, uint64_t{1} << scale);
      for (int level = 0; level < scale; ++level)
        counts[static_cast<size_t>(level)][2 * (edge.src >> level & 1) + (edge.dst >> level & 1)] += 1;
      if (scale > 1) both_lowest_zero += (edge.src & 3) == 0 && (edge.dst & 3) == 0;
    }
    const double expected[] = {0.57, 0.19, 0.19, 0.05};
    for (const auto& level : counts)
      for (size_t q = 0; q < 4; ++q)
        EXPECT_NEAR(level[q] / n, expected[q], 5 * std::sqrt(0.25 / n)) << scale << " " << q;
    if (scale > 1) {
      EXPECT_NEAR(both_lowest_zero / n, 0.57 * 0.57, 5 * std::sqrt(0.25 / n));  // levels are independent
    }
  }
}

TEST(Rmat, ObeysExtremeProbabilities) {
  const Generator corner({7, 4, 1, 1, 0, 0}), even({3, 1, 1, 0.25, 0.25, 0.25}), far({7, 1, 1, 0, 0, 0});
  std::set<std::pair<uint64_t, uint64_t>> seen;
  for (int64_t i = 0; i < 4000; ++i) {
    EXPECT_EQ(corner.plain(i).src | corner.plain(i).dst, 0u);
    EXPECT_EQ(far.plain(i).src & far.plain(i).dst, 127u);
    seen.insert({even.plain(i).src, even.plain(i).dst});
  }
  EXPECT_EQ(seen.size(), 64u);
  EXPECT_EQ(error_text(Exit::kArguments, [] { Generator({7, 1, 1, 0.5, 0.5, 0.5}); }),
            "a + b + c: expected at most 1, found 1.500000. Make them smaller.");
}

TEST(Rmat, IsOneSequenceOverAnyRanksAndThreads) {
  Comm& comm = test_comm();
  for (const int threads : {1, 2}) {
    omp_set_num_threads(threads);
    const rmat::Result mine = rmat::run(params(10, 7), comm, {});
    const int64_t n = static_cast<int64_t>(mine.src.size()), first = comm.exscan(n);
    EXPECT_EQ(comm.allreduce<int64_t>(n), 7 << 10);
    const Generator generator(params(10, 7));
    for (int64_t i = 0; i < n; ++i) {
      const rmat::Edge edge = generator.plain(first + i);
      EXPECT_EQ(mine.src[static_cast<size_t>(i)], static_cast<int64_t>(generator.label(edge.src)));
      EXPECT_EQ(mine.dst[static_cast<size_t>(i)], static_cast<int64_t>(generator.label(edge.dst)));
    }
  }
}

// Pinned, so that benches stay comparable over versions.
TEST(Rmat, StaysAsItWas) {
  Comm one;
  const rmat::Result result = rmat::run(params(12), one, {});
  uint64_t sum = 0;
  for (size_t i = 0; i < result.src.size(); ++i)
    sum = sum * 31 + static_cast<uint64_t>(result.src[i] * 4096 + result.dst[i]);
  EXPECT_EQ(sum, 848329667645117240u);
  EXPECT_NE(rmat::run(params(12, 16, 2), one, {}).src[0], result.src[0]);
}

TEST(Rmat, RunsAsAKernel) {
  Comm& comm = test_comm();
  const Output output =
      kKernel.run({}, validate(kKernel.spec, {{"scale", int64_t{4}}, {"edge_factor", int64_t{2}}}), comm, {});
  EXPECT_EQ(comm.allreduce<int64_t>(output.rows), 32);
  for (size_t c = 0; c < 2; ++c) EXPECT_EQ(output.columns[c].name, kKernel.spec.output[c].name);
}

}  // namespace
}  // namespace sparkgap
