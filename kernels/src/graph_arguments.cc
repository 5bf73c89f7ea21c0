// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "graph_arguments.h"

namespace sparkgap {

std::vector<InputSpec> graph_inputs() {
  return {{.name = "edges", .required = true, .doc = "One row per edge."},
          {.name = "vertices", .required = false, .doc = "Ids that are vertices even without edges.", .columns = {{"id", "id"}}}};
}

Parameter source_column() {
  return {.name = "src", .kind = Kind::kColumn, .fallback = std::string("src"), .doc = "Column of edges with the id that an edge leaves.", .of = "edges", .accepts = "id"};
}

Parameter destination_column() {
  return {.name = "dst", .kind = Kind::kColumn, .fallback = std::string("dst"), .doc = "Column of edges with the id that an edge enters.", .of = "edges", .accepts = "id"};
}

Parameter weight_column() {
  return {.name = "weight", .kind = Kind::kColumn, .fallback = {}, .doc = "Column of edges with finite weights >= 0; without one every edge weighs the same.",
          .of = "edges", .accepts = "number"};
}

Parameter directed_flag() {
  return {.name = "directed", .kind = Kind::kBool, .fallback = true, .doc = "Whether edges have a direction; if not, each row also stands for its reverse."};
}

GraphTables graph_tables(const Inputs& inputs, const Values& values) {
  GraphTables tables{&inputs.at("edges")};
  if (const auto vertices = inputs.find("vertices"); vertices != inputs.end()) tables.vertices = &vertices->second;
  tables.weighted = values.count("weight") > 0 && find_string(values, "weight").has_value();
  tables.directed = get_bool(values, "directed");
  return tables;
}

OutputColumn id_column(const Buffer<int64_t>& ids, const StringIds* strings) {
  OutputColumn column{"id", Type::kInt64, ids.data(), {}};
  if (strings == nullptr) return column;
  column.type = Type::kString;
  column.values = nullptr;
  column.strings.resize(ids.size());
  parallel_ranges(static_cast<int64_t>(ids.size()), 1 << 14, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) column.strings[i] = strings->text(ids[i]);
  });
  return column;
}

}  // namespace sparkgap
