// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "ids/graph_rows.h"

#include "process/error.h"

namespace sparkgap {
namespace {

std::string kind(bool strings) { return strings ? "strings" : "integers"; }

}  // namespace

GraphRows::GraphRows(const GraphTables& tables, Comm& comm, StringHash hash)
    : edges(*tables.edges, {0, 1}, tables.weighted ? 2 : -1), weighted(tables.weighted), directed(tables.directed),
      arcs_global(tables.edges->rows_global * (tables.directed ? 1 : 2)) {
  if (tables.vertices != nullptr) vertices.emplace(*tables.vertices, std::vector<int>{0}, -1);
  if (tables.edges->rows_global == 0 && (tables.vertices == nullptr || tables.vertices->rows_global == 0))
    throw Error(Exit::kData, tables.edges->name,
                tables.vertices == nullptr ? "at least one row, or a table of vertices"
                                           : "at least one row here or among the vertices",
                "0 rows", "Check the table, or the filter that made it");
  edges.check(comm);
  std::vector<KeyRows*> both{&edges};
  if (vertices) {
    vertices->check(comm);
    if (vertices->strings() != edges.strings())
      throw Error(Exit::kData, column_name(*tables.vertices, 0),
                  kind(edges.strings()) + " like " + column_name(*tables.edges, 0), kind(vertices->strings()),
                  "Cast one of the two columns");
    both.push_back(&*vertices);
  }
  if (edges.strings()) strings = std::make_shared<StringIds>(both, comm, hash);
}

}  // namespace sparkgap
