// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "build/build.h"

#include <gtest/gtest.h>

#include "graph/graph_arguments.h"
#include "graph/stored_graph.h"
#include "spec/kernel.h"
#include "table/crc32c.h"
#include "table/seal.h"
#include "table/segment_writer.h"
#include "test/error_text.h"
#include "test/scratch.h"
#include "test/test_comm.h"
#include "test/test_graph.h"

namespace sparkgap {
namespace {

/// Everything about a graph by names: arcs of both directions with weights, and the sums of the vertices.
struct Content {
  std::multiset<std::tuple<std::string, std::string, double>> in, out;
  std::map<std::string, double> out_degree, out_weight;
  bool operator==(const Content&) const = default;
};

int64_t number_at(const Graph& graph, const Adjacency& arcs, size_t k) {
  if (graph.ghosts.places() > 0) return graph.ghosts.number(arcs.ends[k]);
  return arcs.far_ends.empty() ? int64_t{arcs.ends[k]} : static_cast<int64_t>(arcs.far_ends[k]);
}

Content content_of(const Graph& graph) {
  Comm& comm = test_comm();
  std::vector<std::pair<std::string, std::vector<double>>> rows, arcs;
  for (int64_t row = 0; row < graph.rows; ++row)
    rows.push_back({graph.ids.text(row), {static_cast<double>(graph.first + row)}});
  std::vector<std::string> names(static_cast<size_t>(graph.vertices));
  for (const auto& [id, number] : gather_rows(rows, comm)) names.at(static_cast<size_t>(number[0])) = id;
  for (const bool incoming : {true, false}) {
    const Adjacency& adjacency = incoming ? graph.in : graph.out;
    for (int64_t row = 0; row < graph.rows; ++row)
      for (auto k = static_cast<size_t>(adjacency.starts[static_cast<size_t>(row)]);
           k < static_cast<size_t>(adjacency.starts[static_cast<size_t>(row) + 1]); ++k)
        arcs.push_back({graph.ids.text(row),
                        {static_cast<double>(number_at(graph, adjacency, k)), graph.weighted ? adjacency.weights[k] : 1,
                         static_cast<double>(incoming)}});
  }
  Content content{{}, {}, by_id(graph.ids, graph.out_degree), {}};
  for (const auto& [id, v] : gather_rows(arcs, comm)) {
    const std::string& other = names.at(static_cast<size_t>(v[0]));
    if (v[2] == 1) content.in.insert({other, id, v[1]});
    else content.out.insert({id, other, v[1]});
  }
  if (graph.weighted) content.out_weight = by_id(graph.ids, graph.out_weight);
  return content;
}

std::string common_folder(const Scratch& mine) {
  std::vector<char> path(mine.path().begin(), mine.path().end());
  std::vector<int64_t> counts =
      test_comm().allgather<int64_t>(test_comm().rank() == 0 ? static_cast<int64_t>(path.size()) : 0);
  std::vector<char> all(static_cast<size_t>(counts[0]));
  if (test_comm().rank() == 0) all = path;
  test_comm().allgatherv(std::span<char>(all), counts);
  return {all.begin(), all.end()};
}

/// The stored form of a graph that `parts` communicators built: written by this rank if it is one of theirs.
struct Files {
  std::vector<Segment> vertices;
  GraphSegments arcs;
};

Files write(const Output& output, const std::string& folder, int part) {
  Files files{write_segments(output, folder, part, 4096),
              {output.graph->directed, output.graph->weighted, {write_arcs(output.graph->in, "in", folder, part)}, {}}};
  if (output.graph->directed) files.arcs.out = {write_arcs(output.graph->out, "out", folder, part)};
  return files;
}

/// The files of `parts` ranks, read back by all: names and sizes follow from what stands in the folder; checksums are
/// known where they shall be sealed.
Files found(const std::string& folder, int parts, bool directed, bool weighted, bool sealed) {
  Files files{{}, {directed, weighted, {}, {}}};
  for (int part = 0; part < parts; ++part) {
    char name[64];
    for (int n = 0;; ++n) {
      std::snprintf(name, sizeof name, "/rank-%05d-%d.arrow", part, n);
      if (!std::filesystem::exists(folder + name)) break;
      files.vertices.push_back({"", folder + name});
    }
    std::snprintf(name, sizeof name, "-%05d.arrow", part);
    files.arcs.in.push_back({"", folder + "/in" + name});
    if (directed) files.arcs.out.push_back({"", folder + "/out" + name});
  }
  for (std::vector<Segment>* segments : {&files.arcs.in, &files.arcs.out})
    for (Segment& segment : *segments) {
      if (!sealed) continue;
      const std::string bytes = read_text(segment.path);
      segment.crc32c = crc32c_text(crc32c(0, bytes.data(), bytes.size()));
    }
  return files;
}

void expect_round_trip(const TestGraph& graph, bool strings, bool alone, const Numbering& numbering = {},
                       bool sealed = false) {
  Comm& comm = test_comm();
  Scratch scratch;
  const std::string folder = common_folder(scratch);
  const Content expected = content_of(built(graph, strings, Directions::kBoth));
  // One part written by one rank and used by all, or a part of each rank.
  if (alone) {
    if (comm.rank() == 0) {
      Comm single;
      std::vector<std::string> src, dst;
      for (const auto& [from, to] : graph.edges) src.push_back(from), dst.push_back(to);
      std::vector<MemoryColumn> columns{id_column("src", src, strings), id_column("dst", dst, strings)};
      if (!graph.weights.empty()) columns.push_back(doubles("weight", graph.weights));
      const Table edges = memory_table("edges", columns, single),
                  vertices = memory_table("vertices", {id_column("id", graph.vertices, strings)}, single);
      write(build::run(build_graph({&edges, &vertices, !graph.weights.empty(), graph.directed}, Directions::kBoth,
                                   single, {}, hash_string, numbering)),
            folder, 0);
    }
  } else {
    write(build::run(numbered(graph, strings, Directions::kBoth, numbering)), folder, comm.rank());
  }
  (void)comm.allreduce<int64_t>(1);  // all files are there
  const Files files = found(folder, alone ? 1 : comm.size(), graph.directed, !graph.weights.empty(), sealed);
  const Table stored = read_graph("graph", files.vertices, files.arcs, {comm.rank(), comm.size()}, true);
  Graph mapped = map_graph(stored, Directions::kBoth, true, comm);
  for (const Table* arcs : {&stored.graph->in, &stored.graph->out})
    for (const Batch& batch : arcs->batches) EXPECT_EQ(is_sealed(*batch.file, batch.crc32c, mapped.vertices), sealed);
  EXPECT_EQ(content_of(mapped), expected);
  EXPECT_EQ(mapped.far, numbering.most_near == 0 && mapped.arcs > 0);
  mapped.find_ghosts(comm);
  EXPECT_EQ(content_of(mapped), expected);
  // Another number of ranks than parts: every rank for itself maps all of it.
  Comm single;
  const Graph whole =
      map_graph(read_graph("graph", files.vertices, files.arcs, {0, 1}, false), Directions::kIn, true, single);
  EXPECT_EQ(whole.vertices, mapped.vertices);
  EXPECT_EQ(whole.in.arcs(), mapped.arcs);
  EXPECT_TRUE(whole.out.empty());
  const Graph away = map_graph(stored, Directions::kOut, false, comm);
  EXPECT_EQ(away.in.empty(), graph.directed);
  EXPECT_EQ(comm.allreduce<int64_t>(away.out.arcs()), mapped.arcs);
  EXPECT_EQ(away.arcs, mapped.arcs);
  (void)comm.allreduce<int64_t>(1);  // nobody's folder goes while it is read
}

TEST(Build, GoesToFilesAndBack) {
  for (uint64_t number = 0; number < 60; ++number) {
    SCOPED_TRACE(number);
    omp_set_num_threads(1 + static_cast<int>(number % 2));
    expect_round_trip(random_graph(number), number % 7 == 0, number % 4 < 2,
                      number % 3 == 0 ? Numbering{.most_near = 0} : Numbering{}, number % 5 < 2);
  }
}

TEST(Build, TakesAGraphOfVerticesAlone) {
  for (const bool alone : {true, false}) expect_round_trip({.edges = {}, .vertices = {"3", "-1", "7"}}, false, alone);
}

TEST(Build, RunsAsAKernelThatOthersStartFrom) {
  Comm& comm = test_comm();
  Scratch scratch;
  const std::string folder = common_folder(scratch);
  const TestGraph graph{.edges = {{"a", "b"}, {"b", "c"}, {"c", "a"}, {"d", "a"}}, .weights = {1, 2, 3, 0.5}};
  const Values values = validate(kKernel.spec, {{"weight", std::string("weight")}});
  const Output output = kKernel.run(tables_of(graph, true), values, comm, {});
  EXPECT_EQ(comm.allreduce<int64_t>(output.rows), 4);
  ASSERT_TRUE(output.graph);
  write(output, folder, comm.rank());
  (void)comm.allreduce<int64_t>(1);
  const Files files = found(folder, comm.size(), true, true, true);
  Inputs inputs;
  inputs["graph"] = read_graph("graph", files.vertices, files.arcs, {comm.rank(), comm.size()}, false);
  Values of_kernel{{"weight", std::string("weight")}, {"directed", true}};
  const Opened opened = open_graph(inputs, of_kernel, Directions::kBoth, comm, {});
  EXPECT_EQ(content_of(opened.graph), content_of(built(graph, true, Directions::kBoth)));
  of_kernel["directed"] = false;
  EXPECT_EQ(error_text(Exit::kArguments, [&] { (void)open_graph(inputs, of_kernel, Directions::kBoth, comm, {}); }),
            "directed: expected a graph that was built with directed => false, found one with directed => true. Build "
            "it anew, or leave directed out.");
  inputs["edges"] = Table{};
  EXPECT_EQ(error_text(Exit::kArguments, [&] { (void)open_graph(inputs, of_kernel, Directions::kBoth, comm, {}); }),
            "graph: expected no edges beside it, found both. Leave one of them out.");
  (void)comm.allreduce<int64_t>(1);
}

}  // namespace
}  // namespace sparkgap
