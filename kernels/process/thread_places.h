// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparkgap {

/// Puts each thread on a processor of its own where there are as many threads as this process may use, and lets it go
/// where it likes from there. The system may start two threads on one processor and move one of them only after some
/// milliseconds, which is all that a kernel takes on a small graph. Nothing happens where threads were bound by
/// OMP_PROC_BIND, or are fewer: others may have the rest.
void spread_threads();

}  // namespace sparkgap
