// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mpi/comm.h"

namespace sparkgap {

/// The ranks that this test binary was started with. A test whose file includes this header is run with 1, 2 and 4 of
/// them (CMakeLists.txt), so it must make the same collective calls on every rank.
Comm& test_comm();

}  // namespace sparkgap
