// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "program/manifest.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "process/error.h"

namespace sparkgap {
namespace {

using Json = nlohmann::ordered_json;

/// read(manifest) of a file, with every fault of it as a kData error.
template <typename Read>
auto from_manifest(const std::string& path, const std::string& where, Read&& read) {
  try {
    std::ifstream file(path);
    if (!file)
      throw Error(Exit::kData, where, "a readable manifest at " + path, std::strerror(errno),
                  "Name a table that exists");
    const Json json = parse_json(file);
    if (json.at("version") != 1)
      throw Error(Exit::kData, where, "a manifest of version 1 at " + path, "version " + json.at("version").dump(),
                  "Write the table again");
    return read(json);
  } catch (const Json::exception& e) {
    throw Error(Exit::kData, where, "a manifest by store/FORMAT.md at " + path, e.what(), "Write the table again");
  }
}

}  // namespace

Json parse_json(std::istream& file) {
  constexpr int kDeepest = 64;
  return Json::parse(file, [](int depth, Json::parse_event_t, Json&) {
    if (depth > kDeepest) throw Json::other_error::create(502, "more than 64 levels", nullptr);
    return true;
  });
}

int64_t whole_number(const Json& json, int64_t least, int64_t most) {
  const bool fits = json.is_number_integer() && !(json.is_number_unsigned() && json.get<uint64_t>() > INT64_MAX);
  const int64_t number = fits ? json.get<int64_t>() : 0;
  if (!fits || number < least || number > most)
    throw Json::other_error::create(503,
                                    "expected a whole number from " + std::to_string(least) + " to " +
                                        std::to_string(most) + ", found " + json.dump(),
                                    nullptr);
  return number;
}

std::vector<Segment> find_segments(const std::string& path, const std::string& where) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (!fs::exists(status)) throw Error(Exit::kData, where, "a file or folder at " + path, "none", "Check the path");
  if (!fs::is_directory(status)) {
    if (fs::path(path).extension() == ".json")
      return from_manifest(path, where, [](const Json& json) { return segments_of(json.at("segments")); });
    return {{"", path}};
  }
  std::vector<Segment> segments;
  for (const auto& entry : fs::directory_iterator(path, failed))
    if (entry.path().extension() == ".arrow") segments.push_back({"", entry.path().string()});
  if (failed)
    throw Error(Exit::kData, where, "a readable folder at " + path, failed.message(), "Check its permissions");
  if (segments.empty()) throw Error(Exit::kData, where, ".arrow files in " + path, "none", "Check the path");
  std::sort(segments.begin(), segments.end(), [](const Segment& a, const Segment& b) { return a.path < b.path; });
  return segments;
}

std::vector<Segment> segments_of(const Json& json) {
  std::vector<Segment> segments;
  for (const Json& one : json)
    segments.push_back(
        {one.value("host", ""), one.at("path").get<std::string>(), whole_number(one.at("rows"), 0, INT64_MAX),
         one.contains("bytes") ? whole_number(one.at("bytes"), -1, INT64_MAX) : -1, one.value("crc32c", "")});
  return segments;
}

Json segments_json(const std::vector<Segment>& segments) {
  Json all = Json::array();
  for (const Segment& segment : segments) {
    Json one = Json::object();
    if (!segment.host.empty()) one["host"] = segment.host;
    one.update({{"path", segment.path}, {"rows", segment.rows}, {"bytes", segment.bytes}, {"crc32c", segment.crc32c}});
    all.push_back(std::move(one));
  }
  return all;
}

GraphSegments graph_of(const Json& json) {
  return {json.at("directed").get<bool>(), json.at("weighted").get<bool>(), segments_of(json.at("in")),
          segments_of(json.at("out"))};
}

Json graph_json(const GraphSegments& graph) {
  return {{"directed", graph.directed},
          {"weighted", graph.weighted},
          {"in", segments_json(graph.in)},
          {"out", segments_json(graph.out)}};
}

std::optional<GraphSegments> find_graph(const std::string& path, const std::string& where) {
  if (std::filesystem::path(path).extension() != ".json") return std::nullopt;
  return from_manifest(path, where, [](const Json& json) {
    return json.contains("graph") ? std::optional(graph_of(json.at("graph"))) : std::nullopt;
  });
}

Json schema_json(const Output& output) {
  Json all = Json::array();
  for (const auto& column : output.columns)
    all.push_back({{"name", column.name},
                   {"type", column.type == Type::kArray ? "array<double not null>" : type_name(column.type)},
                   {"nullable", column.nullable}});
  return all;
}

std::string manifest_json(const std::string& name, const std::vector<Segment>& segments,
                          const std::optional<GraphSegments>& graph, const Output& output) {
  int64_t rows = 0, bytes = 0;
  for (const Segment& segment : segments) {
    rows += segment.rows;
    bytes += segment.bytes;
  }
  Json manifest{{"version", 1},
                {"name", name},
                {"rows", rows},
                {"bytes", bytes},
                {"schema", schema_json(output)},
                {"segments", segments_json(segments)}};
  if (graph) manifest["graph"] = graph_json(*graph);
  return manifest.dump(1) + "\n";
}

}  // namespace sparkgap
