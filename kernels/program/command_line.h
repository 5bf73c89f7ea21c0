// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "program/job.h"

namespace sparkgap {

/// The job that a person typed: INPUT --out DIRECTORY [--<parameter> VALUE]... as `--help` tells. Parameters are turned
/// into the kinds of the Spec as far as their text allows; validate() judges them. Throws Error(kArguments).
Job parse_command_line(const Spec& spec, const std::vector<std::string>& arguments, int ranks, int threads);

}  // namespace sparkgap
