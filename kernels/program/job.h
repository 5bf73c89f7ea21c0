// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/stored_graph.h"
#include "process/error.h"
#include "program/input_look.h"
#include "spec/spec.h"
#include "spec/table_reader.h"
#include "table/segment_writer.h"

namespace sparkgap {

/// What one run was told, by job.json (docs/program-contract.md) or by a command line.
struct Job {
  std::string directory;  ///< of job.json; empty when started by hand
  int ranks = 1, threads = 1;
  std::vector<std::string> rank_hosts;                 ///< empty: all ranks on one host
  Values parameters;                                   ///< as given, not validated
  std::map<std::string, std::vector<Segment>> inputs;  ///< absent: not given
  std::map<std::string, GraphSegments> graphs;         ///< of the inputs that are stored graphs
  bool verify = false;                                 ///< check checksums of the inputs
  std::string output_directory;
  int64_t segment_bytes = kDefaultSegmentBytes;
  std::string progress, done = "done-%d.json";  ///< files of the directory
  std::optional<InputLook> look;                ///< at the rows of all hosts, where they have looked
};

/// Reads <directory>/job.json. Throws Error(kArguments) for anything that is not as the contract says.
Job read_job(const std::string& directory, const Spec& spec);
/// Reads a job.json, `-` for standard input, of a job that need not have a place for its output yet.
Job read_job_file(const std::string& path, const Spec& spec);

/// The arc segments of a stored graph on this rank's host.
GraphSegments local_arcs(const Job& job, const GraphSegments& arcs, int rank);

/// The segments of an input on this rank's host and this rank's share of their rows.
std::pair<std::vector<Segment>, Share> local_part(const Job& job, const std::string& input, int rank);

/// What a rank reports when it is done.
struct Report {
  std::vector<Segment> segments;
  std::optional<GraphSegments> graph;
  double build_s = 0, compute_s = 0, write_s = 0;
};

/// done-<rank>.json as text.
std::string done_json(const Report& report, const Output& output, int rank);
/// Writes <directory>/<name> aside and renames it, so that nobody sees half of it. Throws Error(kNoRoom).
void write_whole(const std::string& path, const std::string& text);
/// Writes error-<rank>.json, if the directory can still be written; a failure has no second failure.
void write_error(const std::string& directory, int rank, Exit code, const std::string& message) noexcept;

/// Most memory that this process ever held, mapped files that it touched included [bytes].
int64_t peak_rss_bytes();

}  // namespace sparkgap
