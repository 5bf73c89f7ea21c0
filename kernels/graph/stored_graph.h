// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "spec/table_reader.h"
#include "table/segment.h"
#include "table/table.h"

namespace sparkgap {

/// The files of a stored graph beside its table of vertices, as manifests and jobs name them: per part (what one rank
/// built) one segment of arcs in each direction, in the order of the parts' vertices.
struct GraphSegments {
  bool directed = true, weighted = false;
  std::vector<Segment> in, out;  ///< `out` is empty without direction
};

/// A stored graph, mapped: what Table::graph refers to. All of this host's, whichever rank uses which part.
struct StoredGraph {
  bool directed = true, weighted = false;
  Share share;    ///< this rank among those of the host
  Table in, out;  ///< column 0: number of the vertex at the other end, column 1: weight
};

/// Maps a stored graph: a Table of its vertices with `graph` set. Columns: id, in_degree, out_degree, and out_weight
/// where weighted.
///
/// Cost       O(batches); with string ids 4 bytes per vertex are read
/// Errors     kData: file missing, damaged or not as the manifest says
[[nodiscard]] Table read_graph(const std::string& name, const std::vector<Segment>& vertices, const GraphSegments& arcs,
                               Share share, bool verify);

/// The part of a stored graph that this rank works on: a range of rows with about its share of arcs. Nothing is copied
/// but where a range goes over the end of a file.
///
/// What the files say is checked before it leads anywhere: degrees against the numbers of arcs, each of the rank's arcs
/// against the number of vertices, weights. Files may be another application's, or anybody's; arcs in files that are
/// sealed (seal.h) were checked when they were written.
///
/// Params     with_weights: whether weights will be read soon; they are there either way
/// Cost       O(vertices of the host); 16 bytes per row; where a file is not sealed, one read of the rank's arcs
/// Errors     kData
/// Parallel   collective over comm
[[nodiscard]] Graph map_graph(const Table& stored, Directions directions, bool with_weights, Comm& comm);

}  // namespace sparkgap
