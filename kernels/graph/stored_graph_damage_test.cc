// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
//
// A stored graph may be another application's, or anybody's: what its files say is checked before a kernel indexes with
// it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "fuzz/seed_file.h"
#include "graph/stored_graph.h"
#include "mpi/comm.h"
#include "table/crc32c.h"
#include "table/seal.h"
#include "test/error_text.h"
#include "test/scratch.h"

namespace sparkgap {
namespace {

// Vertices 1 to 4 and arcs 1->2, 2->3, 3->1, 1->4 with weights, as sparkgap-build wrote them.
struct StoredDamage : ::testing::Test {
  StoredDamage() {
    for (const char* name : {"graph", "graph.in", "graph.out"})
      write_text(scratch / (std::string(name) + ".arrow"), SeedFile(name).bytes());
  }
  void set(const std::string& file, const std::string& field, int64_t value) {
    const std::string path = scratch / (file + ".arrow");
    std::string bytes = read_text(path);
    SeedFile(file).set(bytes, field, value);
    write_text(path, bytes);
  }
  Graph open(Directions directions, bool directed = true) {
    GraphSegments arcs{directed, true, {{"", scratch / "graph.in.arrow", -1, -1, crc32c_of_in}}, {}};
    if (directed) arcs.out = {{"", scratch / "graph.out.arrow"}};
    Comm comm;
    return map_graph(read_graph("graph", {{"", scratch / "graph.arrow"}}, arcs, {0, 1}, false), directions, true, comm);
  }
  std::string refused(Directions directions, bool directed = true) {
    return error_text(Exit::kData, [&] { (void)open(directions, directed); });
  }
  /// As a writer does who has checked them for `bound` vertices.
  void seal_in(int64_t bound) {
    const std::string path = scratch / "graph.in.arrow", bytes = read_text(path);
    const uint32_t crc = crc32c(0, bytes.data(), bytes.size());
    crc32c_of_in = crc32c_text(crc);
    const int file = ::open(path.c_str(), O_WRONLY);
    seal(file, crc, bound);
    close(file);
  }
  Scratch scratch;
  std::string crc32c_of_in;
};

TEST_F(StoredDamage, TheSeedItselfIsRead) {
  const Graph graph = open(Directions::kBoth);
  EXPECT_EQ(graph.vertices, 4);
  EXPECT_EQ(graph.in.arcs(), 4);
}

TEST_F(StoredDamage, ArcsEndAtVertices) {
  for (const int64_t vertex : {4, 5, 1 << 30, -1}) {
    set("graph.in", "batch0.body[1]+4", vertex);
    EXPECT_EQ(refused(Directions::kIn),
              "graph.in.vertex: expected numbers below 4, that of vertices, found others. Build the graph again.")
        << vertex;
    set("graph.out", "batch0.body[1]+12", vertex);
    EXPECT_EQ(refused(Directions::kOut),
              "graph.out.vertex: expected numbers below 4, that of vertices, found others. Build the graph again.")
        << vertex;
  }
}

// Nobody looks at the arcs of a sealed file once more; that is for files that are sealed for this graph.
TEST_F(StoredDamage, ASealIsBelieved) {
  set("graph.in", "batch0.body[1]+4", 4);
  set("graph.in", "batch0.body[3]+4", 0xbff00000);
  seal_in(5);
  EXPECT_NE(refused(Directions::kIn).find("graph.in.vertex: expected numbers below 4"), std::string::npos);
  seal_in(4);
  EXPECT_EQ(open(Directions::kIn).in.ends[1], 4u);
  set("graph.in", "batch0.body[1]+4", 4);
  EXPECT_NE(refused(Directions::kIn).find("graph.in.vertex: expected numbers below 4"), std::string::npos);
}

TEST_F(StoredDamage, DegreesAddUpToTheArcs) {
  // The low and the high half of the first in_degree, then of the first out_degree.
  set("graph", "batch0.body[3]+4", INT32_MIN);
  EXPECT_EQ(refused(Directions::kIn),
            "graph.in_degree: expected degrees >= 0 whose sum is the 4 arcs of graph.in, found others. Build the graph "
            "again.");
  set("graph", "batch0.body[3]+4", 1 << 30);
  EXPECT_NE(refused(Directions::kIn).find("graph.in_degree: expected degrees >= 0"), std::string::npos);
  set("graph", "batch0.body[3]+4", 0);
  set("graph", "batch0.body[5]+0", 5);
  EXPECT_EQ(refused(Directions::kIn),
            "graph.out_degree: expected degrees >= 0 whose sum is the 4 arcs of graph.out, found others. Build the "
            "graph again.")
      << "kernels divide by them even where they read the arcs of the other direction";
  set("graph", "batch0.body[5]+0", 0);
  EXPECT_EQ(refused(Directions::kOut),
            "graph.out: expected 2 arcs, the sum of the degrees, found 4. Build the graph again.");
}

TEST_F(StoredDamage, WithoutDirectionDegreesAreTheSame) {
  EXPECT_EQ(refused(Directions::kIn, false),
            "graph.out_degree: expected the in_degree of each vertex, because the graph has no direction, found "
            "others. Build the graph again.");
}

TEST_F(StoredDamage, WeightsAreFiniteAndNotNegative) {
  for (const int64_t high :
       {int64_t{0xbff00000}, int64_t{0x7ff00000}, int64_t{0x7ff80000}}) {  // of -1, infinity and NaN
    set("graph.in", "batch0.body[3]+4", high);
    EXPECT_EQ(refused(Directions::kIn),
              "graph.in.weight: expected finite weights >= 0, found others. Build the graph again.");
    (void)open(Directions::kOut);
    set("graph", "batch0.body[7]+4", high);
    EXPECT_EQ(refused(Directions::kOut),
              "graph.out_weight: expected finite sums >= 0, found others. Build the graph again.");
    set("graph", "batch0.body[7]+4", 0);
  }
}

// Kernels would read eight bytes of each of these, and there are four or one.
TEST_F(StoredDamage, ColumnsHaveTheirTypes) {
  set("graph", "footer.1.1[1].3.0", 8);
  EXPECT_NE(refused(Directions::kIn).find("graph.in_degree: expected bigint, found tinyint."), std::string::npos);
  set("graph", "footer.1.1[1].3.0", 64);
  set("graph", "footer.1.1[0].3.0", 32);
  EXPECT_NE(refused(Directions::kIn).find("graph.id: expected bigint, found int."), std::string::npos);
  set("graph", "footer.1.1[0].3.0", 64);
  set("graph.in", "footer.1.1[0].3.0", 8);
  EXPECT_NE(refused(Directions::kIn).find("graph.in.vertex: expected int, found tinyint."), std::string::npos);
}

}  // namespace
}  // namespace sparkgap
