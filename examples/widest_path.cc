// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
//
// The widest path: the largest load that fits on some way from the source to each vertex, where an edge takes its
// weight at most.
#include <sparkgap/vertex_program.h>

#include <algorithm>
#include <limits>

struct WidestPath {
  using Value = double;    // the widest way found so far; 0 = none
  using Message = double;  // the width of a way to the receiver
  static constexpr const char* kName = "widest";
  static constexpr const char* kColumn = "width";
  static constexpr const char* kSummary = "The largest load that fits on some way from the source to each vertex.";

  static std::vector<sparkgap::Parameter> parameters() {
    return {
        {.name = "source", .kind = sparkgap::Kind::kId, .fallback = {}, .doc = "Id of the vertex where ways begin."}};
  }
  explicit WidestPath(const sparkgap::Values& values) : source(sparkgap::get_string(values, "source")) {}

  double start(const sparkgap::Vertex& vertex) const {
    return vertex.id() == source ? std::numeric_limits<double>::infinity() : 0;
  }
  std::optional<double> send(double width, const sparkgap::Edge& edge) const {
    const double through = std::min(width, edge.weight);
    return through > 0 ? std::optional(through) : std::nullopt;
  }
  double combine(double a, double b) const { return std::max(a, b); }
  bool apply(double& width, double offered, const sparkgap::Vertex&) const {
    if (offered <= width) return false;
    width = offered;
    return true;
  }

  std::string source;
};

SPARKGAP_VERTEX_PROGRAM(WidestPath);
