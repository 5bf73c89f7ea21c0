// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "cpd/mttkrp.h"
#include "cpd/sparse_tensor.h"
#include "mpi/comm.h"
#include "process/progress.h"
#include "spec/spec.h"

namespace sparkgap::cpd {

struct Params {
  int64_t rank = 10;
  int64_t max_iterations = 50;
  double tolerance = 1e-4;
  double regularisation = 0;
  bool non_negative = false;
  uint64_t seed = 0;
};

/// But for the factors the same on every rank.
struct Result {
  std::vector<FactorMatrix> factors;  ///< by mode; columns of length 1, or all 0 where a component has vanished
  std::vector<int64_t> firsts;        ///< by mode: the key, as the tensor counts them, of this rank's row 0
  std::vector<double> lambdas;        ///< by component, as the factors' columns; at least 0
  std::vector<double> fits;           ///< after each iteration
  double fit = 0, objective = 0, change = 0;
  bool converged = false;
};

/// CP decomposition of a sparse tensor, entries that are nowhere being 0, by alternating least squares.
///
/// Equation   x[i, j, ..] ~ sum over r of lambda_r A[i, r] B[j, r] ..; minimises 1/2 ||X - M||^2 + regularisation / 2 *
///            sum lambda_r^2 over factors with columns of length 1, one mode at a time: A := MTTKRP(X) (B'B * C'C * ..
///            + regularisation I)^-1, non_negative: by coordinates, A >= 0; then lambda_r := |A_r|, A_r := A_r /
///            lambda_r. fit = 1 - ||X - M|| / ||X||
/// Source     Carroll, Chang 1970; Harshman 1970; Kolda, Bader 2009
/// Input      the tensor, and the keys of its modes (TensorRows)
/// Params     rank >= 1, default 10; max_iterations >= 1, default 50; tolerance >= 0, default 1e-4: ends where the fit
///            changes by less; regularisation >= 0; non_negative; seed: the start is made of it, mode, key and
///            component
/// Cost       per iteration modes * entries * rank * modes multiplications; memory 8 * rank bytes per key that the rank
///            knows, and once more for its own of the longest mode; messages: 8 * rank bytes for each key and each rank
///            that has it as a ghost
/// Parallel   collective over comm: a rank makes rows of the keys that belong to it, then those get them whose entries
///            name them; the same for any number of threads, to rounding for any np
[[nodiscard]] Result run(const SparseTensor& tensor, const std::vector<TensorMode>& keys, const Params& params,
                         Comm& comm, const Progress& progress);

/// Number in [0, 1) that a row of a factor starts with, before columns are scaled.
[[nodiscard]] double first_value(uint64_t seed, size_t mode, int64_t key, int64_t component);

/// Name, inputs, parameters with their defaults, output.
extern const Spec kSpec;

}  // namespace sparkgap::cpd
