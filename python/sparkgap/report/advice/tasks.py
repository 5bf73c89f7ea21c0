# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Advice on how work is cut into tasks and given to slots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..page.words import percent, seconds
from .advice import LEAST_GAIN, Advice

if TYPE_CHECKING:
    from ..report import Report

SKEW = 4.0  # longest task beside the median
TINY_OVERHEAD = 0.25  # of the tasks' time that is scheduling, deserialization and serialization
TINY_WAVES = 20  # tasks for each slot
FEW_SHARE = 0.10
PENDING_SHARE = 0.05
LARGE_PARTITION, GOOD_PARTITION = 5_000_000_000, 250_000_000  # bytes; DataFlint warns from 5 GB on
QUEUE_SHARE = 0.10
_SKEW_SETTINGS = {
    "spark.sql.adaptive.skewJoin.skewedPartitionFactor": "2",
    "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes": "64m",
}
_REUSE = "spark.python.worker.reuse"
_LOCAL = ("PROCESS_LOCAL", "NO_PREF")


def skew(report: Report) -> Advice | None:
    """A few tasks take much longer than the others of their stage."""
    rows = [row for row in report.stages.to_pylist() if _is_skewed(row)]
    gain = sum(row["skew_s"] for row in rows)
    if gain < LEAST_GAIN * report.wall_s or not rows:
        return None
    worst = max(rows, key=lambda row: float(row["skew_s"]))
    sql = {job.id for job in report.application.jobs if job.execution is not None}
    return Advice(
        "skew",
        "Some tasks take much longer than others",
        f"stage {worst['stage']} has a task of {seconds(worst['longest_task_s'])}, the median is "
        f"{seconds(worst['median_task_s'])}",
        gain,
        f"inferred: a replay with no task beyond the median; it is {percent(worst['replay_error'])} off for this stage",
        "Spread the rows of large keys. Joins of SQL that are skewed are split by Spark: let it do so earlier.",
        _SKEW_SETTINGS if any(row["job"] in sql for row in rows) else {},
        tuple(row["stage"] for row in rows),
    )


def _is_skewed(row: dict[str, Any]) -> bool:
    longest, median = row["longest_task_s"], row["median_task_s"]
    return bool(row["skew_s"] and row["attempts"] > 2 and longest > SKEW * median and longest > 0.1)


def tiny(report: Report) -> Advice | None:
    """Tasks are so short that most of their time goes to starting them."""
    rows = []
    for row in report.stages.to_pylist():
        overhead = row["scheduler_s"] + row["deserialize_s"] + row["serialize_s"]
        whole = overhead + row["cpu_s"] + row["gc_s"] + row["off_cpu_s"] + row["fetch_wait_s"] + row["shuffle_write_s"]
        waves = row["attempts"] / (row["slots"] or 1)
        if whole and overhead / whole > TINY_OVERHEAD and waves >= TINY_WAVES:
            rows.append((row, overhead, 1 - 3 / waves))
    if sum(overhead * saved for _, overhead, saved in rows) < LEAST_GAIN * report.wall_s or not rows:
        return None
    # A task costs more than what Spark counts as starting it: its code, its iterators, a file or block of its own.
    gain = sum(row["wall_s"] * saved for row, _, saved in rows)
    worst, overhead, _ = max(rows, key=lambda each: each[1])
    return Advice(
        "tiny_tasks",
        "Tasks are tiny",
        f"stage {worst['stage']} has {worst['attempts']:,} tasks for {worst['slots']} slots, the median takes "
        f"{seconds(worst['median_task_s'])}; {seconds(overhead)} of its wall time goes to starting them",
        min(gain, report.wall_s),
        "bounded: three tasks for each slot, if all that a task takes is the price of its being one",
        "Fewer and so larger partitions.",
        {
            "spark.sql.shuffle.partitions": str(3 * worst["slots"]),
            "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
            "spark.sql.files.maxPartitionBytes": "512m",
        },
        tuple(row["stage"] for row, _, _ in rows),
    )


