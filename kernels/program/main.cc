// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
//
// The main of every kernel: linked with the one that defines kKernel. Only here does a process end or print.
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include "mpi/mpi_comm.h"
#include "process/parallel.h"
#include "process/progress_file.h"
#include "process/thread_places.h"
#include "program/command_line.h"
#include "program/job.h"
#include "program/manifest.h"
#include "program/memory_need.h"
#include "spec/kernel.h"

namespace sparkgap {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string host_name() {
  char name[256] = "localhost";
  gethostname(name, sizeof name - 1);
  return name;
}

// A rank whose host holds no segment learns the types from the others; segments of different types are an error.
void agree_on_types(Table& table, bool has_segments, Comm& comm) {
  std::vector<int64_t> types;
  for (const Type type : table.types) types.push_back(has_segments ? static_cast<int64_t>(type) : -1);
  comm.allreduce(std::span<int64_t>(types), Reduce::kMax);
  for (size_t c = 0; c < types.size(); ++c) {
    if (types[c] < 0) continue;
    const auto agreed = static_cast<Type>(types[c]);
    if (has_segments && !may_stand_together(table.types[c], agreed))
      throw Error(Exit::kData, table.name + "." + table.column_names[c], "one type in all segments",
                  type_name(table.types[c]) + " and " + type_name(agreed), "Export or write the table again");
    table.types[c] = agreed;
  }
}

// Whether a stored graph stands for the inputs that are required otherwise.
bool has_graph(const Job& job, const Spec& spec) {
  return std::any_of(spec.inputs.begin(), spec.inputs.end(),
                     [&](const InputSpec& input) { return input.stored_graph && job.inputs.contains(input.name); });
}

// The segments of a result and, of one that is a graph, its arcs: at once, for a file is written by one thread.
void write_output(const Job& job, const Output& output, int rank, Report& report) {
  if (output.graph) report.graph = {output.graph->directed, output.graph->weighted, {}, {}};
  const int directions = !output.graph ? 0 : output.graph->directed ? 2 : 1;
  parallel_for(1 + directions, [&](int64_t part) {
    if (part == 0) report.segments = write_segments(output, job.output_directory, rank, job.segment_bytes);
    else if (part == 1) report.graph->in = {write_arcs(output.graph->in, "in", job.output_directory, rank)};
    else report.graph->out = {write_arcs(output.graph->out, "out", job.output_directory, rank)};
  });
}

Inputs open_inputs(const Job& job, const Spec& spec, const Values& parameters, Comm& comm) {
  for (const auto& [name, segments] : job.inputs) {
    bool known = false;
    for (const InputSpec& input : spec.inputs) known = known || input.name == name;
    if (!known) throw Error(Exit::kArguments, spec.name, "inputs of its Spec", "'" + name + "'", "Leave it out");
  }
  Inputs inputs;
  for (const InputSpec& input : spec.inputs) {
    const auto columns = requested_columns(spec, parameters, input);
    if (job.inputs.count(input.name) == 0) {
      if (input.required && !has_graph(job, spec))
        throw Error(Exit::kArguments, input.name, "a table", "none", "Name one");
      continue;
    }
    const auto [segments, share] = local_part(job, input.name, comm.rank());
    if (input.stored_graph) {
      const auto arcs = job.graphs.find(input.name);
      if (arcs == job.graphs.end())
        throw Error(Exit::kData, input.name, "a graph", "a table", "Build one with sparkgap.graph.build");
      inputs[input.name] =
          read_graph(input.name, segments, local_arcs(job, arcs->second, comm.rank()), share, job.verify);
      agree_on_types(inputs[input.name], !segments.empty(), comm);
      continue;
    }
    Table table = read_table(input.name, segments, columns, share, job.verify);
    agree_on_types(table, !segments.empty(), comm);
    if (!job.rank_hosts.empty()) table.rows_global = total_rows(input.name, job.inputs.at(input.name));
    inputs[input.name] = std::move(table);
  }
  if (!spec.inputs.empty() && spec.inputs[0].required && !has_graph(job, spec)) {
    const Table& main = inputs.at(spec.inputs[0].name);
    // Each host that holds rows of any input has a rank, whatever number was asked for.
    const std::set<std::string> hosts(job.rank_hosts.begin(), job.rank_hosts.end());
    if (main.rows_global > 0 && comm.size() > std::max(main.rows_global, static_cast<int64_t>(hosts.size())))
      throw Error(Exit::kArguments, "ranks",
                  "at most " + std::to_string(main.rows_global) + " (the rows of " + main.name + ")",
                  std::to_string(comm.size()), "Choose fewer ranks");
  }
  return inputs;
}

// The texts of all ranks, in rank order, on every rank.
std::vector<std::string> gather_texts(const std::string& mine, Comm& comm) {
  const std::vector<int64_t> sizes = comm.allgather<int64_t>(static_cast<int64_t>(mine.size()));
  std::string all(static_cast<size_t>(comm.allreduce<int64_t>(static_cast<int64_t>(mine.size()))), ' ');
  mine.copy(all.data() + comm.exscan(static_cast<int64_t>(mine.size())), mine.size());
  comm.allgatherv(std::span<char>(all.data(), all.size()), sizes);
  std::vector<std::string> texts;
  size_t first = 0;
  for (const int64_t size : sizes) {
    texts.push_back(all.substr(first, static_cast<size_t>(size)));
    first += static_cast<size_t>(size);
  }
  return texts;
}

// What a run by hand leaves and prints: the manifest over all ranks' segments and one JSON line.
void publish(const Job& job, const Spec& spec, const Inputs& inputs, const Report& report, const Output& output,
             double total_s, Traffic sent, Comm& comm) {
  Json mine{{"segments", segments_json(report.segments)}};
  if (report.graph) mine["graph"] = graph_json(*report.graph);
  const std::vector<std::string> texts = gather_texts(mine.dump(), comm);
  const int64_t peak = comm.allreduce<int64_t>(peak_rss_bytes());
  int64_t most[] = {output.built.messages, output.built.bytes, sent.messages - output.built.messages,
                    sent.bytes - output.built.bytes};
  comm.allreduce(std::span<int64_t>(most), Reduce::kMax);
  if (comm.rank() > 0) return;

  std::vector<Segment> all;
  std::optional<GraphSegments> graph;
  int64_t rows_out = 0;
  const auto add = [](std::vector<Segment>& to, const std::vector<Segment>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (const std::string& text : texts) {
    const Json part = Json::parse(text);
    add(all, segments_of(part.at("segments")));
    if (!part.contains("graph")) continue;
    const GraphSegments arcs = graph_of(part.at("graph"));
    if (!graph) graph = {arcs.directed, arcs.weighted, {}, {}};
    add(graph->in, arcs.in);
    add(graph->out, arcs.out);
  }
  for (const Segment& segment : all) rows_out += segment.rows;
  const std::string manifest = job.output_directory + "/" + spec.name + ".json";
  write_whole(manifest, manifest_json(spec.name, all, graph, output));
  const int64_t rows_in =
      spec.inputs.empty() || inputs.count(spec.inputs[0].name) == 0 ? 0 : inputs.at(spec.inputs[0].name).rows_global;
  const Json line = {
      {"kernel", spec.name},
      {"rows_in", rows_in},
      {"rows_out", rows_out},
      {"iterations", output.iterations},
      {"converged", output.converged ? Json(*output.converged) : Json(nullptr)},
      {"residual", output.residual},
      {"figures", output.figures},
      {"ranks", job.ranks},
      {"threads", job.threads},
      {"seconds",
       {{"build", report.build_s}, {"compute", report.compute_s}, {"write", report.write_s}, {"total", total_s}}},
      {"peak_rss_bytes", peak},
      {"sent",  // by the rank that sends most
       {{"build", {{"messages", most[0]}, {"bytes", most[1]}}},
        {"compute", {{"messages", most[2]}, {"bytes", most[3]}}}}},
      {"table", manifest}};
  std::printf("%s\n", line.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
}

void run(const Job& job, Comm& comm) {
  const auto start = Clock::now();
  const Spec& spec = kKernel.spec;
  const bool by_hand = job.directory.empty();
  const Values parameters = validate(spec, job.parameters);
  const Inputs inputs = open_inputs(job, spec, parameters, comm);
  if (by_hand) {
    std::error_code failed;
    if (comm.rank() == 0) std::filesystem::create_directories(job.output_directory, failed);
    if (failed)
      throw Error(Exit::kNoRoom, "--out", "a directory that can be made at " + job.output_directory, failed.message(),
                  "Choose another");
    (void)comm.allreduce<int64_t>(0);  // nobody writes before it is there
  }

  std::optional<ProgressFile> file;
  if (!by_hand && !job.progress.empty() && comm.rank() == 0) file.emplace(job.directory + "/" + job.progress);
  const Progress progress = file ? file->progress() : Progress();
  const Output output = kKernel.run(inputs, parameters, comm, progress);
  const Traffic sent = comm.traffic();

  progress("write");
  const auto write_start = Clock::now();
  Report report;
  write_output(job, output, comm.rank(), report);
  report.build_s = output.build_s;
  report.compute_s = output.compute_s;
  report.write_s = seconds_since(write_start);
  file.reset();  // the last line is out before anybody sees `done`

  if (by_hand) {
    for (Segment& segment : report.segments) segment.host = host_name();
    if (report.graph)
      for (auto* arcs : {&report.graph->in, &report.graph->out})
        for (Segment& segment : *arcs) segment.host = host_name();
    publish(job, spec, inputs, report, output, seconds_since(start), sent, comm);
    return;
  }
  std::string name = job.done;
  if (const size_t at = name.find("%d"); at != std::string::npos) name.replace(at, 2, std::to_string(comm.rank()));
  write_whole(job.directory + "/" + name, done_json(report, output, comm.rank()));
}

std::string memory_message(const std::string& where) {
  std::string available = "unknown";
  std::ifstream info("/proc/meminfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("MemAvailable:", 0) == 0) available = std::to_string(std::stoll(line.substr(13)) / 1024);
  return where + ": expected more memory to allocate, found " + std::to_string(peak_rss_bytes() >> 20) +
         " MiB used by this rank at most and " + available + " MiB available on " + host_name() +
         ". Give the job more memory or fewer rows per host.";
}

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int run_program(const std::vector<std::string>& arguments) {
  const Spec& spec = kKernel.spec;
  for (const std::string& argument : arguments) {
    if (argument == "--help") return std::fputs(help(spec).c_str(), stdout) < 0 ? 70 : 0;
    if (argument == "--describe") {
      Json description = Json::parse(describe_json(spec));
      description["small"] = small_jobs(spec);
      return std::puts(description.dump(1).c_str()) < 0 ? 70 : 0;
    }
  }

  const std::string directory = environment("SPARKGAP_JOB");
  std::unique_ptr<Comm> comm;
  auto fail = [&](Exit code, const std::string& message) {
    const int rank = comm ? comm->rank() : std::atoi(environment("PMI_RANK"));
    const bool alone = comm ? comm->size() == 1 : launched_ranks() == 1;
    std::fprintf(stderr, "%s%s\n", alone ? "" : ("rank " + std::to_string(rank) + ": ").c_str(), message.c_str());
    if (!directory.empty()) write_error(directory, rank, code, message);
    // An aborted launcher drops what it has not passed on yet; a job's log is a file and needs no such wait.
    else if (!alone) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    if (comm) comm->abort(static_cast<int>(code));
    return static_cast<int>(code);
  };
  try {
    if (answer_memory(spec, arguments)) return 0;
    const int ranks = launched_ranks();
    const Job job = directory.empty()
                        ? parse_command_line(spec, arguments, ranks, std::max(1, omp_get_num_procs() / ranks))
                        : read_job(directory, spec);
    omp_set_num_threads(job.threads);
    spread_threads();
    comm = connect(job.ranks);
    run(job, *comm);
    comm.reset();
    return 0;
  } catch (const Error& e) {
    return fail(e.code(), e.what());
  } catch (const std::bad_alloc&) {
    return fail(Exit::kNoRoom, memory_message(spec.name));
  } catch (const std::exception& e) {
    return fail(Exit::kBug,
                spec.name + ": expected no internal error, found " + e.what() + ". Report it with the job's input.");
  }
}

}  // namespace
}  // namespace sparkgap

int main(int argc, char** argv) { return sparkgap::run_program({argv + 1, argv + argc}); }
