# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A control group with a limit on memory, version 1 or 2, for a process that runs already."""

import contextlib
import os
import time
import uuid
from pathlib import Path

MOUNT = Path("/sys/fs/cgroup")


@contextlib.contextmanager
def limited(pid, n_bytes):
    """Within the body the process, and what it starts, may take that many bytes beyond those that it has. Gives
    the group's folder.

    Errors: OSError where groups cannot be made, as without root.
    """
    unified = (MOUNT / "cgroup.controllers").exists()
    top = MOUNT if unified else MOUNT / "memory"
    before = top / _path(pid, unified).lstrip("/")
    before = before if before.is_dir() else top
    group = top / f"sparkgap-test-{uuid.uuid4().hex}"
    group.mkdir()
    try:
        (group / ("memory.max" if unified else "memory.limit_in_bytes")).write_text(str(n_bytes))
        (group / "cgroup.procs").write_text(str(pid))
        try:
            yield group
        finally:
            with contextlib.suppress(ProcessLookupError):  # it has ended
                (before / "cgroup.procs").write_text(str(pid))
    finally:
        _remove(group)


def _path(pid, unified):
    for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers if unified else "memory" in controllers.split(","):
            return path
    return "/"


def _remove(group, timeout_s=5.0):
    """Processes that have just ended stand in it for a moment."""
    end = time.monotonic() + timeout_s
    while True:
        try:
            return os.rmdir(group)
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
