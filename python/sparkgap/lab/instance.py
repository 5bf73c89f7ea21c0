# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""One application of a run, with its profile: `python -m sparkgap.lab.instance REQUEST.json`.

This process takes the run's processors and enters its budget before it starts anything, so that all that it starts is
in them, and reaps all of it, so that the CPU time is whole.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import sys
import time
from pathlib import Path

from ..profile import run as profiles
from .budget import Budget

_PR_SET_CHILD_SUBREAPER = 36
_END_S = 60.0


def main(path: Path) -> None:
    """Do what the file asks for, and answer in another."""
    said = json.loads(path.read_text(encoding="utf-8"))
    os.sched_setaffinity(0, said["cpus"])
    if said["budget"] is not None:
        Budget(Path(said["budget"]["folder"]), said["budget"]["is_unified"]).enter()
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    begin = time.monotonic()
    with open(said["output"], "wb") as output:
        ended = profiles.run(said["command"], Path(said["profile"]), said["settings"], output)
    elapsed_s = time.monotonic() - begin
    _reap()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = {
        "status": ended.status,
        "elapsed_s": elapsed_s,
        "cpu_user_s": used.ru_utime,
        "cpu_system_s": used.ru_stime,
        "peak_bytes": used.ru_maxrss << 10,
    }
    aside = Path(f"{said['ended']}.part")
    aside.write_text(json.dumps(answer), encoding="utf-8")
    aside.replace(said["ended"])


def _reap() -> None:
    """The JVM of a Python application ends after it."""
    deadline = time.monotonic() + _END_S
    with contextlib.suppress(ChildProcessError):
        while time.monotonic() < deadline:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.02)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
