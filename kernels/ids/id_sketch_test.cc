// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "ids/id_sketch.h"

#include <gtest/gtest.h>

#include <string>

namespace sparkgap {
namespace {

/// The ids first, first + step, ... that are below `end`, each `factor` apart.
IdSketch sketch_of(int64_t first, int64_t end, int64_t step, uint64_t factor = 1) {
  IdSketch sketch;
  for (int64_t i = first; i < end; i += step) sketch.add(static_cast<int64_t>(static_cast<uint64_t>(i) * factor));
  return sketch;
}

TEST(IdSketch, CountsDistinctIdsAndNotTooFew) {
  for (const int64_t distinct : {20000, 300000, 3000000})
    for (const uint64_t factor : {uint64_t{1}, uint64_t{1} << 20, uint64_t{0x9e3779b97f4a7c15}}) {
      IdSketch twice = sketch_of(0, distinct, 1, factor);
      for (int64_t i = 0; i < distinct; i += 3) twice.add(static_cast<int64_t>(static_cast<uint64_t>(i) * factor));
      EXPECT_GE(twice.distinct_at_most(), distinct) << factor;
      EXPECT_LT(static_cast<double>(twice.distinct_at_most()), 1.2 * static_cast<double>(distinct)) << factor;
    }
}

TEST(IdSketch, FewAreTooManyButNotMuch) {
  for (const int64_t distinct : {0, 1, 1000}) {
    EXPECT_GE(sketch_of(0, distinct, 1).distinct_at_most(), distinct);
    EXPECT_LT(sketch_of(0, distinct, 1).distinct_at_most(), 8192);
  }
}

TEST(IdSketch, CountsStrings) {
  IdSketch sketch;
  for (int i = 0; i < 50000; ++i) sketch.add("vertex-" + std::to_string(i));
  EXPECT_GE(sketch.distinct_at_most(), 50000);
  EXPECT_LT(sketch.distinct_at_most(), 60000);
}

TEST(IdSketch, PartsAddUpToTheWhole) {
  IdSketch parts = sketch_of(0, 200000, 3);
  parts += *IdSketch::of_text(sketch_of(150000, 300000, 3).text());
  EXPECT_EQ(parts.text(), sketch_of(0, 300000, 3).text());
}

TEST(IdSketch, RefusesTextsOfNoSketch) {
  EXPECT_FALSE(IdSketch::of_text("0"));
  std::string text = IdSketch().text();
  text[5] = '~';
  EXPECT_FALSE(IdSketch::of_text(text));
}

}  // namespace
}  // namespace sparkgap
