# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A program in a cluster: it finds that as its Spark's default, and hears when the batch system ends the job."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any

from .. import processes
from ..errors import ArgumentError
from .control import Wanted, start, stop


def run(wanted: Wanted, words: Sequence[str], say: Callable[[str], None], *, report: bool = False) -> int:
    """Start a cluster, run a program that finds it as its Spark's default, and stop it; the program's status. Where the
    batch system ends the job, the program is told before.
    """
    planned = start(wanted, say)
    for each in planned.settings:
        say(f"{each.key} = {each.value}: {each.reason}")
    try:
        with told() as on_end:
            return program(wanted, words, on_end, report=report)
    finally:
        stop(wanted.folder)


def program(
    wanted: Wanted,
    words: Sequence[str],
    on_end: list[subprocess.Popen[bytes]],
    *,
    report: bool = False,
    out: IO[Any] | None = None,
) -> int:
    """Run a program in a cluster that is up; its status, 128 and the signal's number where one ended it.

    Raises
    ------
    ArgumentError
        It cannot be started.
    """
    folder = wanted.folder
    environ = {**os.environ, "SPARK_CONF_DIR": str(folder.conf), "SPARK_LOCAL_IP": folder.plan()["address"]}
    command = list(words)
    if report:
        profile = folder.path / f"profile-{time.strftime('%Y%m%d-%H%M%S')}"
        command = [sys.executable, "-m", "sparkgap", "profile", "--out", str(profile), "--", *words]
    try:
        process = subprocess.Popen(command, env=environ, stdout=out, preexec_fn=processes.end_with(os.getpid()))
    except OSError as e:
        raise ArgumentError.of("cluster run", "a program", e.strerror or str(e), "Check its name.") from None
    on_end.append(process)
    status = process.wait()
    if report:
        page = [sys.executable, "-m", "sparkgap", "report", str(profile), "-o", str(folder.path / "report.html")]
        subprocess.run(page, env=environ)
    return status if status >= 0 else 128 - status


@contextlib.contextmanager
def told() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Signals that ask this process to end go to those in the list."""
    running: list[subprocess.Popen[bytes]] = []

    def pass_on(number: int, frame: Any) -> None:
        for each in running:
            if each.poll() is None:
                each.send_signal(number)

    before = {number: signal.signal(number, pass_on) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield running
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
