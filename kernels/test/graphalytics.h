// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sparkgap {

/// A graph of the LDBC Graphalytics benchmark with what is expected of an algorithm on it.
struct GraphalyticsGraph {
  std::string name;
  bool directed;
  std::vector<int64_t> vertices, src, dst;
  std::vector<double> weights;
  std::map<std::string, std::string> properties;  ///< without "graph.<name>."

  /// From the `-<ALGORITHM>` file.
  std::map<int64_t, double> expected(const std::string& algorithm) const {
    std::ifstream file(folder / (name + "-" + algorithm));
    std::map<int64_t, double> values;
    std::string text;  // a stream does not read "infinity"
    for (int64_t id; file >> id >> text;) values[id] = std::strtod(text.c_str(), nullptr);
    return values;
  }
  std::filesystem::path folder;
};

/// The folder of $SPARKGAP_DATA, by default data/.
inline std::filesystem::path data_folder() {
  if (const char* data = std::getenv("SPARKGAP_DATA")) return data;
  return std::filesystem::path(__FILE__).parent_path() / "../../data";
}

/// All example graphs; empty where there is no data.
inline std::vector<GraphalyticsGraph> graphalytics_examples() {
  std::vector<GraphalyticsGraph> graphs;
  const auto folder = data_folder() / "graphalytics";
  for (const std::string name : {"example-directed", "example-undirected"}) {
    std::ifstream vertices(folder / (name + ".v")), edges(folder / (name + ".e")),
        properties(folder / (name + ".properties"));
    if (!vertices || !edges || !properties) return {};
    GraphalyticsGraph graph{name, false, {}, {}, {}, {}, {}, folder};
    for (int64_t id; vertices >> id;) graph.vertices.push_back(id);
    int64_t src, dst;
    for (double weight; edges >> src >> dst >> weight;)
      graph.src.push_back(src), graph.dst.push_back(dst), graph.weights.push_back(weight);
    const std::string prefix = "graph." + name + ".";
    for (std::string line; std::getline(properties, line);) {
      const size_t equals = line.find(" = ");
      if (line.rfind(prefix, 0) == 0 && equals != std::string::npos)
        graph.properties[line.substr(prefix.size(), equals - prefix.size())] = line.substr(equals + 3);
    }
    graph.directed = graph.properties.at("directed") == "true";
    graphs.push_back(std::move(graph));
  }
  return graphs;
}

}  // namespace sparkgap
