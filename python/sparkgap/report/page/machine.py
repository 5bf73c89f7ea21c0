# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The page's strips of what the profiled hosts did over time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..shares.timeline import machine
from .areas import areas
from .words import clean

if TYPE_CHECKING:
    from ..application import Machine
    from ..report import Report

_MOST_HOSTS = 16
_MB, _GB = 1e6, 1e9
_NOTHING = 1e-3
# Name, unit, the parts from the bottom up with their colours, what divides a value, and what the top is: a column, or
# the largest value.
_STRIPS: tuple[tuple[str, str, dict[str, tuple[str, str]], float, str], ...] = (
    (
        "Processors, of all that runs here",
        "processors",
        {
            "user_s": ("cpu", "user"),
            "system_s": ("planning", "system"),
            "iowait_s": ("file_io", "idle, waiting for files"),
            "steal_s": ("run_queue", "taken by other machines (steal)"),
        },
        1.0,
        "cpus",
    ),
    (
        "Memory",
        "GB",
        {
            "processes": ("cpu", "processes"),
            "shared": ("native", "shared memory, also the store"),
            "page_cache": ("tail", "page cache"),
        },
        _GB,
        "memory",
    ),
    ("Memory of the control group", "GB", {"group_memory": ("cpu", "used, page cache too")}, _GB, "group_limit"),
    ("Held back by the control group's quota", "threads", {"throttled_s": ("run_queue", "could run")}, 1.0, ""),
    ("Disks", "MB/s", {"disk_read": ("cpu", "read"), "disk_written": ("shuffle_write", "written")}, _MB, ""),
    ("Network", "MB/s", {"received": ("fetch_wait", "received"), "sent": ("scheduler", "sent")}, _MB, ""),
    ("Pressure on processors", "of the time", {"cpu_pressure_s": ("run_queue", "some process waited")}, 1.0, "1"),
    ("Pressure on files", "of the time", {"io_pressure_s": ("file_io", "some process waited")}, 1.0, "1"),
    ("Pressure on memory", "of the time", {"memory_pressure_s": ("gc", "some process waited")}, 1.0, "1"),
)


def hosts(report: Report) -> dict[str, Any]:
    """What the template asks for."""
    found = [
        {"host": clean(host.host), "strips": list(_drawn(_values(report, host)))}
        for host in report.application.machines
    ]
    return {"machines": found[:_MOST_HOSTS], "more_machines": max(0, len(found) - _MOST_HOSTS)}


def _values(report: Report, host: Machine) -> dict[str, Any]:
    values = machine(report.application, host, report.clock)
    if {"memory", "available", "shared"} <= values.keys():
        values["processes"] = np.maximum(values["memory"] - values["available"] - values["shared"], 0.0)
    values["cpus"] = np.full(len(report.clock.edges) - 1, float(host.cpus))
    return values


def _drawn(values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for title, unit, parts, divisor, top in _STRIPS:
        own = [name for name in parts if name in values]
        if not own:
            continue
        heights = np.stack([values[name] for name in own], axis=1) / divisor
        largest = float(heights.sum(axis=1).max(initial=0.0))
        # A look comes a moment late now and then, and what it counts seems to have come in less time.
        most = 1.0 if top == "1" else float(values[top].max()) / divisor if top in values else largest
        largest = min(largest, most)
        colours = dict(parts[name] for name in own)
        yield {
            "title": title,
            "most": f"{100 * most:.0f} % {unit}" if top == "1" else f"{most:,.3g} {unit}",
            "largest": f"{100 * largest:.0f} %" if top == "1" else f"{largest:,.3g}",
            "is_empty": largest < _NOTHING,
            "kinds": list(colours.items()),
            "areas": [(key, colours[key], path) for key, path in areas(list(colours), heights / max(most, _NOTHING))],
        }
