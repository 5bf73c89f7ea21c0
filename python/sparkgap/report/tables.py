# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The numbers of a report as tables of Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from .application import PROCESSOR_KINDS, Application, TaskState
from .shares.clock import slots_of
from .shares.critical_path import Link
from .shares.parts import PARTS, TASK_PARTS
from .shares.replay import COMPONENTS, Observed
from .shares.wall import Shares, Wall

_MS = 1e3
_OF_A_JVM = ("executor", "collector")
_SUMS = (
    "input_bytes", "input_records", "output_bytes", "shuffle_read_bytes", "shuffle_write_bytes", "memory_spilled",
    "disk_spilled",
)  # fmt: skip


def breakdown(shares: Shares) -> pa.Table:
    """The parts of the application, also those that have nothing."""
    return pa.table(
        {
            "part": [part.key for part in PARTS],
            "label": [part.label for part in PARTS],
            "certainty": [part.certainty.value for part in PARTS],
            "group": [part.group for part in PARTS],
            "seconds": [shares.parts[part.key] / _MS for part in PARTS],
            "share": [shares.share(part.key) for part in PARTS],
        }
    )


def stages(app: Application, shares: Sequence[Shares], observed: Sequence[Observed], wall: Wall) -> pa.Table:
    by_key = {(each.stage, each.attempt): each for each in observed}
    rows, durations = [], app.tasks.duration / _MS
    for stage, own in zip(app.stages, shares, strict=True):
        own_rows = wall.rows(stage.id, stage.attempt)
        state, duration = app.tasks["state"][own_rows], durations[own_rows]
        replay = by_key.get((stage.id, stage.attempt))
        rows.append(
            {
                "stage": stage.id,
                "attempt": stage.attempt,
                "job": stage.job,
                "name": stage.name,
                "plan": stage.plan,
                "failure": stage.failure,
                **_window(app, own),
                "tasks": stage.n_tasks,
                "attempts": len(own_rows),
                "lost_attempts": int((state != TaskState.SUCCESS).sum()),
                "median_task_s": float(np.median(duration)) if len(own_rows) else None,
                "longest_task_s": float(duration.max()) if len(own_rows) else None,
                **{name: int(app.tasks[name][own_rows].sum()) for name in _SUMS},
                "python_s": float(app.tasks["python"][own_rows].sum()) / _MS,
                "slots": replay and replay.slots,
                "replay_error": replay and replay.error,
                "skew_s": replay and replay.skew / _MS,
                **{f"without_{key}_s": replay and replay.without[key] / _MS for key in COMPONENTS},
            }
        )
    return pa.Table.from_pylist(rows, _schema("stage", "attempt", "job", "name", "plan", "failure", stage=True))


def jobs(app: Application, shares: Sequence[Shares]) -> pa.Table:
    rows = [
        {
            "job": job.id,
            "execution": job.execution,
            "description": job.description,
            "group_id": job.group,
            "succeeded": job.succeeded,
            "stages": job.stages,
            **_window(app, own),
        }
        for job, own in zip(app.jobs, shares, strict=True)
    ]
    return pa.Table.from_pylist(rows, _schema("job", "execution", "description", "group_id", "succeeded", "stages"))


def executions(app: Application, shares: Sequence[Shares]) -> pa.Table:
    jobs_of: dict[int, list[int]] = {}
    for job in app.jobs:
        if job.execution is not None:
            jobs_of.setdefault(job.execution, []).append(job.id)
    rows = [
        {
            "execution": each.id,
            "description": each.description,
            "error": each.error,
            "jobs": jobs_of.get(each.id, []),
            **_window(app, own),
        }
        for each, own in zip(app.executions, shares, strict=True)
    ]
    return pa.Table.from_pylist(rows, _schema("execution", "description", "error", "jobs"))


def calls(app: Application) -> pa.Table:
    rows = [
        {
            "kernel": call.kernel,
            "engine": call.engine,
            "failed": call.failed,
            **_span(app, call),
            **{name: getattr(call, name) for name in _CALL_COUNTS},
            "phases": list(call.phases.items()),
        }
        for call in app.calls
    ]
    fields = [("kernel", pa.string()), ("engine", pa.string()), ("failed", pa.bool_())]
    fields += [*_SPAN.items(), *((name, pa.int64()) for name in _CALL_COUNTS)]
    return pa.Table.from_pylist(rows, pa.schema([*fields, ("phases", _PHASES)]))


def critical_path(app: Application, path: Sequence[Link]) -> pa.Table:
    places = pa.array([link.task for link in path], pa.int64())
    columns = {name: pa.array(app.tasks[name], pa.int64()).take(places) for name in ("task_id", "stage")}
    begins = [(link.begin - app.begin) / _MS for link in path]
    walls = [(link.end - link.begin) / _MS for link in path]
    kinds = {"begin_s": pa.array(begins, pa.float64()), "wall_s": pa.array(walls, pa.float64())}
    return pa.table({**kinds, **columns})


