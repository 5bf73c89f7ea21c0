# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Advice on time in which no task runs, and on slots that are paid for and not used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..page.words import percent, seconds
from ..shares.parts import DRIVER_PARTS
from .advice import Advice

if TYPE_CHECKING:
    from ..report import Report

DRIVER_SHARE = 0.35
IDLE_SHARE = 0.4
LAZY_SHARE = 0.1
# What is not the driver's own doing: it waits for executors, or for their first.
_NOT_ITS_OWN = ("no_executors", "startup")


def driver(report: Report) -> Advice | None:
    """The driver works, or waits, while no task runs."""
    own = {part.key: report.share(part.key) for part in DRIVER_PARTS if part.key not in _NOT_ITS_OWN}
    share = sum(own.values())
    if share < DRIVER_SHARE:
        return None
    largest = max(own, key=lambda key: own[key])
    label = next(part.label for part in DRIVER_PARTS if part.key == largest)
    return Advice(
        "driver",
        "No task runs for much of the time",
        f"{percent(share)} of the wall time; the largest part is {label}, {seconds(own[largest] * report.wall_s)}",
        share * report.wall_s,
        "measured; how much of it can run beside tasks, a log does not say",
        "Do less in the driver: collect less, write fewer files, run jobs side by side in threads.",
    )


def no_executors(report: Report) -> Advice | None:
    """Jobs wait for executors."""
    share = report.share("no_executors")
    if share < 0.1:
        return None
    return Advice(
        "no_executors",
        "Jobs wait for executors",
        f"{percent(share)} of the wall time a job was open and no executor lived",
        share * report.wall_s,
        "measured",
        "Ask for fewer at once, keep idle ones longer, or look why they are lost.",
        {"spark.dynamicAllocation.executorIdleTimeout": "300s"} if is_dynamic(report) else {},
    )


def idle(report: Report) -> Advice | None:
    """Some executors do nearly nothing, while others work: more would only be paid for."""
    executors = [row for row in report.executors.to_pylist() if row["slot_s"]]
    lazy = [row for row in executors if row["busy_s"] < LAZY_SHARE * row["slot_s"]]
    there = sum(row["slot_s"] for row in executors)
    share = sum(row["slot_s"] for row in lazy) / there if there else 0.0
    if share < IDLE_SHARE or len(lazy) == len(executors):
        return None
    return Advice(
        "idle_slots",
        "Executors do nearly nothing",
        f"{len(lazy)} of {len(executors)} executors were busy for less than {percent(LAZY_SHARE)} of their time; they "
        f"have {percent(share)} of all slot time",
        None,
        "measured",
        "Fewer executors cost less; dynamic allocation gives back what is idle.",
        {"spark.dynamicAllocation.enabled": "true"} if not is_dynamic(report) else {},
    )


def is_dynamic(report: Report) -> bool:
    return report.application.settings.get("spark.dynamicAllocation.enabled", "false").lower() == "true"


RULES = (driver, no_executors, idle)
