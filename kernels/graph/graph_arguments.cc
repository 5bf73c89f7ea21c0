// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "graph/graph_arguments.h"

#include <algorithm>

#include "graph/stored_graph.h"
#include "process/error.h"
#include "process/stopwatch.h"

namespace sparkgap {
namespace {

void refuse_both(const Inputs& inputs) {
  for (const char* other : {"edges", "vertices"})
    if (inputs.contains(other))
      throw Error(Exit::kArguments, "graph", "no " + std::string(other) + " beside it", "both",
                  "Leave one of them out");
}

void check_stored(const StoredGraph& stored, const Values& values) {
  if (values.contains("weight") && find_string(values, "weight") && !stored.weighted)
    throw Error(Exit::kArguments, "weight", "a graph that was built with weights", "one without",
                "Build it with that column as weight, or leave weight out");
  if (stored.directed && !get_bool(values, "directed"))
    throw Error(Exit::kArguments, "directed", "a graph that was built with directed => false",
                "one with directed => true", "Build it anew, or leave directed out");
}

MemoryUse operator+(MemoryUse a, const MemoryUse& b) {
  a.arc += b.arc, a.weight += b.weight, a.wide += b.wide, a.sent += b.sent, a.placed += b.placed, a.vertex += b.vertex,
      a.copy += b.copy;
  a.thread += b.thread, a.sum += b.sum, a.text += b.text, a.name += b.name, a.character += b.character;
  return a;
}

}  // namespace

std::vector<InputSpec> table_inputs() {
  return {{.name = "edges", .required = true, .doc = "One row per edge."},
          {.name = "vertices",
           .required = false,
           .doc = "A column id: vertices that are in the result even without edges.",
           .columns = {{"id", "id"}}}};
}

std::vector<InputSpec> graph_inputs() {
  std::vector<InputSpec> inputs = table_inputs();
  inputs.push_back({.name = "graph",
                    .required = false,
                    .doc = "A graph that sparkgap.graph.build made, instead of edges and vertices.",
                    .stored_graph = true});
  return inputs;
}

Parameter source_column() {
  return {.name = "src",
          .kind = Kind::kColumn,
          .fallback = std::string("src"),
          .doc = "Column of edges with the ids that edges leave: integers or strings, without nulls.",
          .of = "edges",
          .accepts = "id"};
}

Parameter destination_column() {
  return {.name = "dst",
          .kind = Kind::kColumn,
          .fallback = std::string("dst"),
          .doc = "Column of edges with the ids that edges enter, of the same kind.",
          .of = "edges",
          .accepts = "id"};
}

Parameter weight_column() {
  return {.name = "weight",
          .kind = Kind::kColumn,
          .fallback = {},
          .doc =
              "Column of edges with finite weights of at least 0; without one every edge weighs the same. Beside a "
              "stored graph: the column that its weights came from.",
          .of = "edges",
          .accepts = "number"};
}

Parameter directed_flag() {
  return {.name = "directed",
          .kind = Kind::kBool,
          .fallback = true,
          .doc = "Whether edges have a direction; if not, each row stands for both."};
}

// Bounds of what was measured on rings, stars, pairs, random graphs and R-MAT with 1, 2 and 4 ranks (`make peaks`).
// They follow from the records on their way and what these become, which are there at the same time (arcs.h,
// transpose.cc, sparse_arcs.cc): with dense ids 4 to 8 and 4 bytes per arc, in both directions 4 more; with others 16
// and 12; weights 8 more in each. Memory that is kept for reuse (MemoryReuse) may not fit what comes next.
MemoryNeed graph_memory(Directions directions, const MemoryUse& own) {
  const bool both = directions == Directions::kBoth;
  const double arrays = both ? 2 : 1;
  const MemoryUse graph{.arc = 4 * arrays, .weight = 8 * arrays, .vertex = 24 + 8 * arrays, .name = 16, .character = 1};
  const MemoryUse mapped{.placed = 4 * arrays, .vertex = 24 + 8 * arrays, .copy = 8 * arrays, .name = 16};
  MemoryUse dense{.arc = 12, .weight = 22, .wide = 8, .sent = 3, .vertex = 39, .copy = 5, .sum = 14};
  if (directions == Directions::kIn)
    dense = {.arc = 7.5, .weight = 27, .wide = 9, .sent = 4, .vertex = 39, .copy = 6, .sum = 36};
  if (directions == Directions::kOut)
    dense = {.arc = 7, .weight = 15.5, .wide = 8, .sent = 2, .vertex = 39, .copy = 5, .sum = 27};
  // Names of a stored graph are mapped: of what is made of them, a result has a copy.
  MemoryUse on_mapped = own;
  on_mapped.name = std::min(own.name, 20.0);
  on_mapped.character = std::min(own.character, 1.0);
  return {.dense = dense,
          .sparse = {.arc = 30,
                     .weight = 24,
                     .sent = 7,
                     .vertex = 54,
                     .copy = 9,
                     .sum = directions == Directions::kOut ? 4.0 : 30.0,
                     .text = 64,
                     .name = 90,
                     .character = 2},
          .run = graph + own,
          .stored = mapped + on_mapped};
}

GraphTables graph_tables(const Inputs& inputs, const Values& values) {
  GraphTables tables{&inputs.at("edges")};
  if (const auto vertices = inputs.find("vertices"); vertices != inputs.end()) tables.vertices = &vertices->second;
  tables.weighted = values.count("weight") > 0 && find_string(values, "weight").has_value();
  tables.directed = get_bool(values, "directed");
  return tables;
}

Opened open_graph(const Inputs& inputs, const Values& values, Directions directions, Comm& comm,
                  const Progress& progress) {
  const Stopwatch build;
  Opened opened;
  if (const auto stored = inputs.find("graph"); stored != inputs.end()) {
    refuse_both(inputs);
    check_stored(*stored->second.graph, values);
    opened.graph = map_graph(stored->second, directions, values.contains("weight"), comm);
  } else {
    opened.graph = build_graph(graph_tables(inputs, values), directions, comm, progress);
  }
  opened.graph.find_ghosts(comm);
  opened.build_s = build.seconds();
  opened.sent = comm.traffic();
  return opened;
}

Output per_vertex(Opened opened, std::vector<OutputColumn> columns, std::shared_ptr<void> kept) {
  struct Kept {
    Graph graph;
    std::shared_ptr<void> columns;
  };
  Output output;
  output.build_s = opened.build_s;
  output.built = opened.sent;
  output.rows = opened.graph.rows;
  output.columns.push_back(opened.graph.ids.column());
  for (OutputColumn& column : columns) output.columns.push_back(std::move(column));
  output.keep = std::make_shared<Kept>(Kept{std::move(opened.graph), std::move(kept)});
  return output;
}

}  // namespace sparkgap
