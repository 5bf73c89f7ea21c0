// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "program/job.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "program/manifest.h"

namespace sparkgap {
namespace {

using Json = nlohmann::ordered_json;

/// More than any machine has: a larger number is a mistake.
constexpr int64_t kMostRanks = 1 << 20, kMostThreads = 1 << 16;

Value value_of(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned() && json.get<uint64_t>() > INT64_MAX)
    return json.get<double>();  // which no kind of whole numbers takes
  if (json.is_number_integer()) return json.get<int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) {
    std::vector<std::string> ids;
    for (const Json& id : json) ids.push_back(id.is_string() ? id.get<std::string>() : id.dump());
    return ids;
  }
  return std::monostate();
}

Job job_of(std::istream& file, const std::string& path, const Spec& spec) {
  try {
    const Json json = parse_json(file);
    if (json.at("version") != 1)
      throw Error(Exit::kArguments, path, "version 1", "version " + json.at("version").dump(),
                  "Install the same version of sparkgap everywhere");
    if (json.at("program") != spec.name)
      throw Error(Exit::kArguments, path, "program " + spec.name, json.at("program").dump(),
                  "Start the program that the job names");
    Job job;
    job.ranks = static_cast<int>(whole_number(json.at("ranks"), 1, kMostRanks));
    job.threads = static_cast<int>(whole_number(json.at("threads"), 1, kMostThreads));
    job.rank_hosts = json.value("rank_hosts", std::vector<std::string>());
    if (job.ranks < 1 || job.threads < 1 ||
        (!job.rank_hosts.empty() && job.rank_hosts.size() != static_cast<size_t>(job.ranks)))
      throw Error(Exit::kArguments, path, "at least one rank, one thread and a host for each rank",
                  std::to_string(job.ranks) + " ranks, " + std::to_string(job.threads) + " threads, " +
                      std::to_string(job.rank_hosts.size()) + " hosts",
                  "Choose ranks and threads of at least 1");
    for (const auto& [name, value] : json.at("parameters").items()) job.parameters[name] = value_of(value);
    for (const auto& [name, input] : json.at("inputs").items())
      if (!input.is_null()) {
        job.inputs[name] = segments_of(input.at("segments"));
        if (input.contains("graph")) job.graphs[name] = graph_of(input.at("graph"));
      }
    job.verify = json.value("verify", false);
    job.output_directory = json.at("output").value("directory", "");
    if (json.at("output").contains("segment_bytes"))
      job.segment_bytes = whole_number(json.at("output").at("segment_bytes"), 1, INT64_MAX);
    job.progress = json.value("progress", "");
    job.done = json.value("done", job.done);
    if (json.contains("looks")) {
      job.look.emplace();
      for (const Json& look : json.at("looks")) *job.look += look_of(look);
    }
    return job;
  } catch (const Json::exception& e) {
    throw Error(Exit::kArguments, path, "a job by docs/program-contract.md", e.what(),
                "Start the program through sparkgap");
  }
}

}  // namespace

Job read_job_file(const std::string& path, const Spec& spec) {
  if (path == "-") return job_of(std::cin, "standard input", spec);
  std::ifstream file(path);
  if (!file)
    throw Error(Exit::kArguments, path, "a readable file", std::strerror(errno), "Start the program through sparkgap");
  return job_of(file, path, spec);
}

Job read_job(const std::string& directory, const Spec& spec) {
  Job job = read_job_file(directory + "/job.json", spec);
  if (job.output_directory.empty())
    throw Error(Exit::kArguments, directory + "/job.json", "a directory for the output", "none",
                "Start the program through sparkgap");
  job.directory = directory;
  return job;
}

std::pair<std::vector<Segment>, Share> local_part(const Job& job, const std::string& input, int rank) {
  const auto& all = job.inputs.at(input);
  if (job.rank_hosts.empty()) return {all, {rank, job.ranks}};
  const std::string& here = job.rank_hosts[static_cast<size_t>(rank)];
  std::vector<Segment> local;
  for (const Segment& segment : all) {
    if (std::find(job.rank_hosts.begin(), job.rank_hosts.end(), segment.host) == job.rank_hosts.end())
      throw Error(Exit::kLost, input, "a rank on every host that holds segments", "none on " + segment.host,
                  "Run ranks on that host too");
    if (segment.host == here) local.push_back(segment);
  }
  const auto first = job.rank_hosts.begin(), mine = first + rank;
  return {local,
          {static_cast<int>(std::count(first, mine, here)),
           static_cast<int>(std::count(first, job.rank_hosts.end(), here))}};
}

GraphSegments local_arcs(const Job& job, const GraphSegments& arcs, int rank) {
  GraphSegments local = arcs;
  if (job.rank_hosts.empty()) return local;
  const auto elsewhere = [&](const Segment& segment) {
    return segment.host != job.rank_hosts[static_cast<size_t>(rank)];
  };
  std::erase_if(local.in, elsewhere);
  std::erase_if(local.out, elsewhere);
  return local;
}

std::string done_json(const Report& report, const Output& output, int rank) {
  Json done{{"rank", rank},
            {"rows", output.rows},
            {"schema", schema_json(output)},
            {"segments", segments_json(report.segments)},
            {"seconds", {{"build", report.build_s}, {"compute", report.compute_s}, {"write", report.write_s}}},
            {"peak_rss_bytes", peak_rss_bytes()},
            {"iterations", output.iterations},
            {"converged", output.converged ? Json(*output.converged) : Json(nullptr)},
            {"residual", output.residual},
            {"figures", output.figures}};
  if (report.graph) done["graph"] = graph_json(*report.graph);
  return done.dump();
}

void write_whole(const std::string& path, const std::string& text) {
  const std::string aside = path + ".part";
  std::FILE* file = std::fopen(aside.c_str(), "w");
  bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file != nullptr) written = std::fclose(file) == 0 && written;
  if (written && std::rename(aside.c_str(), path.c_str()) == 0) return;
  const int reason = errno;
  unlink(aside.c_str());
  throw Error(Exit::kNoRoom, path, "room to write " + std::to_string(text.size()) + " bytes", std::strerror(reason),
              "Free some space or make the directory writable");
}

void write_error(const std::string& directory, int rank, Exit code, const std::string& message) noexcept {
  try {
    const Json json = {{"code", static_cast<int>(code)}, {"message", message}};
    write_whole(directory + "/error-" + std::to_string(rank) + ".json",
                json.dump(-1, ' ', false, Json::error_handler_t::replace));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());  // the log still tells
  }
}

int64_t peak_rss_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::stoll(line.substr(6)) * 1024;
  return 0;
}

}  // namespace sparkgap
