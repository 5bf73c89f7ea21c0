# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What happened in one application: its tasks as columns, its stages, jobs, SQL executions and executors. Times are
milliseconds since 1970 by the driver's clock unless a name says otherwise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np


class TaskState(IntEnum):
    """How a task attempt ended."""

    SUCCESS = 0
    FAILED = 1
    KILLED = 2
    UNFINISHED = 3


# Columns of `Tasks`, whole numbers of 64 bits, and of 32 or 16 bits where no log can need more.
_WIDE = (
    "task_id", "launched", "finished", "getting_result", "cpu_ns", "shuffle_write_ns",
    "input_bytes", "input_records", "output_bytes", "shuffle_read_bytes", "shuffle_write_bytes", "memory_spilled",
    "disk_spilled", "peak_memory",
)  # fmt: skip
_NARROW = (
    "stage", "index", "executor", "deserialize", "run", "gc", "serialize", "fetch_wait", "python", "python_start",
)  # fmt: skip
_SMALL = ("stage_attempt", "attempt", "state", "locality", "speculative")
TASK_COLUMNS = dict.fromkeys(_WIDE, "q") | dict.fromkeys(_NARROW, "i") | dict.fromkeys(_SMALL, "h")
# Milliseconds of a task that a profile's samples explain: waiting for a processor, for files, for anything else.
SAMPLED = ("run_queue", "file_io", "other_wait")
# Threads of a JVM that use a processor: tasks, collections, its compilers, and all else.
PROCESSOR_KINDS = ("tasks", "gc", "jit", "rest")
# Stages whose tasks start the ranks of a native call and wait for them.
NATIVE_STAGE = re.compile(r" at (OwnAgent|PlainStageAgents|StageAgents)\.scala:\d+$")


@dataclass
class Tasks:
    """One row for each task attempt, in the order in which they were launched. `executor` and `locality` are places in
    the application's lists of names; `python` is the milliseconds that Python workers took, as SQL metrics say, and
    `python_start` what of that was their start;
    `native` is 1 for tasks that stand for the ranks of a native call.
    """

    columns: dict[str, Any]

    def __len__(self) -> int:
        return len(self.columns["launched"])

    def __getitem__(self, name: str) -> Any:
        return self.columns[name]

    @property
    def duration(self) -> Any:
        """Milliseconds from launch to end."""
        return self["finished"] - self["launched"]

    @property
    def stage_key(self) -> Any:
        """One number for the stage and its attempt, as `stage_key` makes it."""
        return stage_key(self["stage"].astype(np.int64), self["stage_attempt"])

    def firsts(self) -> Any:
        """The places of the first attempt at each task of each attempt at a stage."""
        order = np.lexsort([self["index"], self.stage_key])
        keys, indexes = self.stage_key[order], self["index"][order]
        is_first = np.ones(len(order), bool)
        is_first[1:] = (np.diff(keys) != 0) | (np.diff(indexes) != 0)
        return order[is_first]

    def where(self, rows: Any) -> Tasks:
        """Some of them."""
        return Tasks({name: column[rows] for name, column in self.columns.items()})

    @classmethod
    def empty(cls) -> Tasks:
        kinds = {**TASK_COLUMNS, **dict.fromkeys((*SAMPLED, "native"), "i")}
        return cls({name: np.zeros(0, kind) for name, kind in kinds.items()})


def stage_key(stage: Any, attempt: Any) -> Any:
    """One number for both, in the order of both; also of many at once."""
    return (stage << 32) | attempt


@dataclass
class Stage:
    """One attempt at a stage; `needs` are the stages whose output it read. `begin` and `end` are set also where the log
    does not say them; `plan` has the nodes of SQL plans that it ran, in the order in which rows go through them.
    """

    id: int
    attempt: int
    name: str = ""
    n_tasks: int = 0
    needs: list[int] = field(default_factory=list)
    submitted: int | None = None
    completed: int | None = None
    failure: str | None = None
    job: int | None = None
    plan: list[str] = field(default_factory=list)
    begin: int = 0
    end: int = 0

    @property
    def key(self) -> int:
        """As `Tasks.stage_key`."""
        return int(stage_key(self.id, self.attempt))


@dataclass
class Job:
    id: int
    submitted: int | None = None
    completed: int | None = None
    succeeded: bool | None = None
    description: str = ""
    group: str = ""
    execution: int | None = None
    stages: list[int] = field(default_factory=list)
    begin: int = 0
    end: int = 0


@dataclass
class Execution:
    """A SQL execution."""

    id: int
    description: str = ""
    started: int | None = None
    ended: int | None = None
    error: str | None = None
    begin: int = 0
    end: int = 0


@dataclass
class Join:
    """A join of SQL whose two sides were shuffled; bytes of the smaller one, of those that might have been sent whole,
    and of the other; and the stages that wrote or read that.
    """

    execution: int
    kind: str
    smaller: int
    larger: int
    stages: list[int]


