# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The parts that the wall time is made of, how sure each is, and the parts of a task's time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from ..application import SAMPLED, Tasks, TaskState


class Certainty(Enum):
    """How a figure comes about."""

    MEASURED = "measured"  # Spark took the time
    BOUNDED = "bounded"  # at most, or the rest of what was measured
    INFERRED = "inferred"  # from the order of events, by a rule that may err


@dataclass(frozen=True)
class Part:
    """One part of the wall time. `group` is busy (a task runs in the slot), idle (a slot has none while others have) or
    driver (no task runs at all).
    """

    key: str
    label: str
    certainty: Certainty
    group: str
    meaning: str


_M, _B, _I = Certainty.MEASURED, Certainty.BOUNDED, Certainty.INFERRED
TASK_PARTS = (
    Part("cpu", "CPU", _B, "busy", "tasks compute: CPU time, at most what is left beside shuffle writes"),
    Part("gc", "garbage collection", _B, "busy", "tasks stand still while the JVM collects garbage"),
    Part("fetch_wait", "shuffle fetch wait", _M, "busy", "tasks wait for blocks of other tasks"),
    Part("shuffle_write", "shuffle write", _M, "busy", "tasks write blocks for others, with the CPU time of that"),
    Part("run_queue", "waiting for a processor", _M, "busy", "tasks could run; others have the processors (profiles)"),
    Part("file_io", "file I/O wait", _M, "busy", "tasks wait for files or devices (profiles)"),
    Part("other_wait", "other wait", _M, "busy", "tasks wait for locks, pipes, Python workers, sleeps (profiles)"),
    Part("off_cpu", "off CPU, unexplained", _B, "busy",
         "tasks neither compute nor wait for what Spark measures: disk, locks, Python workers, other processes"),
    Part("deserialize", "task deserialization", _M, "busy", "executors unpack the task and its closure"),
    Part("serialize", "result serialization", _M, "busy", "executors pack the result"),
    Part("result_fetch", "result fetch", _M, "busy", "the driver fetches results that were too large to send along"),
    Part("scheduler", "scheduler delay", _I, "busy", "the rest of a task's time: on its way to and from the executor"),
    Part("native", "native call", _B, "busy", "ranks of sparkgap run: in the slot of the task that waits, and beside"),
    Part("lost", "lost work", _M, "busy", "tasks that failed, were killed or never ended"),
)  # fmt: skip
OTHER = Part(
    "other_tasks", "tasks of others", _M, "busy", "slots that run tasks outside of this part of the application"
)
IDLE_PARTS = (
    Part("pending", "idle: tasks pending", _I, "idle", "tasks wait though slots are free: locality or the scheduler"),
    Part("too_few", "idle: too few tasks", _I, "idle", "stages have fewer tasks than there are slots"),
    Part(
        "tail", "idle: stage tail", _I, "idle", "the last tasks of a stage run while other slots have none left: skew"
    ),
)
DRIVER_PARTS = (
    Part(
        "no_executors", "no executors", _M, "driver", "a job is open, or the application began, and no executor lives"
    ),
    Part("job_no_task", "job without tasks", _M, "driver", "a job is open, and none of its tasks runs"),
    Part("planning", "SQL planning or commit", _M, "driver", "a SQL execution is open, and no job of it"),
    Part("startup", "start-up", _M, "driver", "until the first executor is there"),
    Part("before", "before the first job", _M, "driver", "the driver does something else"),
    Part("between", "between jobs", _M, "driver", "the driver does something else"),
    Part("after", "after the last job", _M, "driver", "the driver does something else, or ends"),
)
PARTS = (*TASK_PARTS, OTHER, *IDLE_PARTS, *DRIVER_PARTS)
BY_KEY = {part.key: part for part in PARTS}
_NS = 1e6


def task_parts(tasks: Tasks, *, gc_is_concurrent: bool = False) -> Any:
    """Milliseconds of each part (columns as `TASK_PARTS`) of each task (rows).

    Each part is cut to what is left of the task, so that a row sums to the time from its launch to its end, whatever a
    log says.
    """
    column = {part.key: i for i, part in enumerate(TASK_PARTS)}
    whole = tasks.duration.astype(float)
    parts = np.zeros((len(tasks), len(TASK_PARTS)), order="F")  # looked at by columns
    left = whole.copy()

    def take(key: str, asked: Any) -> None:
        nonlocal left
        np.clip(asked, 0, left, out=parts[:, column[key]])
        left = left - parts[:, column[key]]

    getting = tasks["getting_result"]
    take("result_fetch", np.where(getting > 0, tasks["finished"] - getting, 0).astype(float))
    take("deserialize", tasks["deserialize"].astype(float))
    take("serialize", tasks["serialize"].astype(float))
    run = np.minimum(tasks["run"], left)
    parts[:, column["scheduler"]] = left - run
    left = run
    cpu = tasks["cpu_ns"] / _NS
    # A task has no CPU time while the JVM stands still.
    take("gc", np.zeros_like(whole) if gc_is_concurrent else np.minimum(tasks["gc"], np.maximum(run - cpu, 0)))
    take("fetch_wait", tasks["fetch_wait"].astype(float))
    take("shuffle_write", tasks["shuffle_write_ns"] / _NS)
    take("cpu", cpu)
    for name in SAMPLED:
        take(name, tasks[name].astype(float))
    parts[:, column["off_cpu"]] = left
    ranks = tasks["native"] > 0
    for key in ("gc", "fetch_wait", "shuffle_write", "cpu", *SAMPLED, "off_cpu"):
        parts[ranks, column["native"]] += parts[ranks, column[key]]
        parts[ranks, column[key]] = 0
    lost = tasks["state"] != TaskState.SUCCESS
    parts[lost] = 0
    parts[lost, column["lost"]] = whole[lost]
    return parts
