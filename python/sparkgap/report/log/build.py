# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Collects events into an application, and sets what a log may lack: begins, ends, and tasks that never ended."""

from __future__ import annotations

import re
from array import array

import numpy as np

from ..application import (
    NATIVE_STAGE,
    SAMPLED,
    TASK_COLUMNS,
    Application,
    Call,
    Execution,
    Executor,
    Job,
    Stage,
    Tasks,
    TaskState,
)
from . import events
from .clients import Clients
from .faults import Faults
from .lacks import asks_for_concurrent_gc, lacks
from .lineage import Lineage
from .plan_sizes import PlanSizes
from .plans import Plans
from .spans import set_begins_and_ends

_PYTHON_STARTS = ("time to start Python workers", "time to initialize Python workers")
_PYTHON_TIMES = (*_PYTHON_STARTS, "time to run Python workers")
_NO_METRICS = events.TaskMetrics()
_MOST = 2**62
_LIMITS = {"q": _MOST, "i": 2**31, "h": 2**15}


class Builder:
    """Takes the events of one log in their order."""

    def __init__(self) -> None:
        self._app = Application()
        self._columns = {name: array(kind) for name, kind in TASK_COLUMNS.items()}
        self._appends = [(self._columns[name].append, _LIMITS[kind]) for name, kind in TASK_COLUMNS.items()]
        self._open: dict[int, events.TaskStart] = {}
        self._stages: dict[tuple[int, int], Stage] = {}
        self._jobs: dict[int, Job] = {}
        self._executions: dict[int, Execution] = {}
        self._executors: dict[str, Executor] = {}
        self._executor_places: dict[str, int] = {}
        self._locality_places: dict[str, int] = {}
        self._job_of_stage: dict[int, int] = {}
        self._first: int | None = None
        self._last: int | None = None
        self._starts = 0
        self._ids: set[str] = set()
        self._gc_times = self._gc_counts = 0
        self._not_started = 0
        self._plans = Plans()
        self.sizes = PlanSizes()
        self._faults = Faults()
        self._lineage = Lineage()
        self.clients = Clients(self._seen)

    # --- the application

    def log_started(self, event: events.LogStart) -> None:
        self._app.spark_version = event.version

    def application_started(self, event: events.ApplicationStart) -> None:
        self._ids.add(event.id or "")
        if self._starts == 0:
            self._app.name, self._app.id, self._app.user = event.name, event.id or "", event.user
            self._app.started = self._seen(event.timestamp)
        self._starts += 1

    def application_ended(self, event: events.ApplicationEnd) -> None:
        self._app.ended = self._seen(event.timestamp)

    def environment(self, event: events.Environment) -> None:
        self._app.settings |= {str(key): str(value) for key, value in event.spark.items()}
        self._app.java_version = str(event.java.get("Java Version", self._app.java_version))

    def executor_added(self, event: events.ExecutorAdded) -> None:
        executor = self._executor(event.id)
        executor.host, executor.cores = event.info.host, event.info.cores or None
        executor.added = self._seen(event.timestamp)

    def executor_removed(self, event: events.ExecutorRemoved) -> None:
        executor = self._executor(event.id)
        executor.removed, executor.reason = self._seen(event.timestamp), event.reason
        self._faults.executor(event)

    # --- SQL executions, jobs and stages

    def execution_started(self, event: events.ExecutionStart) -> None:
        execution = self._executions.setdefault(event.id, Execution(event.id))
        execution.description, execution.started = event.description, self._seen(event.time)
        self._plans.add(event.id, event.plan)
        self.sizes.add(event.id, event.plan)

    def plan_seen(self, event: events.PlanChanged) -> None:
        self._plans.add(event.id, event.plan)
        self.sizes.add(event.id, event.plan)

    def execution_ended(self, event: events.ExecutionEnd) -> None:
        execution = self._executions.setdefault(event.id, Execution(event.id))
        execution.ended, execution.error = self._seen(event.time), event.error or None

    def job_started(self, event: events.JobStart) -> None:
        job = self._jobs.setdefault(event.id, Job(event.id))
        properties = event.properties or {}
        job.submitted = self._seen(event.submitted)
        job.description = str(properties.get("spark.job.description") or "")
        job.group = str(properties.get("spark.jobGroup.id") or "")
        execution = str(properties.get("spark.sql.execution.id") or "")
        job.execution = int(execution) if re.fullmatch("[0-9]{1,18}", execution) else None
        job.stages = sorted({*event.stage_ids, *(info.id for info in event.stages)})
        self.clients.job(event.id, str(properties.get("spark.job.tags") or ""))
        self._lineage.job_started(event)
        for stage in job.stages:
            self._job_of_stage.setdefault(stage, event.id)

    def job_ended(self, event: events.JobEnd) -> None:
        job = self._jobs.setdefault(event.id, Job(event.id))
        job.completed = self._seen(event.completed)
        job.succeeded = event.result.result == "JobSucceeded"
        self._lineage.job_ended(job.stages)

    def stage_seen(self, event: events.StageEvent) -> None:
        info = event.info
        stage = self._stage(info.id, info.attempt)
        stage.name, stage.n_tasks = info.name, info.tasks
        stage.needs = self._lineage.ran(info) or stage.needs
        if info.submitted is not None:
            stage.submitted = self._seen(info.submitted)
        if info.completed is not None:
            stage.completed = self._seen(info.completed)
        stage.failure = info.failure or stage.failure
        self._plans.count((info.id, info.attempt), info.counted)
        self.sizes.count(info.id, info.counted)

    def call_ended(self, event: events.CallEnded) -> None:
        self._seen(event.began)
        self._seen(event.ended)
        self._app.calls.append(
            Call(
                event.kernel,
                event.engine,
                event.failed,
                event.ranks,
                event.threads,
                event.rows_in,
                event.rows_out,
                event.bytes_copied,
                event.peak_rss_bytes,
                event.phases,
                event.began,
                event.ended,
            )
        )

    # --- tasks

    def task_started(self, event: events.TaskStart) -> None:
        self._seen(event.info.launched)
        self._open[event.info.id] = event

    def task_ended(self, event: events.TaskEnd) -> None:
        if self._open.pop(event.info.id, None) is None:
            self._not_started += 1
        self._seen(event.info.launched)
        self._seen(event.info.finished)
        reason = event.reason.reason
        if event.info.killed or reason == "TaskKilled":
            state = TaskState.KILLED
        elif event.info.failed or reason not in ("Success", ""):
            state = TaskState.FAILED
        else:
            state = TaskState.SUCCESS
        if state != TaskState.SUCCESS:
            self._faults.task(event)
        if event.executor_metrics is not None:
            gc = event.executor_metrics
            self._gc_times = max(self._gc_times, gc.total_gc)
            self._gc_counts = max(self._gc_counts, gc.minor_gcs + gc.major_gcs + gc.concurrent_gcs)
            self._app.heap_peak = max(self._app.heap_peak, gc.heap)
        self._append(event, event.metrics or _NO_METRICS, state)

    def _append(self, event: events.TaskStart | events.TaskEnd, metrics: events.TaskMetrics, state: TaskState) -> None:
        info = event.info
        read, write = metrics.shuffle_read, metrics.shuffle_write
        row = (
            info.id, info.launched, info.finished, info.getting_result, metrics.cpu, write.time, metrics.input.read,
            metrics.input.records_read, metrics.output.written,
            read.remote_bytes + read.local_bytes, write.bytes, metrics.memory_spilled, metrics.disk_spilled,
            metrics.peak_memory,
            event.stage, info.index, _place(self._executor_places, info.executor), metrics.deserialize, metrics.run,
            metrics.gc, metrics.serialize, read.fetch_wait,
            _milliseconds(info.accumulables, _PYTHON_TIMES), _milliseconds(info.accumulables, _PYTHON_STARTS),
            event.stage_attempt, info.attempt, state, _place(self._locality_places, info.locality), info.speculative,
        )  # fmt: skip
        for (append, limit), value in zip(self._appends, row, strict=True):
            append(value if 0 <= value < limit else 0)
        self._stage(event.stage, event.stage_attempt)

    # --- the end

    def application(self, warnings: list[str]) -> Application:
        """What was collected; nothing may be added after."""
        app = self._app
        unfinished = len(self._open)
        for event in self._open.values():
            self._append(event, _NO_METRICS, TaskState.UNFINISHED)
        app.stages = [self._stages[key] for key in sorted(self._stages)]
        app.jobs = [self._jobs[key] for key in sorted(self._jobs)]
        app.executions = [self._executions[key] for key in sorted(self._executions)]
        app.executors = [self._executor(name) for name in self._executor_places] + [
            executor for name, executor in self._executors.items() if name not in self._executor_places
        ]
        app.localities = list(self._locality_places)
        # A short application's executors say nothing of it.
        app.gc_is_concurrent = (self._gc_times > 0 and self._gc_counts == 0) or asks_for_concurrent_gc(app)
        self._bound()
        app.tasks = self._tasks()
        for stage in app.stages:
            stage.job = self._job_of_stage.get(stage.id)
            stage.plan = self._plans.of((stage.id, stage.attempt))
            self._faults.stage(stage)
        app.faults = sorted(self._faults.found, key=lambda fault: fault.time)
        app.joins, app.scans, app.broadcasts = self.sizes.joins(), self.sizes.scans(), self.sizes.broadcasts()
        app.batches, app.operations = self.clients.batches, self.clients.operations()
        set_begins_and_ends(app)
        known = {"unfinished": unfinished, "not_started": self._not_started, "faults": self._faults.left_out}
        app.warnings = [*warnings, *lacks(app, self._ids, **known)]
        return app

    def _bound(self) -> None:
        """The time that the report counts."""
        app = self._app
        app.begin = app.started if app.started is not None else self._first or 0
        app.end = app.ended if app.ended is not None else max(self._last or 0, app.begin)
        app.end = max(app.end, app.begin)

    def _tasks(self) -> Tasks:
        """Sorted by launch, within the time of the application; a task that never ended ends with it."""
        app = self._app
        if not self._columns["launched"]:
            return Tasks.empty()
        self._appends.clear()
        # Taken one by one, so that no column is there twice for long.
        columns = {name: np.array(self._columns.pop(name), kind) for name, kind in TASK_COLUMNS.items()}
        finished = columns["finished"]
        finished[finished <= 0] = app.end
        columns["launched"] = np.clip(columns["launched"], app.begin, app.end)
        columns["finished"] = np.clip(finished, columns["launched"], app.end)
        native = [stage.id for stage in app.stages if NATIVE_STAGE.search(stage.name)] if app.calls else []
        columns["native"] = np.isin(columns["stage"], native).astype(np.int8)
        order = np.argsort(columns["launched"], kind="stable")
        columns = {name: columns.pop(name)[order] for name in list(columns)}
        # Zeros that nobody writes to take no memory.
        return Tasks({**columns, **{name: np.zeros(len(finished), np.int32) for name in SAMPLED}})

    def _seen(self, time: int) -> int | None:
        """A time of the log, which bounds what it tells of; None where it is none."""
        if not 0 < time < _MOST:
            return None
        self._first = time if self._first is None else min(self._first, time)
        self._last = time if self._last is None else max(self._last, time)
        return time

    def _stage(self, number: int, attempt: int) -> Stage:
        return self._stages.setdefault((number, attempt), Stage(number, attempt))

    def _executor(self, name: str) -> Executor:
        return self._executors.setdefault(name, Executor(name))


def _place(places: dict[str, int], name: str) -> int:
    return places.setdefault(name, len(places))


def _milliseconds(accumulables: list[events.AccumulableInfo], names: tuple[str, ...]) -> int:
    """What a task reports under these names."""
    total = 0
    for each in accumulables:
        if each.name in names:
            try:
                total += max(0, int(each.update))
            except (TypeError, ValueError):
                continue
    return total
