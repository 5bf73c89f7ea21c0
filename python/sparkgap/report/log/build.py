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
    Batch,
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
from .lineage import Lineage
from .plan_sizes import PlanSizes
from .plans import Plans

_PYTHON_STARTS = ("time to start Python workers", "time to initialize Python workers")
_PYTHON_TIMES = (*_PYTHON_STARTS, "time to run Python workers")
_NO_METRICS = events.TaskMetrics()
_MOST = 2**62
CONCURRENT_GC = (
    "The collector works beside the application (ZGC or Shenandoah), and Spark counts that work as GC time; it is no"
    " pause, and is left out."
)
_OPTION = re.compile(r"-XX:\+Use(ZGC|ShenandoahGC)\b")
_LIMITS = {"q": _MOST, "i": 2**31, "h": 2**15}
_MOST_NAMES = 5
_PLACE_OF_TASK = ("stage", "stage_attempt", "index")


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
        app.gc_is_concurrent = (self._gc_times > 0 and self._gc_counts == 0) or _asks_for_concurrent(app)
        self._bound()
        app.tasks = self._tasks()
        for stage in app.stages:
            stage.job = self._job_of_stage.get(stage.id)
            stage.plan = self._plans.of((stage.id, stage.attempt))
            self._faults.stage(stage)
        app.faults = sorted(self._faults.found, key=lambda fault: fault.time)
        app.joins, app.scans, app.broadcasts = self.sizes.joins(), self.sizes.scans(), self.sizes.broadcasts()
        app.batches, app.operations = self.clients.batches, self.clients.operations()
        self._begins_and_ends()
        app.warnings = [*warnings, *self._warnings(unfinished)]
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

    def _begins_and_ends(self) -> None:
        app, tasks = self._app, self._app.tasks
        first, last = _bounds(tasks)
        for stage in app.stages:
            begin, end = first.get(stage.key), last.get(stage.key)
            known = stage.submitted if stage.submitted is not None else begin
            stage.begin = _within(app, known if known is not None else app.end)
            # Without a completion, it is open to its last task; where it has none, to the end.
            known = stage.completed if stage.completed is not None else end if end is not None else app.end
            stage.end = max(stage.begin, _within(app, known))
        for job in app.jobs:
            numbers = set(job.stages)
            own = [stage for stage in app.stages if stage.id in numbers]
            known = job.submitted if job.submitted is not None else min((s.begin for s in own), default=app.begin)
            job.begin = _within(app, known)
            job.end = max(job.begin, _within(app, job.completed if job.completed is not None else app.end))
        spans: list[Call | Batch] = [*app.calls, *app.batches]
        for each in spans:
            each.begin = _within(app, each.begin)
            each.end = max(each.begin, _within(app, each.end))
        for operation in app.operations:
            ends = (operation.closed, operation.finished)
            end = next((time for time in ends if time is not None), app.end)
            operation.begin = _within(app, operation.started if operation.started is not None else end)
            operation.end = max(operation.begin, _within(app, end))
        for fault in app.faults:
            fault.time = _within(app, fault.time)
        for execution in app.executions:
            own_jobs = [job for job in app.jobs if job.execution == execution.id]
            known = execution.started
            known = known if known is not None else min((job.begin for job in own_jobs), default=app.begin)
            execution.begin = _within(app, known)
            execution.end = max(
                execution.begin, _within(app, execution.ended if execution.ended is not None else app.end)
            )

    def _warnings(self, unfinished: int) -> list[str]:
        app, found = self._app, []
        if len(self._ids) > 1:
            names = ", ".join(sorted(self._ids)[:_MOST_NAMES])
            found.append(f"The log tells of several applications ({names}); they are counted as one.")
        if app.started is None:
            found.append("The start of the application is missing: time is counted from the first event.")
        if app.ended is None:
            found.append("The end of the application is missing: time is counted to the last event.")
        if unfinished:
            found.append(f"{unfinished} tasks have no end in the log; their time counts as lost work.")
        if self._faults.left_out:
            found.append(f"{self._faults.left_out} faults more than those that are named here.")
        done = {job.id for job in app.jobs if job.submitted is None}
        if done:
            found.append(f"The start of {len(done)} jobs is missing: events were dropped.")
        missing = self._missing_tasks()
        if missing or self._not_started:
            n = missing + self._not_started
            found.append(f"Events of {n} tasks were dropped: shares of running time are too small.")
        if app.gc_is_concurrent:
            found.append(CONCURRENT_GC)
        if any(executor.cores is None for executor in app.executors):
            found.append("The cores of an executor are not in the log: its slots are those that were seen busy.")
        return found

    def _missing_tasks(self) -> int:
        """Of stages that completed, tasks without an end."""
        tasks = self._app.tasks
        ended = Tasks({name: tasks[name][tasks["state"] == TaskState.SUCCESS] for name in _PLACE_OF_TASK})
        good = ended.firsts() if len(ended["stage"]) else np.zeros(0, np.int64)
        keys, counts = np.unique(ended.stage_key[good], return_counts=True)
        seen = dict(zip(keys.tolist(), counts.tolist(), strict=True))
        return sum(
            max(0, stage.n_tasks - seen.get(stage.key, 0))
            for stage in self._app.stages
            if stage.completed is not None and stage.failure is None and stage.attempt == 0
        )

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


def _asks_for_concurrent(app: Application) -> bool:
    """Whether the JVMs in which tasks run are told to take a collector that works beside them."""
    keys = (f"spark.{app.side}.{kind}JavaOptions" for kind in ("default", "extra"))
    return any(_OPTION.search(app.settings.get(key, "")) for key in keys)


def _place(places: dict[str, int], name: str) -> int:
    return places.setdefault(name, len(places))


def _within(app: Application, time: int) -> int:
    return min(max(time, app.begin), app.end)


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


def _bounds(tasks: Tasks) -> tuple[dict[int, int], dict[int, int]]:
    """First launch and last end of each stage's tasks."""
    keys, place = np.unique(tasks.stage_key, return_inverse=True)
    first, last = np.full(len(keys), _MOST), np.zeros(len(keys), np.int64)
    np.minimum.at(first, place, tasks["launched"])
    np.maximum.at(last, place, tasks["finished"])
    return dict(zip(keys.tolist(), first.tolist(), strict=True)), dict(zip(keys.tolist(), last.tolist(), strict=True))
