// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "degree/degree.h"

#include <gtest/gtest.h>

#include <random>

#include "spec/kernel.h"
#include "test/error_text.h"
#include "test/memory_table.h"
#include "test/test_comm.h"

namespace sparkgap {
namespace {

using Degrees = std::map<std::string, std::vector<double>>;  // id -> in, out, both

/// Edge by edge.
Degrees oracle(const std::vector<std::string>& src, const std::vector<std::string>& dst,
               const std::vector<std::string>& vertices, bool directed) {
  Degrees degrees;
  for (const std::string& id : vertices) degrees[id] = {0, 0, 0};
  const auto edge = [&](const std::string& from, const std::string& to) {
    degrees.try_emplace(from, std::vector<double>(3)).first->second[1] += 1;
    degrees.try_emplace(to, std::vector<double>(3)).first->second[0] += 1;
  };
  for (size_t i = 0; i < src.size(); ++i) {
    edge(src[i], dst[i]);
    if (!directed) edge(dst[i], src[i]);
  }
  for (auto& [id, d] : degrees) d[2] = d[0] + d[1];
  return degrees;
}

Degrees gathered(const degree::Result& result) {
  std::vector<std::pair<std::string, std::vector<double>>> rows;
  for (size_t row = 0; row < static_cast<size_t>(result.ids.rows()); ++row)
    rows.push_back({result.ids.text(static_cast<int64_t>(row)),
                    {static_cast<double>(result.in_degree[row]), static_cast<double>(result.out_degree[row]),
                     static_cast<double>(result.degree[row])}});
  Degrees degrees;
  for (const auto& [id, values] : gather_rows(rows, test_comm())) EXPECT_TRUE(degrees.emplace(id, values).second) << id;
  return degrees;
}

std::vector<std::string> texts(const std::vector<int64_t>& ids) {
  std::vector<std::string> all;
  for (const int64_t id : ids) all.push_back(std::to_string(id));
  return all;
}

/// As integers and as strings, in all variants.
void expect_degrees(const std::vector<int64_t>& src, const std::vector<int64_t>& dst,
                    const std::vector<int64_t>& vertices) {
  Comm& comm = test_comm();
  for (const int threads : {1, 2})
    for (const bool directed : {true, false})
      for (const bool strings : {false, true})
        for (const bool listed : {false, true}) {
          if (src.empty() && !listed) continue;
          SCOPED_TRACE(testing::Message() << "threads " << threads << " directed " << directed << " strings " << strings
                                          << " listed " << listed);
          omp_set_num_threads(threads);
          const auto column = [&](const char* name, const std::vector<int64_t>& ids) {
            return strings ? MemoryColumn(name, texts(ids)) : longs(name, ids);
          };
          const Table edges = memory_table("edges", {column("src", src), column("dst", dst)}, comm);
          const Table more = memory_table("vertices", {column("id", vertices)}, comm);
          const auto result = degree::run({&edges, listed ? &more : nullptr, false, directed}, {directed}, comm, {});
          EXPECT_EQ(gathered(result),
                    oracle(texts(src), texts(dst), listed ? texts(vertices) : std::vector<std::string>{}, directed));
        }
}

TEST(Degree, OfVerticesWithoutEdgesIsZero) { expect_degrees({}, {}, {1, 2, 2}); }
TEST(Degree, CountsLoopsTwiceAndDuplicatesEach) { expect_degrees({1, 1, 1, 2}, {1, 2, 2, 3}, {9}); }
TEST(Degree, TakesExtremeIds) { expect_degrees({INT64_MIN, INT64_MAX, -1}, {INT64_MAX, 0, INT64_MIN}, {0, 1}); }
TEST(Degree, OfAStar) {
  std::vector<int64_t> leaves, hub;
  for (int64_t i = 1; i <= 2000; ++i) leaves.push_back(i), hub.push_back(0);
  expect_degrees(leaves, hub, {5000});
}
TEST(Degree, OfRandomGraphs) {
  std::mt19937_64 random(5);
  for (const int64_t spread : {int64_t{1}, int64_t{1} << 33}) {
    std::vector<int64_t> src, dst;
    for (int i = 0; i < 4000; ++i)
      src.push_back(static_cast<int64_t>(random() % 1000) * spread),
          dst.push_back(static_cast<int64_t>(random() % (random() % 1000 + 1)) * spread);
    expect_degrees(src, dst, {1, 2, 3});
  }
}

TEST(Degree, RefusesNulls) {
  Comm& comm = test_comm();
  const Table edges = memory_table("edges", {longs("src", {1}), longs("dst", {1}).with_nulls({0})}, comm);
  EXPECT_EQ(error_text(Exit::kData, [&] { (void)degree::run({&edges}, {true}, comm, {}); }),
            "edges.dst: expected no nulls, found 1. Filter them out before the call.");
}

TEST(Degree, RunsAsAKernel) {
  Comm& comm = test_comm();
  Inputs inputs;
  inputs["edges"] = memory_table("edges", {longs("a", {7, 7, 8}), longs("b", {8, 9, 9})}, comm);
  const Output output =
      kKernel.run(inputs, validate(kKernel.spec, {{"src", std::string("a")}, {"dst", std::string("b")}}), comm, {});
  EXPECT_EQ(comm.allreduce<int64_t>(output.rows), 3);
  ASSERT_EQ(output.columns.size(), kKernel.spec.output.size());
  for (size_t c = 0; c < output.columns.size(); ++c) EXPECT_EQ(output.columns[c].name, kKernel.spec.output[c].name);
  for (int64_t row = 0; row < output.rows; ++row)
    EXPECT_EQ(static_cast<const int64_t*>(output.columns[3].values)[row], 2)
        << static_cast<const int64_t*>(output.columns[0].values)[row];
}

}  // namespace
}  // namespace sparkgap
