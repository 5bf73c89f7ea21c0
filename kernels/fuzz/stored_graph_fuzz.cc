// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
//
// A kernel on a stored graph with some numbers of its files changed: refused, or a result, whichever; never a crash.
// Where the graph is not what it says (arcs of no direction that stand on one side only) the result may be anything.
#include <omp.h>

#include "fuzz/memory_file.h"
#include "fuzz/seed_file.h"
#include "graph/stored_graph.h"
#include "process/error.h"
#include "spec/kernel.h"

using namespace sparkgap;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  omp_set_num_threads(1);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* program, size_t size) {
  static const SeedFile seeds[] = {SeedFile("graph"), SeedFile("graph.in"), SeedFile("graph.out")};
  static MemoryFile files[3];
  if (size == 0) return -1;
  const bool directed = program[0] & 1, weighted = program[0] & 2;
  std::string changes[3];
  for (size_t at = 1; at + 1 + SeedFile::kChangeBytes <= size; at += 1 + SeedFile::kChangeBytes)
    changes[program[at] % 3].append(reinterpret_cast<const char*>(program + at + 1), SeedFile::kChangeBytes);
  for (int i = 0; i < 3; ++i)
    files[i].write(seeds[i].changed(reinterpret_cast<const uint8_t*>(changes[i].data()), changes[i].size()));
  try {
    const Spec& spec = kKernel.spec;
    Values given;
    for (const Parameter& p : spec.parameters) {
      if (p.name == "weight" && weighted) given["weight"] = std::string("weight");
      if (p.name == "directed") given["directed"] = directed;
      if (p.name == "source" || p.name == "target") given[p.name] = int64_t{1};
      if (p.name == "sources" || p.name == "source_ids" || p.name == "landmarks")
        given[p.name] = std::vector<std::string>{"1", "2"};
    }
    GraphSegments arcs{directed, weighted, {{"", files[1].path()}}, {}};
    if (directed) arcs.out = {{"", files[2].path()}};
    Inputs inputs;
    inputs["graph"] = read_graph("graph", {{"", files[0].path()}}, arcs, {0, 1}, false);
    Comm comm;
    (void)kKernel.run(inputs, validate(spec, given), comm, {});
  } catch (const Error& e) {
    if (e.code() == Exit::kBug) std::abort();
  }
  return 0;
}
