# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What is killed, with kill -9, when a run has computed all: an executor, or the application itself."""

from __future__ import annotations

import os
import signal

from .. import processes
from ..errors import LaunchError

_EXECUTOR = "CoarseGrainedExecutorBackend"


def strike(fault: str) -> None:
    """Kill it. After `application` there is no return.

    Raises
    ------
    LaunchError
        There is no executor beside the driver.
    """
    below = processes.tree()
    if fault == "executor":
        executors = [each.pid for each in below if _EXECUTOR in each.command()]
        if not executors:
            raise LaunchError.of("fault", "an executor below this application", "none", "Say executors = [...].")
        os.kill(max(executors), signal.SIGKILL)
    elif fault == "application":
        for each in reversed(below):  # this process is the first
            os.kill(each.pid, signal.SIGKILL)
