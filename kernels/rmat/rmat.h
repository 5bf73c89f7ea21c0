// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "buffers/buffer.h"
#include "mpi/comm.h"
#include "process/progress.h"
#include "spec/spec.h"

namespace sparkgap::rmat {

struct Params {
  int scale;  ///< log2 of the number of possible vertices
  int64_t edge_factor;
  int64_t seed;
  double a, b, c;
};

/// This rank's edges: numbers [rank * edges / ranks, (rank + 1) * edges / ranks) of the sequence.
struct Result {
  Buffer<int64_t> src, dst;
};

struct Edge {
  uint64_t src, dst;
};

/// The sequence itself: edge i is a function of the parameters and i alone.
class Generator {
 public:
  /// Throws Error(kArguments) where a + b + c > 1.
  explicit Generator(const Params& params);
  int64_t edges() const { return edges_; }
  /// Edge i before labels are shuffled: low numbers have many edges.
  Edge plain(int64_t i) const;
  /// A bijection on [0, 2^scale).
  uint64_t label(uint64_t vertex) const;

 private:
  /// Several levels of quadrants in one draw, by Walker's alias method: a column is drawn evenly, and a threshold
  /// decides between its two outcomes.
  struct Column {
    uint64_t threshold;
    uint16_t outcome[2];  ///< bits of src above bits of dst
  };
  struct Alias {
    int levels = 0;
    std::vector<Column> columns;  ///< 4^levels
    Alias(int levels, const double (&quadrants)[4]);
    Edge draw(uint64_t random) const;
  };

  int scale_;
  int64_t edges_;
  uint64_t key_;
  Alias whole_, rest_;
  uint64_t multiply_[3], add_[3];
};

/// A random graph with the skewed degrees of real ones.
///
/// Equation   each of `scale` levels picks a quadrant of the adjacency matrix with probabilities a, b, c, 1 - a - b -
///            c, which adds one bit to source and destination; then vertex labels are shuffled by a seeded bijection on
///            [0, 2^scale)
/// Source     Chakrabarti, Zhan, Faloutsos 2004, section 3; Graph500 specification, section "Generating the edge list"
///            (parameters); differs in the random numbers and in the shuffle. Duplicates and self-loops are kept
/// Input      none
/// Output     (source, destination): int64[edge_factor * 2^scale], ids in [0, 2^scale), in the order of the sequence
///            over ranks
/// Params     scale in 1..31, default 18; edge_factor >= 1, default 16; seed, default 1; a, b, c in [0, 1], a + b + c
///            <= 1, default 0.57, 0.19, 0.19
/// Cost       time O(edges * scale / 5), memory 16 bytes per edge, no messages
/// Parallel   collective over comm (without messages); all threads; same sequence for any np x threads: bitwise
/// Errors     kArguments: a + b + c > 1
[[nodiscard]] Result run(const Params& params, Comm& comm, const Progress& progress);

/// Name, parameters with their defaults, output.
extern const Spec kSpec;

}  // namespace sparkgap::rmat
