// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "rmat/rmat.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "process/error.h"
#include "process/parallel.h"
#include "process/stopwatch.h"
#include "spec/kernel.h"

namespace sparkgap::rmat {
namespace {

constexpr int kLevels = 5;  // 1024 columns of 16 bytes stay in the L1 cache

/// Random numbers by counting: number `counter` of the stream `key`.
uint64_t random(uint64_t key, uint64_t counter) {
  uint64_t z = key + counter * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93u;
  z = (z ^ (z >> 29)) * 0xc2b2ae3d27d4eb4fu;
  return z ^ (z >> 32);
}

}  // namespace

Generator::Alias::Alias(int levels_in, const double (&quadrants)[4])
    : levels(levels_in), columns(size_t{1} << (2 * levels_in)) {
  // Share of each outcome, in columns: 1 is an even share.
  std::vector<double> share(columns.size());
  std::vector<uint16_t> outcome(columns.size()), small, large;
  for (size_t i = 0; i < columns.size(); ++i) {
    unsigned src = 0, dst = 0;
    share[i] = static_cast<double>(columns.size());
    for (int level = 0; level < levels; ++level) {
      const unsigned quadrant = (i >> (2 * level)) & 3;
      share[i] *= quadrants[quadrant];
      src |= (quadrant >> 1) << level;
      dst |= (quadrant & 1) << level;
    }
    outcome[i] = static_cast<uint16_t>(src << levels | dst);
    (share[i] < 1 ? small : large).push_back(static_cast<uint16_t>(i));
  }
  const auto settle = [&](size_t i, double own, size_t other) {
    columns[i] = {own >= 1 ? ~uint64_t{0} : static_cast<uint64_t>(std::ldexp(own, 64)), {outcome[i], outcome[other]}};
  };
  while (!small.empty() && !large.empty()) {
    const size_t poor = small.back(), rich = large.back();
    small.pop_back();
    settle(poor, share[poor], rich);
    share[rich] -= 1 - share[poor];
    if (share[rich] < 1) {
      large.pop_back();
      small.push_back(static_cast<uint16_t>(rich));
    }
  }
  for (const auto& left : {small, large})
    for (const size_t i : left) settle(i, 1, i);  // 1 but for rounding
}

Edge Generator::Alias::draw(uint64_t random) const {
  const int bits = 2 * levels;
  if (bits == 0) return {0, 0};
  const Column& column = columns[random >> (64 - bits)];
  const unsigned outcome = column.outcome[(random << bits) >= column.threshold];
  return {outcome >> levels, outcome & ((1u << levels) - 1)};
}

Generator::Generator(const Params& params)
    : scale_(params.scale), edges_(params.edge_factor << params.scale),
      key_(random(0, static_cast<uint64_t>(params.seed))),
      whole_(kLevels, {params.a, params.b, params.c, std::max(0.0, 1 - params.a - params.b - params.c)}),
      rest_(params.scale % kLevels, {params.a, params.b, params.c, std::max(0.0, 1 - params.a - params.b - params.c)}) {
  const double sum = params.a + params.b + params.c;
  if (!(sum <= 1 + 1e-12))
    throw Error(Exit::kArguments, "a + b + c", "at most 1", std::to_string(sum), "Make them smaller");
  for (int i = 0; i < 3; ++i) {
    const auto stream = ~uint64_t{0} - static_cast<uint64_t>(2 * i);  // counters that no edge uses
    multiply_[i] = random(key_, stream) | 1;
    add_[i] = random(key_, stream - 1);
  }
}

Edge Generator::plain(int64_t i) const {
  const auto steps = static_cast<uint64_t>(scale_ / kLevels) + 1;
  uint64_t counter = static_cast<uint64_t>(i) * steps;
  Edge edge = rest_.draw(random(key_, counter));
  for (int level = scale_ / kLevels; level > 0; --level) {
    const Edge more = whole_.draw(random(key_, ++counter));
    edge = {edge.src << kLevels | more.src, edge.dst << kLevels | more.dst};
  }
  return edge;
}

uint64_t Generator::label(uint64_t vertex) const {
  // Multiplying by an odd number, adding and folding the high half onto the low one can each be undone modulo 2^scale.
  const uint64_t mask = (uint64_t{1} << scale_) - 1;
  for (int i = 0; i < 3; ++i) {
    vertex = (vertex * multiply_[i] + add_[i]) & mask;
    vertex ^= vertex >> ((scale_ + 1) / 2);
  }
  return vertex;
}

Result run(const Params& params, Comm& comm, const Progress& progress) {
  progress("compute");
  const Generator generator(params);
  const int64_t first = cut(generator.edges(), comm.size(), comm.rank()),
                end = cut(generator.edges(), comm.size(), comm.rank() + 1);
  Result result{Buffer<int64_t>(static_cast<size_t>(end - first)), Buffer<int64_t>(static_cast<size_t>(end - first))};
  parallel_ranges(end - first, 1 << 16, [&](int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) {
      const Edge edge = generator.plain(first + i);
      result.src[static_cast<size_t>(i)] = static_cast<int64_t>(generator.label(edge.src));
      result.dst[static_cast<size_t>(i)] = static_cast<int64_t>(generator.label(edge.dst));
    }
  });
  return result;
}

