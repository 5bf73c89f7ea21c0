# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""All numbers of one application, worked out once from its log."""

from __future__ import annotations

import json
import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError, ResourceError
from . import tables
from .advice.advice import Advice, properties
from .advice.rules import advise
from .application import Application
from .log.read import read
from .shares.clock import Clock
from .shares.critical_path import critical_path
from .shares.parts import BY_KEY
from .shares.replay import Observed, observed
from .shares.wall import Shares, Wall
from .shares.what_if import WhatIf, what_if

if TYPE_CHECKING:
    import pyarrow as pa


def load(path: str | Path) -> Report:
    """The report of a Spark application from its event log.

    Parameters
    ----------
    path : str or Path
        The log of Spark 3.5 to 4.x: a file, plain or compressed with zstd, lz4, snappy or lzf, or a rolling folder
        (`eventlog_v2_...`). Neither Spark nor Java is needed.

    Returns
    -------
    Report
        An unfinished or damaged log gives what it holds; `Report.warnings` says what is missing.

    Raises
    ------
    ArgumentError
        No such path, or a folder with the logs of several applications.
    DataError
        It is no event log.

    Notes
    -----
    Cost: about 5 CPU seconds and 200 MB for 100,000 tasks (a log of 1 GB unpacked).

    Examples
    --------
    >>> load("eventlog_v2_app-20261126").share("gc")  # doctest: +SKIP
    0.07
    """
    return Report(read(path))