def faults(app: Application) -> pa.Table:
    rows = [
        {
            "at_s": (fault.time - app.begin) / _MS,
            "kind": fault.kind,
            "what": fault.what,
            "executor": fault.executor or None,
            "stage": fault.stage and fault.stage[0],
            "attempt": fault.stage and fault.stage[1],
        }
        for fault in app.faults
    ]
    return pa.Table.from_pylist(rows, _FAULT)


def batches(app: Application) -> pa.Table:
    rows = [
        {
            "query": batch.query,
            "batch": batch.id,
            **_span(app, batch),
            "rows": batch.rows,
            "phases": list(batch.phases.items()),
        }
        for batch in app.batches
    ]
    return pa.Table.from_pylist(rows, _BATCH)


def operations(app: Application) -> pa.Table:
    def after(begin: int | None, end: int | None) -> float | None:
        return None if begin is None or end is None else max(0, end - begin) / _MS

    rows = [
        {
            "operation": each.id,
            "user": each.user,
            "tags": each.tags,
            "statement": each.statement,
            "outcome": each.outcome,
            **_span(app, each),
            "analysis_s": after(each.started, each.analyzed),
            "planning_s": after(each.analyzed, each.ready),
            "execution_s": after(each.ready, each.finished),
            "fetch_s": after(each.finished, each.closed),
            "jobs": each.jobs,
        }
        for each in app.operations
    ]
    return pa.Table.from_pylist(rows, _OPERATION)


def executors(app: Application, times: Any) -> pa.Table:
    """Busy seconds are those of task attempts, summed; slot seconds are what its slots were there for."""
    tasks, rows = app.tasks, []
    keys = [part.key for part in TASK_PARTS]
    for place, (executor, slots) in enumerate(zip(app.executors, slots_of(app), strict=True)):
        own = tasks["executor"] == place
        begin = min(max(executor.added if executor.added is not None else app.begin, app.begin), app.end)
        end = min(max(executor.removed if executor.removed is not None else app.end, begin), app.end)
        rows.append(
            {
                "executor": executor.id,
                "host": executor.host,
                "cores": executor.cores,
                "slots": slots,
                "begin_s": (begin - app.begin) / _MS,
                "end_s": (end - app.begin) / _MS,
                "removed": executor.removed is not None,
                "reason": executor.reason,
                "attempts": int(own.sum()),
                "slot_s": slots * (end - begin) / _MS,
                "busy_s": float(tasks.duration[own].sum()) / _MS,
                **{f"{key}_s": float(times[own, i].sum()) / _MS for i, key in enumerate(keys)},
            }
        )
    named = ("executor", "host", "cores", "slots", "begin_s", "end_s", "removed", "reason", "attempts", "slot_s")
    kinds = {"executor": pa.string(), "host": pa.string(), "removed": pa.bool_(), "reason": pa.string()}
    kinds |= {name: pa.float64() for name in ("begin_s", "end_s", "slot_s")}
    fields = [(name, kinds.get(name, pa.int64())) for name in named]
    return pa.Table.from_pylist(rows, pa.schema([*fields, *((f"{k}_s", pa.float64()) for k in ("busy", *keys))]))


def processors(app: Application) -> pa.Table:
    kinds = {f"{kind}_s": [each.total(kind) for each in app.processors] for kind in PROCESSOR_KINDS}
    names = {key: pa.array([getattr(each, key) for each in app.processors], pa.string()) for key in _OF_A_JVM}
    return pa.table({**names, **{key: pa.array(seconds, pa.float64()) for key, seconds in kinds.items()}})


def machine(app: Application) -> pa.Table:
    hosts = [
        pa.table({
            "host": pa.array([host.host] * len(host.times), pa.string()),
            "at_s": pa.array((host.times - app.begin) / _MS, pa.float64()),
            **host.columns,
        })
        for host in app.machines
    ]  # fmt: skip
    empty = pa.schema([("host", pa.string()), ("at_s", pa.float64())]).empty_table()
    return pa.concat_tables([*hosts, empty], promote_options="default").combine_chunks()


def stacks(app: Application) -> pa.Table:
    """Samples of the same stack in the same stage together, the most first."""
    kinds = [("task", pa.bool_()), ("stage", pa.int64()), ("attempt", pa.int64()), ("samples", pa.int64())]
    schema = pa.schema([*kinds, ("frames", pa.list_(pa.string()))])
    if app.stacks is None:
        return schema.empty_table()
    found = app.stacks
    keys, which = np.unique(np.stack([found.task, found.stage, found.stack]), axis=1, return_inverse=True)
    counts = np.bincount(which.ravel(), weights=found.n).astype(np.int64)
    rows = []
    for at in np.argsort(-counts, kind="stable").tolist():
        task, stage, stack = keys[:, at].tolist()
        place = app.stages[stage] if stage >= 0 else None
        rows.append(
            {
                "task": bool(task),
                "stage": place.id if place else None,
                "attempt": place.attempt if place else None,
                "samples": int(counts[at]),
                "frames": [found.frames[frame] for frame in found.stacks[stack]],
            }
        )
    return pa.Table.from_pylist(rows, schema)