namespace {

Parameter probability(const char* name, double fallback, const char* quadrant) {
  return {.name = name,
          .kind = Kind::kDouble,
          .fallback = fallback,
          .doc = std::string("Probability of ") + quadrant + ".",
          .min = 0,
          .max = 1};
}

}  // namespace

const Spec kSpec{
    .name = "rmat",
    .family = "graph",
    .summary = "A random graph with the skew of real ones, the same for the same seed.",
    .inputs = {},
    .parameters = {{.name = "scale",
                    .kind = Kind::kInt,
                    .fallback = int64_t{18},
                    .doc = "log2 of the number of vertices.",
                    .min = 1,
                    .max = 31},
                   {.name = "edge_factor",
                    .kind = Kind::kInt,
                    .fallback = int64_t{16},
                    .doc = "Edges per vertex.",
                    .min = 1,
                    .max = 65536},
                   {.name = "seed", .kind = Kind::kInt, .fallback = int64_t{1}, .doc = "Another seed, another graph."},
                   probability("a", 0.57, "the quadrant where both bits are 0"),
                   probability("b", 0.19, "the quadrant where only the bit of dst is 1"),
                   probability("c", 0.19,
                               "the quadrant where only the bit of src is 1; both are 1 with 1 - a - b - c")},
    .output = {{.name = "src", .type = "bigint", .doc = "in [0, 2**scale), shuffled labels"},
               {.name = "dst", .type = "bigint", .doc = "in [0, 2**scale)"}},
    .match = "exact",
    .source = "Chakrabarti, Zhan, Faloutsos 2004, R-MAT: a recursive model for graph mining; Graph500 specification",
    .notes =
        "The graph has edge_factor * 2**scale rows; duplicates and self-loops occur. Random numbers come from a "
        "counter, so the rows and their order do not depend on ranks x threads.",
    .memory = {.run = {.arc = 16.5}, .factor = "edge_factor", .exponent = "scale"},
};

}  // namespace sparkgap::rmat

namespace sparkgap {
namespace {

Output run_rmat(const Inputs&, const Values& values, Comm& comm, const Progress& progress) {
  const rmat::Params params{
      .scale = static_cast<int>(get_int(values, "scale")),
      .edge_factor = get_int(values, "edge_factor"),
      .seed = get_int(values, "seed"),
      .a = get_double(values, "a"),
      .b = get_double(values, "b"),
      .c = get_double(values, "c"),
  };
  const Stopwatch compute;
  auto result = std::make_shared<rmat::Result>(rmat::run(params, comm, progress));
  Output output;
  output.compute_s = compute.seconds();
  output.rows = static_cast<int64_t>(result->src.size());
  output.columns = {{"src", Type::kInt64, result->src.data(), {}}, {"dst", Type::kInt64, result->dst.data(), {}}};
  output.keep = result;
  return output;
}

}  // namespace

const Kernel kKernel{rmat::kSpec, run_rmat};

}  // namespace sparkgap
