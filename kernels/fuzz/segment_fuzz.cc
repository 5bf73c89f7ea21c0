// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
//
// An Arrow file with some of its numbers changed: refused as bad data, or every value of it lies in the file.
#include "fuzz/memory_file.h"
#include "fuzz/seed_file.h"
#include "fuzz/segment_values.h"
#include "process/error.h"
#include "spec/table_reader.h"

using namespace sparkgap;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* program, size_t size) {
  static const std::vector<SeedFile> seeds{
      SeedFile("flat"),  SeedFile("nested"),   SeedFile("edges"),     SeedFile("empty"), SeedFile("degrees"),
      SeedFile("graph"), SeedFile("graph.in"), SeedFile("graph.out"), SeedFile("texts"), SeedFile("others")};
  static MemoryFile memory;
  if (size < 2) return -1;
  memory.write(seeds[program[0] % seeds.size()].changed(program + 2, size - 2));
  try {
    const MappedFile file(memory.path(), "file");
    const SegmentContent content = read_segment(file, "file");
    (void)SegmentValues(file, content).all();
    // As one of its columns, by name, is asked for.
    if (content.columns.empty()) return 0;
    const char* accepts[] = {"id", "number", "features"};
    (void)read_table("file", {{"", memory.path()}},
                     {{content.columns[(program[1] / 3) % content.columns.size()].name, accepts[program[1] % 3]}},
                     {1, 2});
  } catch (const Error& e) {
    if (e.code() != Exit::kData) std::abort();
  }
  return 0;
}
