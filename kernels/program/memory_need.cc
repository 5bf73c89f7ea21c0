// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "program/memory_need.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "buffers/disk_speed.h"
#include "graph/arcs.h"
#include "ids/dense_ids.h"
#include "process/error.h"

namespace sparkgap {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMiB = 1 << 20;
/// What a rank takes without rows, alone and with MPI, and each thread of it.
constexpr double kRankBytes = 6 * kMiB, kMpiRankBytes = 26 * kMiB, kThreadBytes = kMiB;
/// A thread sorts a million arcs at a time, as records of two numbers and a weight.
constexpr double kWindowArcs = 1 << 20, kWindowArcBytes = 8, kWindowWeightBytes = 8;
/// Ids that occur once may be longer than those that occur often.
constexpr double kLongerIds = 2;
/// Graphs of the benchmarks have 4 to 26 edges per vertex.
constexpr double kEdgesPerVertex = 4;

struct Shape {
  double edges = 0, arcs = 0, vertices = 0;
  bool wide = false;  ///< the two ends of an arc do not fit 32 bits
  bool strings = false;
  double characters = 0;  ///< of the distinct ids
};

bool is_weighted(const Values& values) {
  return values.contains("weight") && find_string(values, "weight").has_value();
}

double number_of(const Values& values, const std::string& name) {
  const Value& value = values.at(name);
  if (const auto* whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* columns = std::get_if<std::vector<std::string>>(&value)) return static_cast<double>(columns->size());
  const auto* number = std::get_if<double>(&value);
  return number == nullptr ? 1 : *number;
}

double arcs_per_row(const Spec& spec, const Values& values) {
  const bool both = values.contains("directed") && !get_bool(values, "directed");
  return (both ? 2 : 1) * (spec.memory.times.empty() ? 1 : number_of(values, spec.memory.times));
}

/// The rows of the first table, and of all others together.
std::pair<int64_t, int64_t> rows_of(const Spec& spec, const Job& job) {
  int64_t first = 0, others = 0;
  for (const InputSpec& input : spec.inputs) {
    if (input.stored_graph || !job.inputs.contains(input.name)) continue;
    const int64_t rows = total_rows(input.name, job.inputs.at(input.name));
    if (&input == &spec.inputs.front()) first = rows;
    else others += rows;
  }
  return {first, others};
}

double bytes(const MemoryUse& use, const Shape& shape, const Job& job, bool weighted) {
  const double per_arc = use.arc + (shape.wide ? use.wide : 0) + (weighted ? use.weight : 0) +
                         (job.ranks > 1 ? use.sent : 0) + (job.ranks > Ghosts::kFewRanks ? use.placed : 0);
  const double per_vertex =
      use.vertex + use.copy * job.ranks + use.thread * job.ranks * job.threads + (weighted ? use.sum : 0);
  const double text =
      shape.strings ? use.text * shape.edges + use.name * shape.vertices + use.character * shape.characters : 0;
  return per_arc * shape.arcs + per_vertex * shape.vertices + text;
}

/// What does not grow with the rows, or not beyond some number of them.
double base(const Job& job, double arcs, bool weighted) {
  const double threads = double{1} * job.ranks * job.threads;
  return job.ranks * (job.ranks > 1 ? kMpiRankBytes : kRankBytes) + threads * kThreadBytes +
         std::min(threads * kWindowArcs, arcs) * (kWindowArcBytes + (weighted ? kWindowWeightBytes : 0));
}

/// Arcs that lie in several files of a host are copied by ranks whose rows go over the end of one.
double copied(const GraphSegments& graph) {
  double sum = 0;
  for (const auto* segments : {&graph.in, &graph.out}) {
    std::map<std::string, std::pair<int, double>> on_hosts;
    for (const Segment& segment : *segments) {
      auto& [files, size] = on_hosts[segment.host];
      ++files;
      size += static_cast<double>(std::max<int64_t>(segment.bytes, 0));
    }
    for (const auto& [host, on] : on_hosts) sum += on.first > 1 ? on.second : 0;
  }
  return sum;
}

double of_stored(const Spec& spec, const Job& job, const std::string& input, MemoryGoal goal) {
  const GraphSegments& graph = job.graphs.at(input);
  Shape shape{.arcs = static_cast<double>(total_rows(input, graph.in)),
              .vertices = static_cast<double>(total_rows(input, job.inputs.at(input))),
              .strings = job.look->strings};
  for (const Segment& segment : job.inputs.at(input)) shape.characters += static_cast<double>(segment.bytes);
  return base(job, shape.arcs, graph.weighted) + bytes(spec.memory.stored, shape, job, graph.weighted) + copied(graph) +
         (goal == MemoryGoal::kSpeed ? bytes(spec.memory.faster, shape, job, graph.weighted) +
                                           bytes(spec.memory.stored_faster, shape, job, graph.weighted)
                                     : 0);
}

double of_learning(const Spec& spec, const Values& values, const Job& job) {
  return base(job, 0, false) + spec.memory.learning({.rows = static_cast<double>(rows_of(spec, job).first),
                                                     .width = static_cast<double>(job.look->width),
                                                     .stored = static_cast<double>(job.look->stored),
                                                     .distinct = static_cast<double>(job.look->distinct),
                                                     .ranks = job.ranks,
                                                     .threads = job.threads},
                                                    values);
}

double of_tables(const Spec& spec, const Values& values, const Job& job, MemoryGoal goal) {
  const InputLook& look = *job.look;
  const auto [edges, listed] = rows_of(spec, job);
  const auto rows = static_cast<double>(edges);
  const bool dense = !look.strings && !look.sketch && look.range.span() <= widest_dense(spec, values, job);
  Shape shape{.edges = rows, .arcs = rows * arcs_per_row(spec, values), .strings = look.strings};
  const double distinct = dense && !look.range.empty() ? static_cast<double>(look.range.span()) + 1
                                                       : static_cast<double>(look.distinct_at_most());
  shape.vertices = std::min(2 * rows + static_cast<double>(listed), distinct);
  if (look.texts > 0)
    shape.characters =
        kLongerIds * shape.vertices * static_cast<double>(look.characters) / static_cast<double>(look.texts);
  Shape building = shape;
  if (dense) {
    building.vertices = distinct;
    const DenseIds ids = DenseIds::over(look.range, static_cast<int64_t>(shape.arcs), job.ranks);
    building.wide = !SourceBits(ids.stride() * job.ranks).leave(ids.shift);
  }
  const bool weighted = is_weighted(values);
  return base(job, shape.arcs, weighted) +
         std::max(bytes(dense ? spec.memory.dense : spec.memory.sparse, building, job, weighted),
                  bytes(spec.memory.run, shape, job, weighted) +
                      (goal == MemoryGoal::kSpeed ? bytes(spec.memory.faster, shape, job, weighted) : 0));
}

int64_t whole(double bytes) { return static_cast<int64_t>(std::min(bytes, 9e18)); }

/// Of the longest file with arcs of a stored graph that is on a disk of this host; 0 where none is.
double disk_speed_of(const Job& job) {
  std::vector<Segment> all;
  for (const auto& [input, graph] : job.graphs)
    for (const auto* segments : {&graph.in, &graph.out}) all.insert(all.end(), segments->begin(), segments->end());
  std::sort(all.begin(), all.end(), [](const Segment& a, const Segment& b) { return a.bytes > b.bytes; });
  double found = 0;
  for (size_t i = 0; i < all.size() && found == 0; ++i) found = disk_speed(all[i].path);
  return found;
}

}  // namespace

