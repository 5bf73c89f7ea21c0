// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "mpi/comm.h"
#include "process/progress.h"
#include "spec/spec.h"
#include "table/table.h"

namespace sparkgap {

/// The inputs of a job by Spec name; an optional input that was not given is absent. Columns of a table stand in this
/// order: the fixed columns of its InputSpec, then the kColumn and kColumns parameters of it that are not None, in Spec
/// order. Types were checked against `accepts`; nulls and values were not.
using Inputs = std::map<std::string, Table>;

/// What a kernel hands to main.cc: every kernel's .cc defines `const Kernel sparkgap::kKernel` once.
struct Kernel {
  const Spec& spec;
  /// Collective over comm. Pure: reads inputs, returns this rank's rows of the result.
  Output (*run)(const Inputs& inputs, const Values& parameters, Comm& comm, const Progress& progress);
};

extern const Kernel kKernel;

}  // namespace sparkgap
