// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "buffers/buffer.h"
#include "graph/graph.h"
#include "process/progress.h"
#include "spec/spec.h"

namespace sparkgap::mis {

struct Params {
  int64_t seed = 0;
};

struct Result {
  Buffer<uint8_t> selected;  ///< by row of the graph: 1 where the vertex is in the set, else 0
  int64_t rounds = 0;
};

/// A maximal independent set: no two of its vertices are neighbours, and every other vertex has a neighbour in it.
///
/// Equation   v is in the set if and only if no neighbour u with priority(u) > priority(v) is: what a greedy choice in
///            the order of falling priority gives. priority(v) = counter_hash(seed, id); of a string its words of 8
///            bytes and its length are hashed one after the other
/// Source     Luby 1986, "A simple parallel algorithm for the maximal independent set problem"; Blelloch, Fineman, Shun
///            2012, "Greedy sequential maximal independent set and matching are parallel on average"; priorities are
///            drawn once, not in each round
/// Input      graph: both directions, dealt over ranks by vertex; direction, duplicates and self-loops change nothing
/// Output     selected: uint8[rows], 0 or 1; vertices without neighbours are in the set
/// Params     seed in 64 bits, default 0; another seed gives another set
/// Cost       time O(arcs * rounds) at most, rounds O(log^2 vertices) with high probability; memory 12 bytes per
///            vertex, 8 1/4 per place (rows and ghosts of a rank, ghosts.h); messages: for each ghost 8 bytes once and
///            1/4 byte in each round
/// Parallel   collective over comm; all threads, one row by one of them; same result for any np x threads: bitwise.
///            Priorities of integers never tie; strings of one hash, of which there is one pair in 2^64, are told apart
///            by their numbers
/// Errors     none of its own
[[nodiscard]] Result run(const Graph& graph, const Params& params, Comm& comm, const Progress& progress);

/// Name, inputs, parameters with their defaults, output.
extern const Spec kSpec;

}  // namespace sparkgap::mis
