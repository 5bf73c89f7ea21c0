# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Recordings of Java's Flight Recorder: how a JVM of Spark is told to make one, and lines for a report out of them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from .. import environment, spec
from ..errors import ArgumentError, SparkGapError
from . import async_profiler

RECORDINGS, STACKS = "recordings", "stacks.jsonl"
_MAIN = "org.sparkgap.spark.profile.Recording"
# SQL's stacks are deep, and what is cut off is the outer end.
_DEPTH = "-XX:FlightRecorderOptions:stackdepth=256"
_MOST = "250M"
_CONVERT_S = 600
_END_S = 60.0
_DRIVER = "spark.driver.defaultJavaOptions"
_EXECUTOR = "spark.executor.defaultJavaOptions"


def settings(folder: Path, *, is_async: bool) -> dict[str, str]:
    """Settings of Spark by which the driver's JVM records into the profile; executors' plug-ins send what they record
    (`hosts`). With `is_async` the driver, where tasks run in local mode, has async-profiler's samples: its library is
    on this host alone.

    Raises
    ------
    ArgumentError
        Options of Java cannot name the folder.
    """
    place = str(folder.absolute())
    if not re.fullmatch(r"[\w./+@:~=-]+", place):
        expected = "with --stacks a path of letters, digits and ./_+@:~=-"
        raise ArgumentError.of("--out", expected, place, "Choose another place.")
    own = f"{place}/{RECORDINGS}"
    return {_DRIVER: async_profiler.option(own) if is_async else _options(own), _EXECUTOR: _DEPTH}


def _options(folder: str) -> str:
    record = f"settings=default,maxsize={_MOST},dumponexit=true,filename={folder}"
    # Java says on stdout that it records, which would be among the application's own words.
    return " ".join([f"-XX:StartFlightRecording:{record}", _DEPTH, "-Xlog:jfr+startup=off"])


def _wait_for_ends(pids: Iterable[int]) -> None:
    """A JVM writes its recording as it ends, which may be after the Python that started it."""
    deadline = time.monotonic() + _END_S
    while any(map(_is_java, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)


def _is_java(pid: int) -> bool:
    """False for one that has ended and is not waited for, too."""
    try:
        return os.readlink(f"/proc/{pid}/exe").endswith("/java")
    except OSError:
        return False


def collect(profile: Path, jvms: Mapping[int, str]) -> str | None:
    """Make `stacks.jsonl` of all recordings, and remove these. Returns why some, or all, could not be read.

    Parameters
    ----------
    profile : Path
        The profile's folder.
    jvms : mapping
        Of each process below this one that was seen its executor.
    """
    _wait_for_ends(jvms)
    folder = profile / RECORDINGS
    own = [f"{name}={file}" for pid, name in jvms.items() for file in sorted(folder.glob(f"hotspot-pid-{pid}-*.jfr"))]
    sent = [f"{file.name.split('-')[1]}={file}" for file in sorted(folder.glob("executor-*.jfr"))]
    why = "no JVM has written a recording: it was killed, or runs a Java without Flight Recorder"
    converted = _convert(own + sent, profile / STACKS) if own or sent else why
    shutil.rmtree(folder, ignore_errors=True)
    return converted


def _convert(found: list[str], target: Path) -> str | None:
    """Lines for a report out of recordings; or why not, for the application has ended as it did whatever this does."""
    try:
        with open(target, "wb") as out:
            done = subprocess.run(
                [environment.java(), "-XX:TieredStopAtLevel=1", "-cp", str(spec.JAR), _MAIN, *found],
                stdout=out,
                stderr=subprocess.PIPE,
                text=True,
                timeout=_CONVERT_S,
                env={name: value for name, value in os.environ.items() if name != "JAVA_TOOL_OPTIONS"},
            )
    except (OSError, SparkGapError, subprocess.TimeoutExpired) as e:
        return str(e)
    return done.stderr.strip()[-500:] if done.returncode else None
