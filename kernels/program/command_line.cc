// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "program/command_line.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "program/manifest.h"

namespace sparkgap {
namespace {

template <typename T>
bool parse(const std::string& text, T& number) {
  const auto end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  return result.ec == std::errc() && result.ptr == end;
}

// Text that does not fit the kind stays text, which validate() refuses with what was expected.
Value value_of(const Parameter& p, const std::string& text) {
  int64_t whole = 0;
  double number = 0;
  switch (p.kind) {
    case Kind::kBool:
      if (text == "true" || text == "false") return text == "true";
      return text;
    case Kind::kInt:
      if (parse(text, whole)) return whole;
      return text;
    case Kind::kDouble:
      if (parse(text, number)) return number;
      return text;
    case Kind::kColumns:
    case Kind::kIds: {
      std::vector<std::string> words;
      for (size_t first = 0; first <= text.size();) {
        const size_t comma = std::min(text.find(',', first), text.size());
        if (comma > first) words.push_back(text.substr(first, comma - first));
        first = comma + 1;
      }
      return words;
    }
    default:
      return text;
  }
}

int64_t positive(const std::string& flag, const std::string& text) {
  int64_t number = 0;
  if (!parse(text, number) || number < 1)
    throw Error(Exit::kArguments, flag, "a whole number of at least 1", "'" + text + "'", "Choose another");
  return number;
}

}  // namespace

Job parse_command_line(const Spec& spec, const std::vector<std::string>& arguments, int ranks, int threads) {
  Job job;
  job.ranks = ranks;
  job.threads = threads;
  const std::string see_help = "Do sparkgap-" + spec.name + " --help";
  auto input = [&](const std::string& name, const std::string& path) {
    job.inputs[name] = find_segments(path, name);
    const auto in =
        std::find_if(spec.inputs.begin(), spec.inputs.end(), [&](const InputSpec& q) { return q.name == name; });
    if (!in->stored_graph) return;
    const auto graph = find_graph(path, name);
    if (!graph)
      throw Error(Exit::kData, name, "the manifest of a graph", path, "Name the .json that sparkgap-build wrote");
    job.graphs[name] = *graph;
  };

  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string flag = arguments[i];
    if (flag.rfind("--", 0) != 0) {
      if (spec.inputs.empty() || job.inputs.count(spec.inputs[0].name) > 0)
        throw Error(Exit::kArguments, spec.name, spec.inputs.empty() ? "no input" : "one input", "also '" + flag + "'",
                    see_help);
      input(spec.inputs[0].name, flag);
      continue;
    }
    std::string value;
    if (const size_t equals = flag.find('='); equals != std::string::npos) {
      value = flag.substr(equals + 1);
      flag.resize(equals);
    } else if (i + 1 < arguments.size()) {
      value = arguments[++i];
    } else {
      throw Error(Exit::kArguments, flag, "a value after it", "the end of the line", see_help);
    }
    std::string name = flag.substr(2);
    std::replace(name.begin(), name.end(), '-', '_');
    const auto p = std::find_if(spec.parameters.begin(), spec.parameters.end(),
                                [&](const Parameter& q) { return q.name == name; });
    const auto in =
        std::find_if(spec.inputs.begin(), spec.inputs.end(), [&](const InputSpec& q) { return q.name == name; });
    if (p != spec.parameters.end()) job.parameters[name] = value_of(*p, value);
    else if (in != spec.inputs.end()) input(name, value);
    else if (name == "out") job.output_directory = value;
    else if (name == "threads") job.threads = static_cast<int>(std::min<int64_t>(positive(flag, value), 4096));
    else if (name == "segment_bytes") job.segment_bytes = positive(flag, value);
    else if (name == "verify" && (value == "true" || value == "false")) job.verify = value == "true";
    else if (name == "verify") throw Error(Exit::kArguments, flag, "true or false", "'" + value + "'", "Choose one");
    else throw Error(Exit::kArguments, spec.name, "one of its flags", "'" + flag + "'", see_help);
  }
  if (job.output_directory.empty()) throw Error(Exit::kArguments, spec.name, "--out DIRECTORY", "none", see_help);
  job.output_directory =
      std::filesystem::absolute(job.output_directory).lexically_normal().string();  // manifests hold absolute paths
  return job;
}

}  // namespace sparkgap
