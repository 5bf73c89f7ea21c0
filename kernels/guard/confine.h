// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparkgap {

// From here on neither this process nor what it starts can look into processes above it: their environment, memory and
// open files stay closed to it, of the same user too, root included. It gains no rights by programs that run with their
// owner's (sudo), and can mount nothing.
//
// Everything that is started after one call may look into each other, as ranks of one host do that share memory.
//
// False where the kernel lets neither of its two ways: Landlock (Linux 5.19), which any user has, or capabilities to
// lay down, which root has.
bool confine();

}  // namespace sparkgap