def collections(app: Application) -> pa.Table:
    found = sorted(app.collections, key=lambda each: each.at)
    return pa.table(
        {
            "at_s": pa.array([(each.at - app.begin) / _MS for each in found], pa.float64()),
            "executor": pa.array([each.executor for each in found], pa.string()),
            "collector": pa.array([each.collector for each in found], pa.string()),
            "cause": pa.array([each.cause for each in found], pa.string()),
            "pause_s": pa.array([each.pause / _MS for each in found], pa.float64()),
            "longest_pause_s": pa.array([each.longest / _MS for each in found], pa.float64()),
        }
    )


def heaps(app: Application) -> pa.Table:
    found = sorted(app.heaps, key=lambda each: each.at)
    return pa.table(
        {
            "at_s": pa.array([(each.at - app.begin) / _MS for each in found], pa.float64()),
            "executor": pa.array([each.executor for each in found], pa.string()),
            "used_bytes": pa.array([each.used for each in found], pa.int64()),
            "committed_bytes": pa.array([each.committed for each in found], pa.int64()),
            "most_bytes": pa.array([each.most for each in found], pa.int64()),
        }
    )


def tasks(app: Application, times: Any) -> pa.Table:
    given = app.tasks
    names = [executor.id for executor in app.executors]
    columns: dict[str, Any] = {name: given[name] for name in ("task_id", "stage", "stage_attempt", "index", "attempt")}
    columns["executor"] = _named(given["executor"], names)
    columns["state"] = _named(given["state"], [state.name.lower() for state in TaskState])
    columns["locality"] = _named(given["locality"], app.localities)
    columns["speculative"] = given["speculative"] != 0
    columns["begin_s"] = (given["launched"] - app.begin) / _MS
    columns["wall_s"] = given.duration / _MS
    columns |= {name: given[name] for name in (*_SUMS, "peak_memory")}
    columns["python_s"] = given["python"] / _MS
    columns |= {f"{part.key}_s": times[:, i] / _MS for i, part in enumerate(TASK_PARTS)}
    return pa.table(columns)


def _named(places: Any, names: Sequence[str]) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(places, pa.int32()), pa.array(names, pa.string()))


def _span(app: Application, each: Any) -> dict[str, float]:
    return {"begin_s": (each.begin - app.begin) / _MS, "wall_s": (each.end - each.begin) / _MS}


def _window(app: Application, shares: Shares) -> dict[str, Any]:
    return {
        "begin_s": (shares.begin - app.begin) / _MS,
        "wall_s": shares.wall / _MS,
        **{f"{key}_s": milliseconds / _MS for key, milliseconds in shares.parts.items()},
    }


_SPAN = {"begin_s": pa.float64(), "wall_s": pa.float64()}
_PHASES = pa.map_(pa.string(), pa.float64())
_FAULT = pa.schema(
    {
        "at_s": pa.float64(),
        **dict.fromkeys(("kind", "what", "executor"), pa.string()),
        **dict.fromkeys(("stage", "attempt"), pa.int64()),
    }
)
_BATCH = pa.schema({"query": pa.string(), "batch": pa.int64(), **_SPAN, "rows": pa.int64(), "phases": _PHASES})
_OPERATION = pa.schema(
    {
        "operation": pa.string(),
        "user": pa.string(),
        "tags": pa.list_(pa.string()),
        "statement": pa.string(),
        "outcome": pa.string(),
        **_SPAN,
        **{f"{name}_s": pa.float64() for name in ("analysis", "planning", "execution", "fetch")},
        "jobs": pa.list_(pa.int64()),
    }
)
_CALL_COUNTS = ("ranks", "threads", "rows_in", "rows_out", "bytes_copied", "peak_rss_bytes")
_KINDS = {
    "name": pa.string(), "plan": pa.list_(pa.string()), "failure": pa.string(), "description": pa.string(),
    "group_id": pa.string(), "error": pa.string(), "succeeded": pa.bool_(), "stages": pa.list_(pa.int64()),
    "jobs": pa.list_(pa.int64()),
}  # fmt: skip


def _schema(*first: str, stage: bool = False) -> pa.Schema:
    fields = [(name, _KINDS.get(name, pa.int64())) for name in first]
    fields += [(name, pa.float64()) for name in ("begin_s", "wall_s", *(f"{part.key}_s" for part in PARTS))]
    if stage:
        fields += [(name, pa.int64()) for name in ("tasks", "attempts", "lost_attempts")]
        fields += [(name, pa.float64()) for name in ("median_task_s", "longest_task_s")]
        fields += [(name, pa.int64()) for name in _SUMS]
        fields += [("python_s", pa.float64()), ("slots", pa.int64())]
        fields += [(name, pa.float64()) for name in ("replay_error", "skew_s")]
        fields += [(f"without_{key}_s", pa.float64()) for key in COMPONENTS]
    return pa.schema(fields)