@dataclass
class Scan:
    """What a scan of SQL read of files, and the stages that did."""

    execution: int
    files: int
    bytes: int
    stages: list[int]


@dataclass
class Broadcast:
    """What SQL sent to all executors, and the seconds that it took to collect, build and send it."""

    execution: int
    bytes: int
    took: float


@dataclass
class Call:
    """A call of a kernel or a program by sparkgap; `phases` are seconds by name."""

    kernel: str
    engine: str
    failed: bool
    ranks: int
    threads: int
    rows_in: int
    rows_out: int
    bytes_copied: int
    peak_rss_bytes: int
    phases: dict[str, float]
    begin: int = 0
    end: int = 0


@dataclass
class Executor:
    """`cores` is None where the log does not say it."""

    id: str
    host: str = ""
    cores: int | None = None
    added: int | None = None
    removed: int | None = None
    reason: str = ""


@dataclass
class Fault:
    """Something that was lost and, unless the application failed, done again; `stage` is its number and attempt."""

    time: int
    kind: str
    what: str
    executor: str = ""
    stage: tuple[int, int] | None = None


@dataclass
class Batch:
    """A micro-batch of a streaming query; `phases` are seconds by name."""

    query: str
    id: int
    rows: int
    phases: dict[str, float]
    begin: int = 0
    end: int = 0


@dataclass
class Operation:
    """What a client of Spark Connect asked for; its jobs bear its tag. None for what the log does not say."""

    id: str
    tag: str
    user: str
    tags: list[str]
    statement: str
    started: int | None = None
    analyzed: int | None = None
    ready: int | None = None
    finished: int | None = None
    closed: int | None = None
    outcome: str = ""
    jobs: list[int] = field(default_factory=list)
    begin: int = 0
    end: int = 0


@dataclass
class Processors:
    """What the JVM of an executor used of the processors, from a profile: seconds up to each of some times, a row for
    each of `PROCESSOR_KINDS`.
    """

    executor: str
    collector: str
    times: Any
    seconds: Any

    def total(self, kind: str) -> float:
        """Seconds that one kind of thread ran."""
        return float(self.seconds[PROCESSOR_KINDS.index(kind)][-1])


@dataclass
class Machine:
    """The counters of a host that was profiled, at some times; `columns` as `sparkgap.profile.machine.look` names
    them, those that the host tells.
    """

    host: str
    cpus: int
    times: Any
    columns: dict[str, Any]


@dataclass
class Stacks:
    """What Java's threads ran, from a profile: samples, 20 ms apart on each thread that uses a processor.

    `stacks` are places in `frames`, the outermost first. Each row of the columns counts `n` samples of one `stack` near
    one time, `at`: of a task or not (`task`), and if so of the stage at that place in the application's list, -1 where
    tasks of several ran beside each other on an executor that does not mark them.
    """

    frames: list[str]
    stacks: list[list[int]]
    at: Any
    task: Any
    stage: Any
    stack: Any
    n: Any


@dataclass
class Collection:
    """A garbage collection; what it stopped all threads for, in milliseconds, in all and the longest of its pauses."""

    at: int
    executor: str
    collector: str
    cause: str
    pause: float
    longest: float


@dataclass
class Heap:
    """Bytes of a heap at a time, before or after a collection."""

    at: int
    executor: str
    used: int
    committed: int
    most: int


@dataclass
class Application:
    """`begin` and `end` bound all that the report counts; `warnings` say what the log lacks. `heap_peak` is the most
    bytes of a heap that an executor said while its tasks ran, 0 where none did.
    """

    name: str = ""
    id: str = ""
    user: str = ""
    spark_version: str = ""
    java_version: str = ""
    started: int | None = None
    ended: int | None = None
    begin: int = 0
    end: int = 0
    tasks: Tasks = field(default_factory=Tasks.empty)
    stages: list[Stage] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    executions: list[Execution] = field(default_factory=list)
    joins: list[Join] = field(default_factory=list)
    scans: list[Scan] = field(default_factory=list)
    broadcasts: list[Broadcast] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    batches: list[Batch] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    executors: list[Executor] = field(default_factory=list)
    localities: list[str] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    gc_is_concurrent: bool = False
    is_sampled: bool = False
    processors: list[Processors] = field(default_factory=list)
    machines: list[Machine] = field(default_factory=list)
    stacks: Stacks | None = None
    collections: list[Collection] = field(default_factory=list)
    heaps: list[Heap] = field(default_factory=list)
    heap_peak: int = 0
    warnings: list[str] = field(default_factory=list)

    @property
    def side(self) -> str:
        """Where tasks run, as names of settings have it: `driver` or `executor`."""
        return "driver" if re.fullmatch(r"local(\[.*\])?", self.settings.get("spark.master", "")) else "executor"

    @property
    def wall(self) -> int:
        """Milliseconds."""
        return self.end - self.begin