class Report:
    """Where the time of an application went.

    `breakdown`, `stages`, `jobs`, `executions`, `batches`, `operations`, `faults`, `critical_path`, `executors`,
    `processors`, `machine`, `stacks`, `collections`, `heaps`, `calls`, `tasks` are tables of pyarrow; times in seconds,
    `begin_s` from the application's start. In each row the columns named for parts (`cpu_s`, `gc_s`, ...) add up to
    `wall_s`.
    """

    def __init__(self, application: Application) -> None:
        self.application = application

    @property
    def warnings(self) -> list[str]:
        """What the log lacks, and what that means for the numbers."""
        return self.application.warnings

    @property
    def wall_s(self) -> float:
        """Seconds from the application's start to its end."""
        return self.application.wall / 1e3

    def share(self, part: str) -> float:
        """The share of the application's wall time that a part has, between 0 and 1.

        Raises
        ------
        ArgumentError
            There is no such part.
        """
        if part not in BY_KEY:
            raise ArgumentError.of("part", f"one of {', '.join(BY_KEY)}", repr(part), "Choose another.")
        return self.shares.share(part)

    @cached_property
    def shares(self) -> Shares:
        """Of the whole application."""
        return self.wall.application()

    @cached_property
    def breakdown(self) -> pa.Table:
        """A row for each part of the wall time: `part`, `label`, `certainty`, `group`, `seconds`, `share`."""
        return tables.breakdown(self.shares)

    @cached_property
    def stages(self) -> pa.Table:
        """A row for each attempt at a stage, with its shares, observed times and counts."""
        return tables.stages(self.application, list(self.wall.stages()), self.observed, self.wall)

    @cached_property
    def jobs(self) -> pa.Table:
        return tables.jobs(self.application, list(self.wall.jobs()))

    @cached_property
    def executions(self) -> pa.Table:
        """A row for each SQL execution."""
        return tables.executions(self.application, list(self.wall.executions()))

    @cached_property
    def calls(self) -> pa.Table:
        """A row for each native call of sparkgap, with the seconds of its phases."""
        return tables.calls(self.application)

    @cached_property
    def critical_path(self) -> pa.Table:
        """The chain of tasks and waits that the wall time consists of, a row for each: `begin_s`, `wall_s`, `task_id`
        and `stage`, which are null where the path waits for no task. Inferred.
        """
        return tables.critical_path(self.application, critical_path(self.application))

    @cached_property
    def faults(self) -> pa.Table:
        """A row for each attempt at a task or a stage that was lost, each stage that was tried again, and each executor
        that went, in the order of time: `at_s`, `kind`, `what`, `executor`, `stage`, `attempt`.
        """
        return tables.faults(self.application)

    @cached_property
    def batches(self) -> pa.Table:
        """A row for each batch of a streaming query, with its rows and the seconds of its phases."""
        return tables.batches(self.application)

    @cached_property
    def operations(self) -> pa.Table:
        """A row for each operation of a client of Spark Connect, with its tags, its jobs, and the seconds of analysis,
        planning, execution, and until its results were fetched.
        """
        return tables.operations(self.application)

    @cached_property
    def executors(self) -> pa.Table:
        return tables.executors(self.application, self.wall.times)

    @cached_property
    def processors(self) -> pa.Table:
        """A row for each JVM that a profile has looked at: the seconds that its threads ran, for `tasks_s`, `gc_s`
        (beside tasks too), `jit_s` and the `rest_s`, and the name of its collector.
        """
        return tables.processors(self.application)

    @cached_property
    def machine(self) -> pa.Table:
        """What profiled hosts counted, a row for each look at a `host`, `at_s` from the application's start: seconds of
        processors, bytes of memory, bytes to and from disks and network, seconds of pressure, as
        `sparkgap.profile.machine.look` names them. Empty without a profile.
        """
        return tables.machine(self.application)

    @cached_property
    def stacks(self) -> pa.Table:
        """What Java's threads ran, of a profile with `--stacks`: `samples` of the same `frames`, the outermost first,
        in tasks (`task`) of the same `stage` and `attempt`. A sample is 20 ms of a thread that uses a processor. The
        stage is null outside of tasks, and where tasks of several ran beside each other on an executor without
        sparkgap, which marks them.
        """
        return tables.stacks(self.application)

    @cached_property
    def collections(self) -> pa.Table:
        """A row for each garbage collection, of a profile with `--stacks`: `at_s`, `executor`, `collector`, `cause`,
        `pause_s`, which is for how long it stopped all threads, and the `longest_pause_s` of these.
        """
        return tables.collections(self.application)

    @cached_property
    def heaps(self) -> pa.Table:
        """The heap of each JVM before and after each collection, of a profile with `--stacks`: `at_s`, `executor`,
        `used_bytes`, `committed_bytes`, and `most_bytes` that it may have.
        """
        return tables.heaps(self.application)

    @cached_property
    def tasks(self) -> pa.Table:
        """A row for each task attempt, in the order of launch, with the seconds of its parts."""
        return tables.tasks(self.application, self.wall.times)

    @cached_property
    def observed(self) -> list[Observed]:
        """Of each stage: how long it would have taken without one of its components."""
        return observed(self.application, self.clock, self.wall)

    @property
    def observed_by_stage(self) -> list[Observed | None]:
        """The same, one for each row of `stages`; None where a stage has no task."""
        by_key = {(each.stage, each.attempt): each for each in self.observed}
        return [by_key.get((stage.id, stage.attempt)) for stage in self.application.stages]

    @cached_property
    def path_by_stage(self) -> list[tuple[int | None, int, float]]:
        """The critical path: of each stage on it the number of tasks and their seconds; of None, where the path waits
        for no task, the number of waits. The longest first.
        """
        found: dict[int | None, tuple[int, float]] = {}
        rows = self.critical_path.to_pydict()
        for stage, length in zip(rows["stage"], rows["wall_s"], strict=True):
            n, seconds = found.get(stage, (0, 0.0))
            found[stage] = (n + 1, seconds + length)
        return sorted(((stage, *total) for stage, total in found.items()), key=lambda each: -each[2])

    @cached_property
    def advice(self) -> list[Advice]:
        """What to change, the largest gain first; empty where the numbers give no cause."""
        return advise(self)

    @cached_property
    def what_if(self) -> WhatIf:
        """What the same work would take on other slots."""
        return what_if(self.shares, self.observed)

    @cached_property
    def clock(self) -> Clock:
        """What slots do at any time."""
        return Clock(self.application)

    @cached_property
    def wall(self) -> Wall:
        """The shares of all that is in the application, and the parts of its tasks."""
        return Wall(self.application, self.clock)

    def as_json(self) -> dict[str, Any]:
        """All numbers but those of single tasks, for machines."""
        app, guess = self.application, self.what_if
        return {
            "version": 1,
            "application": {
                "name": app.name,
                "id": app.id,
                "user": app.user,
                "spark_version": app.spark_version,
                "java_version": app.java_version,
                "started_ms": app.begin,
                "ended_ms": app.end,
                "finished": app.ended is not None,
            },
            "wall_s": self.wall_s,
            "warnings": self.warnings,
            "breakdown": self.breakdown.to_pylist(),
            "what_if": {
                "wall_s_by_slots": {f"{factor:g}": ms / 1e3 for factor, ms in guess.by_slots.items()},
                "balanced_s": guess.balanced / 1e3,
                "floor_s": guess.floor / 1e3,
                "replay_error": guess.error,
            },
            "advice": [each.as_json() for each in self.advice],
            "executions": self.executions.to_pylist(),
            "jobs": self.jobs.to_pylist(),
            "stages": self.stages.to_pylist(),
            "critical_path": [
                {"stage": stage, "tasks": tasks, "seconds": length} for stage, tasks, length in self.path_by_stage
            ],
            "executors": self.executors.to_pylist(),
            "processors": self.processors.to_pylist(),
            "collections": self.collections.to_pylist(),
            "calls": [{**row, "phases": dict(row["phases"])} for row in self.calls.to_pylist()],
            "batches": [{**row, "phases": dict(row["phases"])} for row in self.batches.to_pylist()],
            "operations": self.operations.to_pylist(),
            "faults": self.faults.to_pylist(),
        }

    def write_json(self, path: str | Path) -> None:
        """Write these numbers. Errors: ResourceError."""
        write(Path(path), json.dumps(self.as_json(), indent=1, ensure_ascii=False))

    def write_html(self, path: str | Path) -> None:
        """Write the page: one file that needs nothing else. Errors: ResourceError."""
        from .page.page import html

        write(Path(path), html(self))

    def write_properties(self, path: str | Path) -> None:
        """Write the settings that are advised as a file for `spark-submit --properties-file`, each with its reason.
        Errors: ResourceError.
        """
        write(Path(path), properties(self.advice))

    def write_trace(self, path: str | Path) -> None:
        """Write jobs, stages and tasks as a trace for Perfetto and Chrome. Errors: ResourceError."""
        from .trace import lines

        write(Path(path), "\n".join(lines(self.application, self.wall.times)))

    def _repr_html_(self) -> str:
        from .page.page import summary

        return summary(self)


def write(path: Path, text: str) -> None:
    """The whole file, or what was there before. Errors: ResourceError."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")  # another may write the same file now
    try:
        aside.write_text(text, encoding="utf-8", errors="replace")
        aside.replace(path)
    except OSError as e:
        aside.unlink(missing_ok=True)
        do = "Choose another place."
        raise ResourceError.of(str(path), "a file that can be written", e.strerror or str(e), do) from None