uint64_t widest_dense(const Spec& spec, const Values& values, const Job& job) {
  const auto [edges, listed] = rows_of(spec, job);
  const double arcs = std::min(static_cast<double>(edges) * arcs_per_row(spec, values), 1e18);
  return DenseIds::widest(static_cast<int64_t>(arcs), listed, job.ranks);
}

int64_t memory_bytes(const Spec& spec, const Values& values, const Job& job, MemoryGoal goal) {
  if (spec.inputs.empty()) {
    if (spec.memory.factor.empty()) return 0;
    const double rows = number_of(values, spec.memory.factor) * std::exp2(number_of(values, spec.memory.exponent));
    return whole(base(job, 0, false) + bytes(spec.memory.run, {.edges = rows, .arcs = rows}, job, false));
  }
  for (const auto& [input, graph] : job.graphs) return whole(of_stored(spec, job, input, goal));
  return whole(spec.memory.learning == nullptr ? of_tables(spec, values, job, goal) : of_learning(spec, values, job));
}

int64_t result_bytes(const Spec& spec, const Values& values, const Job& job) {
  if (!spec.makes_graph) return 0;
  const auto edges = static_cast<double>(rows_of(spec, job).first);
  const Shape shape{.edges = edges, .arcs = edges, .vertices = edges / kEdgesPerVertex};
  return whole(bytes(spec.memory.result, shape, job, is_weighted(values)));
}

