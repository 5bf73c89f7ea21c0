// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
//
// segment_values FILE...: a line of JSON for each, its values by column or null where it is refused. For
// differential.py.
#include <cstdio>

#include "fuzz/segment_values.h"
#include "process/error.h"

int main(int argc, char** argv) {
  using namespace sparkgap;
  for (int i = 1; i < argc; ++i) {
    try {
      const MappedFile file(argv[i], "file");
      const SegmentContent content = read_segment(file, "file");
      std::printf("%s\n", SegmentValues(file, content).all().dump().c_str());
    } catch (const Error& e) {
      if (e.code() != Exit::kData) return 1;
      std::printf("null\n");
    }
  }
  return 0;
}
