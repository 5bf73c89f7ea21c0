# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""From the lines of a log to an application. One line at a time: a log of any size takes the memory of its tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from ...errors import DataError
from ...profile.hosts import HOSTS
from ...profile.recordings import STACKS
from ...profile.sampler import MACHINE, SAMPLES
from ..application import Application
from . import events
from .build import Builder
from .codecs import Cut, chunks
from .files import LogFiles, find
from .hosts import read_hosts
from .machine import add_machine
from .samples import add_samples
from .stacks import add_stacks

_LONGEST = 512 << 20  # bytes of one line
_BEGIN = b'{"Event":"'
_SQL = "org.apache.spark.sql.execution.ui."
_STREAMING = "org.apache.spark.sql.streaming.StreamingQueryListener$"
_CONNECT = "org.apache.spark.sql.connect.service.SparkListenerConnectOperation"
# How a client's operation goes on after its start.
_STEPS = {
    "Analyzed": "analyzed",
    "ReadyForExecution": "ready",
    "Finished": "finished",
    "Closed": "closed",
    "Failed": "failed",
    "Canceled": "cancelled",
}


@dataclass
class Reading:
    """What was read, and how much of it was no event."""

    files: LogFiles
    lines: int = 0
    events: int = 0
    broken: int = 0
    cut: bool = False


def read(path: str | Path) -> Application:
    """The application that an event log tells of.

    Parameters
    ----------
    path : str or Path
        A file, plain or compressed, or a rolling folder. An unfinished or damaged log gives what it holds, and
        `Application.warnings` says what is missing.

    Raises
    ------
    ArgumentError
        No such path, or a folder with several logs.
    DataError
        It is no event log, or it tells of no application.
    """
    files = find(Path(path))
    reading, builder = Reading(files), Builder()
    handlers = _handlers(builder)
    for line in _lines(reading):
        _take(line, reading, handlers)
    if reading.events == 0:
        found = f"{reading.lines} lines that are none" if reading.lines else "an empty file"
        found = "a file that is damaged or cut off before the first" if reading.cut else found
        raise DataError.of(f"event log {files.path}", "events of a Spark application", found, "Name another file.")
    app = builder.application(_warnings(reading))
    if files.profile is not None:
        sent = read_hosts(files.profile / HOSTS)
        app.warnings += sent.warnings
        add_samples(app, files.profile / SAMPLES, sent.samples)
        add_machine(app, files.profile / MACHINE, sent.machine)
        add_stacks(app, files.profile / STACKS, sent.late_ms)
    return app


def _lines(reading: Reading) -> Iterator[bytes]:
    for part in reading.files.parts:
        begun: list[bytes] = []  # of a line whose end is not there yet
        size = 0
        try:
            for chunk in chunks(part):
                first, *others = chunk.split(b"\n")
                begun.append(first)
                size += len(first)
                if size > _LONGEST:
                    do = "Name another file."
                    raise DataError.of(f"event log {part}", "lines of events", "one beyond 512 MiB", do)
                if others:
                    yield b"".join(begun)
                    yield from others[:-1]
                    begun, size = [others[-1]], len(others[-1])
        except Cut:
            reading.cut = True
        except OSError as e:
            found = e.strerror or str(e)
            raise DataError.of(f"event log {part}", "a file that can be read", found, "Look at it.") from None
        if size:
            yield b"".join(begun)


def _take(line: bytes, reading: Reading, handlers: dict[bytes, Callable[[bytes], None]]) -> None:
    line = line.strip()
    if not line:
        return
    reading.lines += 1
    end = line.find(b'"', len(_BEGIN))
    if line.startswith(_BEGIN) and end > 0:
        name = line[len(_BEGIN) : end]
    else:
        try:
            name = msgspec.json.decode(line, type=_Named).Event.encode()
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            reading.broken += 1
            return
    handler = handlers.get(name)
    if handler is None:
        reading.events += _is_spark_s(name)
        return
    try:
        handler(line)
        reading.events += 1
    except (msgspec.MsgspecError, UnicodeDecodeError, OverflowError, RecursionError):
        reading.broken += 1


class _Named(msgspec.Struct):
    Event: str


def _is_spark_s(name: bytes) -> bool:
    return name.startswith(b"SparkListener") or name.startswith(b"org.apache.spark.")


def _handlers(builder: Builder) -> dict[bytes, Callable[[bytes], None]]:
    def typed(kind: Any, use: Callable[[Any], None]) -> Callable[[bytes], None]:
        decode = msgspec.json.Decoder(kind).decode
        return lambda line: use(decode(line))

    by_name: dict[str, tuple[Any, Callable[[Any], None]]] = {
        "SparkListenerTaskEnd": (events.TaskEnd, builder.task_ended),
        "SparkListenerTaskStart": (events.TaskStart, builder.task_started),
        "SparkListenerStageSubmitted": (events.StageEvent, builder.stage_seen),
        "SparkListenerStageCompleted": (events.StageEvent, builder.stage_seen),
        "SparkListenerJobStart": (events.JobStart, builder.job_started),
        "SparkListenerJobEnd": (events.JobEnd, builder.job_ended),
        "SparkListenerLogStart": (events.LogStart, builder.log_started),
        "SparkListenerApplicationStart": (events.ApplicationStart, builder.application_started),
        "SparkListenerApplicationEnd": (events.ApplicationEnd, builder.application_ended),
        "SparkListenerEnvironmentUpdate": (events.Environment, builder.environment),
        "SparkListenerExecutorAdded": (events.ExecutorAdded, builder.executor_added),
        "SparkListenerExecutorRemoved": (events.ExecutorRemoved, builder.executor_removed),
        f"{_SQL}SparkListenerSQLExecutionStart": (events.ExecutionStart, builder.execution_started),
        f"{_SQL}SparkListenerSQLAdaptiveExecutionUpdate": (events.PlanChanged, builder.plan_seen),
        f"{_SQL}SparkListenerDriverAccumUpdates": (events.DriverCounted, builder.sizes.driver_counted),
        "org.sparkgap.spark.application.CallEnded": (events.CallEnded, builder.call_ended),
        f"{_SQL}SparkListenerSQLExecutionEnd": (events.ExecutionEnd, builder.execution_ended),
        f"{_STREAMING}QueryProgressEvent": (events.QueryProgress, builder.clients.progress),
        f"{_CONNECT}Started": (events.OperationStarted, builder.clients.started),
    }
    for name, step in _STEPS.items():
        by_name[f"{_CONNECT}{name}"] = (events.OperationStep, builder.clients.step(step))
    return {name.encode(): typed(kind, use) for name, (kind, use) in by_name.items()}


def _warnings(reading: Reading) -> list[str]:
    found = []
    if not reading.files.finished:
        found.append("The log is unfinished: the application runs, or it was killed.")
    if reading.cut:
        found.append("The log is cut off or damaged: what comes after the damage is missing.")
    if reading.broken:
        found.append(f"{reading.broken} of {reading.lines} lines are no whole events and were passed over.")
    if reading.files.gaps:
        numbers = ", ".join(map(str, reading.files.gaps[:5]))
        found.append(f"Files of the rolling log are missing: number {numbers}.")
    return found