def too_few(report: Report) -> Advice | None:
    """Stages have fewer tasks than there are slots."""
    if report.share("too_few") < FEW_SHARE:
        return None
    pairs = zip(report.stages.to_pylist(), report.observed_by_stage, strict=True)
    rows = [
        (row, each) for row, each in pairs if each is not None and 0 < row["tasks"] < each.slots and not row["native_s"]
    ]
    if not rows:
        return None
    gain = sum(max(0.0, each.replayed - each.work / each.slots) / 1e3 for _, each in rows)
    slots = max(each.slots for _, each in rows)
    worst = max((row for row, _ in rows), key=lambda row: float(row["too_few_s"]))
    return Advice(
        "too_few_tasks",
        "Stages have fewer tasks than there are slots",
        f"{percent(report.share('too_few'))} of the wall time are slots without a task; stage {worst['stage']} has "
        f"{worst['tasks']} tasks for {slots} slots",
        min(gain, report.wall_s),
        "inferred: the same work spread evenly over all slots",
        "More partitions: 2 to 3 for each slot.",
        {"spark.sql.shuffle.partitions": str(3 * slots), "spark.default.parallelism": str(3 * slots)},
        tuple(row["stage"] for row, _ in rows),
    )


def large_partitions(report: Report) -> Advice | None:
    """A task takes more bytes than fit into the memory of one."""
    tasks = report.application.tasks
    whole = tasks["input_bytes"] + tasks["shuffle_read_bytes"]
    if not len(tasks) or int(whole.max()) <= LARGE_PARTITION:
        return None
    worst = int(whole.argmax())
    stage, most = int(tasks["stage"][worst]), int(whole[worst])
    is_shuffled = bool(tasks["shuffle_read_bytes"][worst] > tasks["input_bytes"][worst])
    partitions = sum(row["tasks"] for row in report.stages.to_pylist() if row["stage"] == stage)
    wanted = max(1, partitions) * -(-most // GOOD_PARTITION)
    return Advice(
        "large_partitions",
        "A partition is very large",
        f"a task of stage {stage} took {most / 1e9:,.1f} GB, of {partitions:,} tasks in all",
        None,
        "measured; such a task runs out of memory, or spills, where it has to hold what it reads",
        "More partitions." if is_shuffled else "More partitions: files that can be split (not gzip), or smaller ones.",
        {"spark.sql.shuffle.partitions": str(wanted)} if is_shuffled else {"spark.sql.files.maxPartitionBytes": "128m"},
        (stage,),
    )


def locality(report: Report) -> Advice | None:
    """Tasks wait for a place near their data though slots are free."""
    app = report.application
    local = [place for place, name in enumerate(app.localities) if name in _LOCAL]
    if report.share("pending") < PENDING_SHARE or not len(app.tasks):
        return None
    away = sum(1 for place in app.tasks["locality"].tolist() if place not in local)
    if not away or app.settings.get("spark.locality.wait") in ("0", "0s"):
        return None
    gain = report.share("pending") * report.wall_s
    return Advice(
        "locality_wait",
        "Tasks wait for a place near their data",
        f"{percent(report.share('pending'))} of the wall time tasks waited though slots were free; {away:,} of "
        f"{len(app.tasks):,} ran away from their data all the same",
        gain,
        "inferred: the scheduler may have had other reasons; reading from afar costs something, too",
        "Let tasks start anywhere at once.",
        {"spark.locality.wait": "0s"},
    )


def contention(report: Report) -> Advice | None:
    """Tasks wait for processors that others have."""
    if report.share("run_queue") < QUEUE_SHARE:
        return None
    stages = report.stages.to_pylist()
    gain = sum(max(0.0, row["without_run_queue_s"] or 0.0) for row in stages)
    return Advice(
        "cpu_contention",
        "Tasks wait for processors",
        f"{percent(report.share('run_queue'))} of the wall time tasks could have run, and others had the processors",
        min(gain, report.wall_s),
        "measured, by samples of the task threads",
        "Run fewer tasks at a time, or fewer other programs.",
    )


def python_start(report: Report) -> Advice | None:
    """Each task starts a Python worker of its own, although workers can be used again."""
    app = report.application
    if app.settings.get(_REUSE, "true").lower() != "false":
        return None
    started, run = float(app.tasks["python_start"].sum()) / 1e3, float(app.tasks["run"].sum()) / 1e3
    gain = started / max(1, sum(row["slots"] for row in report.executors.to_pylist()))
    if gain < LEAST_GAIN * report.wall_s or not run:
        return None
    return Advice(
        "python_start",
        "Each task starts a Python worker",
        f"{seconds(started)} of {seconds(run)} in which tasks ran ({percent(started / run)})",
        min(gain, report.wall_s),
        "bounded: the first worker of each slot has to start",
        "Let tasks use workers again.",
        {_REUSE: "true"},
    )


RULES = (skew, tiny, too_few, large_partitions, locality, contention, python_start)
