# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Advice on garbage collection and on data that does not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..page.words import percent, seconds
from .advice import Advice

if TYPE_CHECKING:
    from ..report import Report

GC_SHARE = 0.10  # of the time that tasks run; Dr. Elephant warns from 8 to 20 %
# How options begin that Spark gives each JVM of itself, by all its versions; the setting has them in every log.
_OF_SPARK = (
    "--add-modules=jdk.incubator.",
    "--add-opens=java.",
    "--enable-native-access=",
    "--sun-misc-unsafe-memory-access=",
    "-Dio.netty.",
    "-Djava.net.preferIPv6Addresses=",
    "-Djdk.reflect.useDirectMethodHandle=",
    "-XX:+IgnoreUnrecognizedVMOptions",
)


def gc(report: Report) -> Advice | None:
    """Collections take much of the tasks' time."""
    app = report.application
    collected, run = float(app.tasks["gc"].sum()), float(app.tasks["run"].sum())
    if app.gc_is_concurrent or not run or collected / run < GC_SHARE:
        return None
    stages = report.stages.to_pylist()
    gain = sum(max(0.0, row["without_gc_s"] or 0.0) for row in stages)
    side = "driver" if app.settings.get("spark.master", "").startswith("local") else "executor"
    options = app.settings.get(f"spark.{side}.extraJavaOptions", "").split()
    # The user's own are not copied from a log into settings: options can name programs to run.
    is_plain = all(option.startswith(_OF_SPARK) for option in options)
    settings = {f"spark.{side}.extraJavaOptions": "-XX:+UseParallelGC"} if is_plain else {}
    return Advice(
        "gc",
        "Garbage collection is high",
        f"{seconds(collected / 1e3)} of {seconds(run / 1e3)} in which tasks ran ({percent(collected / run)})",
        min(gain, report.wall_s),
        "bounded: Spark counts a pause in each task that it stops",
        f"Give spark.{side}.memory more, keep cached tables in sparkgap's store, or try the parallel collector.",
        settings,
        tuple(row["stage"] for row in stages if (row["without_gc_s"] or 0) > 0.1 * row["wall_s"] > 0),
    )


def spill(report: Report) -> Advice | None:
    """Data went to disk because it did not fit into the memory of a task."""
    rows = [row for row in report.stages.to_pylist() if row["disk_spilled"] > 0]
    if not rows:
        return None
    spilled = sum(row["disk_spilled"] for row in rows)
    tasks = max(row["tasks"] for row in rows)
    gain = sum(max(0.0, row["without_off_cpu_s"] or 0.0) for row in rows)
    return Advice(
        "spill",
        "Data does not fit into the memory of tasks",
        f"{spilled / 1e6:,.0f} MB were spilled to disk by {len(rows)} stages",
        min(gain, report.wall_s),
        "bounded: the time off the CPU of these stages, of which spilling is a part",
        "More and so smaller partitions, or more memory.",
        {"spark.sql.shuffle.partitions": str(2 * max(tasks, 1))},
        tuple(row["stage"] for row in rows),
    )


RULES = (gc, spill)