Json small_jobs(const Spec& spec) {
  constexpr int64_t kRows = 4096, kBytes = 1 << 18;
  if (spec.inputs.empty() || spec.memory.learning != nullptr || !spec.memory.times.empty()) return nullptr;
  const Values values{{"directed", false}, {"weight", std::string("weight")}};
  const auto most = [&](int ranks, int threads) {
    Job job;
    job.ranks = ranks;
    job.threads = threads;
    job.inputs[spec.inputs[0].name] = {{"", "", kRows, kBytes}};
    const InputLook integers{.range = {0, 2 * kRows - 1}, .uncounted = 2 * kRows};
    const InputLook strings{.strings = true, .uncounted = 2 * kRows, .texts = 2 * kRows, .characters = kBytes};
    double bytes = 0;
    for (const InputLook& look : {integers, strings}) {
      job.look = look;
      bytes = std::max(bytes, of_tables(spec, values, job, MemoryGoal::kSpeed));
      for (const InputSpec& input : spec.inputs) {
        if (!input.stored_graph) continue;
        Job stored = job;
        stored.inputs = {{input.name, {{"", "", kRows, kBytes}}}};
        stored.graphs[input.name] = {false, true, {{"", "", kRows, kBytes}}, {}};
        bytes = std::max(bytes, of_stored(spec, stored, input.name, MemoryGoal::kSpeed));
      }
    }
    return whole(bytes);
  };
  return {{"rows", kRows},
          {"bytes", kBytes},
          {"rank_bytes", most(1, 1)},
          {"mpi_rank_bytes", most(2, 1) / 2},
          {"thread_bytes", most(1, 2) - most(1, 1)}};
}

bool answer_memory(const Spec& spec, const std::vector<std::string>& arguments) {
  if (arguments.empty()) return false;
  const std::string& asked = arguments[0];
  if (asked != "--memory" && asked != "--look" && asked != "--result" && asked != "--disk") return false;
  if (arguments.size() != (asked == "--look" ? 3 : 2))
    throw Error(Exit::kArguments, spec.name, asked + (asked == "--look" ? " JOB HOST" : " JOB"),
                std::to_string(arguments.size()) + (arguments.size() == 1 ? " word" : " words"),
                "Name a job.json, or - for standard input");
  Job job = read_job_file(arguments[1], spec);
  const Values values = validate(spec, job.parameters);
  // A job's ranks on this host would have as many threads; here they are all in one process.
  omp_set_num_threads(std::clamp(job.threads * job.ranks, 1, omp_get_num_procs()));
  Json answer = Json::object();
  if (asked == "--disk") {
    answer["bytes_per_second"] = disk_speed_of(job);
  } else if (asked == "--look") {
    answer = look_json(look_at_inputs(spec, values, job, arguments[2]));
  } else {
    if (asked == "--memory") {
      if (!job.look) job.look = look_at_inputs(spec, values, job, "");
      answer["memory_bytes"] = memory_bytes(spec, values, job);
      answer["least_bytes"] = memory_bytes(spec, values, job, MemoryGoal::kLeast);
    }
    answer["result_bytes"] = result_bytes(spec, values, job);
  }
  if (std::puts(answer.dump().c_str()) < 0)
    throw Error(Exit::kNoRoom, spec.name, "standard output that can be written", "none", "Check where it leads");
  return true;
}

}  // namespace sparkgap
