// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "graph/stored_graph.h"
#include "table/segment.h"
#include "table/table.h"

namespace sparkgap {

/// The segments of a table named by path: a manifest (.json), an .arrow file, or a folder of .arrow files
/// (in the order of their names). Throws Error(kData) naming `where` when there is none.
std::vector<Segment> find_segments(const std::string& path, const std::string& where);

/// A file as JSON. Throws what nlohmann throws where it is none, or nested so deep that no reader of it comes back.
nlohmann::ordered_json parse_json(std::istream& file);
/// A whole number within these bounds. Throws what nlohmann throws where it is none; get<int64_t>() takes 1e300, 2^64 -
/// 1 and what int cannot hold.
int64_t whole_number(const nlohmann::ordered_json& json, int64_t least, int64_t most);

/// "segments" as manifests and jobs hold them.
std::vector<Segment> segments_of(const nlohmann::ordered_json& json);
nlohmann::ordered_json segments_json(const std::vector<Segment>& segments);
/// "graph" as manifests and jobs hold it: what a stored graph has beside its vertices.
GraphSegments graph_of(const nlohmann::ordered_json& json);
nlohmann::ordered_json graph_json(const GraphSegments& graph);
/// "schema" of a result.
nlohmann::ordered_json schema_json(const Output& output);

/// The "graph" of the manifest at a path; nothing where it is no manifest or has none.
std::optional<GraphSegments> find_graph(const std::string& path, const std::string& where);

/// A whole manifest (store/FORMAT.md).
std::string manifest_json(const std::string& name, const std::vector<Segment>& segments,
                          const std::optional<GraphSegments>& graph, const Output& output);

}  // namespace sparkgap
