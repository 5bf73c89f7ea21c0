// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
//
// A job.json or a manifest with some of its values changed: refused in one of the three ways of a rank, or read.
#include <filesystem>

#include "fuzz/seed_json.h"
#include "program/job.h"
#include "program/manifest.h"
#include "spec/kernel.h"

using namespace sparkgap;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* program, size_t size) {
  static const std::vector<SeedJson> seeds{SeedJson("job"), SeedJson("job_graph"), SeedJson("manifest"),
                                           SeedJson("manifest_graph")};
  static const std::string folder = [] {
    char made[] = "/tmp/sparkgap-fuzz-XXXXXX";
    return std::string(mkdtemp(made));
  }();
  static const struct Leave {
    ~Leave() { std::filesystem::remove_all(folder); }
  } leave;
  if (size == 0) return -1;
  const std::string text = seeds[program[0] % seeds.size()].changed(program + 1, size - 1);
  std::ofstream(folder + "/job.json") << text;
  try {
    const Job job = read_job(folder, kKernel.spec);
    (void)validate(kKernel.spec, job.parameters);
    for (int rank = 0; rank < std::min(job.ranks, 3); ++rank)
      for (const auto& [name, segments] : job.inputs) {
        (void)total_rows(name, local_part(job, name, rank).first);
        if (const auto graph = job.graphs.find(name); graph != job.graphs.end())
          (void)local_arcs(job, graph->second, rank);
      }
  } catch (const Error& e) {
    if (e.code() != Exit::kArguments && e.code() != Exit::kData && e.code() != Exit::kLost) std::abort();
  }
  try {
    (void)total_rows("table", find_segments(folder + "/job.json", "table"));
    (void)find_graph(folder + "/job.json", "table");
  } catch (const Error& e) {
    if (e.code() != Exit::kData) std::abort();
  }
  return 0;
}
