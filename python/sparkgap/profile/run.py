# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Starts the application with its event log on, and the sampler beside it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from .. import processes
from ..environment import own_version
from ..errors import ArgumentError, ResourceError
from . import async_profiler, hosts, recordings
from .command import with_settings
from .sampler import MACHINE, SAMPLES, Sampler

PROFILE = "profile.json"
EVENT_LOG = "eventlog"
_END_S = 10


@dataclass(frozen=True)
class Ended:
    """How a command ended: its status, 128 and the signal's number where one ended it; whether its user has interrupted
    it; and whether it took too long.
    """

    status: int
    interrupted: bool
    overran: bool = False


def run(
    command: Sequence[str],
    folder: Path,
    settings: Mapping[str, str] | None = None,
    output: BinaryIO | None = None,
    *,
    stacks: bool = False,
    async_jar: Path | None = None,
    limit_s: float | None = None,
) -> Ended:
    """Run the command to its end, with everything about it in a new folder.

    Parameters
    ----------
    command : sequence of str
        A program and its words.
    folder : Path
        Where the event log and the samples go.
    settings : mapping, optional
        More settings of Spark, in place of the same ones among the command's options.
    output : binary file, optional
        Where stdout and stderr of the command go; otherwise where this process's go.
    stacks : bool, default False
        Record stacks, collections and heaps too, with Java's Flight Recorder.
    async_jar : Path, optional
        Of async-profiler, whose samples the driver's stacks are then; `stacks` goes without saying.
    limit_s : float, optional
        After so many seconds the command, and all that it has started, is ended.

    Raises
    ------
    ArgumentError
        The folder is not empty or, with `stacks`, has a name that Java's options cannot say; there is no such program;
        or the jar is none of async-profiler.
    ResourceError
        The folder cannot be made.
    """
    log = folder / EVENT_LOG
    collected = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": log.absolute().as_uri(),
        "spark.eventLog.logStageExecutorMetrics": "true",
        "spark.eventLog.includeTaskMetricsAccumulators": "false",  # the same figures, for a second time
    }
    library = async_profiler.library_of(async_jar) if async_jar else None
    stacks = stacks or library is not None
    if stacks:
        collected |= recordings.settings(folder, is_async=library is not None)
    given = {**(settings or {})}
    if (plugins := hosts.plugins(command, given.get("spark.plugins", ""), stacks=stacks)) is not None:
        collected["spark.plugins"] = plugins
    words, environ = with_settings(command, {**given, **collected})
    if plugins is not None:
        environ |= hosts.of_driver(folder)
    _make(folder, log, *([folder / recordings.RECORDINGS] if stacks else []))
    if library is not None:
        (folder / recordings.RECORDINGS / async_profiler.LIBRARY).write_bytes(library)
    said = {"version": 1, "sparkgap": own_version(), "command": list(command), "settings": dict(settings or {})}
    said |= {"begin_ms": int(time.time() * 1000)}
    _say(folder, said)
    hosts.put(folder)
    status, interrupted, overran = None, False, False
    with (
        open(folder / SAMPLES, "w", encoding="utf-8") as samples,
        open(folder / MACHINE, "w", encoding="utf-8") as of_machine,
    ):
        ends = processes.end_with(os.getpid())
        process = subprocess.Popen(words, env=environ, stdout=output, stderr=output, preexec_fn=ends)
        sampler = Sampler(samples, of_machine, process.pid)  # a JVM of this process's own is nobody's to wait for
        sampler.start()
        try:
            try:
                status, interrupted = _wait(process, limit_s)
            except subprocess.TimeoutExpired:
                overran, status = True, _end(process)
        finally:
            sampler.close()
            said |= {"end_ms": int(time.time() * 1000), "status": status}
            _say(folder, said)
            hosts.take_away(folder)
    if stacks:
        print("profile: reading what Java recorded", file=sys.stderr)
        if (why := recordings.collect(folder, sampler.seen)) is not None:
            print(f"profile: stacks are missing: {why}", file=sys.stderr)
    return Ended(status if status >= 0 else 128 - status, interrupted, overran)


def _make(folder: Path, *parts: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise ArgumentError.of("--out", "a new or empty folder", str(folder), "Choose another name.")
        folder.chmod(0o700)
        for part in parts:
            part.mkdir(mode=0o700)
    except OSError as e:
        found, do = e.strerror or str(e), "Choose another place."
        raise ResourceError.of(f"--out {folder}", "a folder that can be made", found, do) from None


def _wait(process: subprocess.Popen[bytes], limit_s: float | None) -> tuple[int, bool]:
    """The status, and whether there was an interrupt: that reaches the application too, which ends by itself; a request
    to end is passed on. Errors: subprocess.TimeoutExpired.
    """
    if threading.current_thread() is not threading.main_thread():
        return process.wait(limit_s), False
    interrupts: list[int] = []

    def interrupted(number: int, _: object) -> None:
        interrupts.append(number)
        if number == signal.SIGTERM:
            process.terminate()

    before = {number: signal.signal(number, interrupted) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        return process.wait(limit_s), bool(interrupts)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(process: subprocess.Popen[bytes]) -> int:
    """Ends the command and all below it; its status."""
    processes.end(processes.below(process.pid), _END_S)
    try:
        return process.wait(_END_S)
    except subprocess.TimeoutExpired:  # no signal ends it
        return -signal.SIGKILL


def _say(folder: Path, said: dict[str, object]) -> None:
    aside = folder / f"{PROFILE}.part"
    aside.write_text(json.dumps(said, indent=1), encoding="utf-8")
    aside.replace(folder / PROFILE)


def default_folder() -> Path:
    """Of this moment."""
    return Path(f"sparkgap-profile-{time.strftime('%Y%m%d-%H%M%S')}")


def hint(folder: Path) -> str:
    """What to do next."""
    if not any((folder / EVENT_LOG).iterdir()):
        why = (
            "The application made no session of Spark, or sets spark.eventLog.* itself: leave those settings out of it."
        )
        return f"profile: {folder} has no event log. {why}"
    return f"profile: {folder}. Now: {Path(sys.argv[0]).name} report {folder}"
