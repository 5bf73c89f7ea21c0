# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What figures and findings may be about: numbers of a row of results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..report.shares.parts import PARTS

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Metric:
    """`of` gives None where a row does not have it; few have it of a run that died."""

    label: str
    unit: str
    of: Callable[[Row], float | None]
    of_died: bool = False


def _column(name: str) -> Callable[[Row], float | None]:
    return lambda row: row.get(name)


def _sum(*names: str) -> Callable[[Row], float | None]:
    def of(row: Row) -> float | None:
        found = [row.get(name) for name in names]
        return None if any(each is None for each in found) else sum(found)  # type: ignore[arg-type]

    return of


def _throughput(row: Row) -> float | None:
    """Awan's data processed per second; of several instances N x data / time of the slowest (Anagnostakis)."""
    size, seconds = row.get("data_bytes"), row.get("work_s")
    return None if not size or not seconds else float(row["instances"] * size / seconds)


def _use(row: Row) -> float | None:
    """Of the processors that the run was given, the share that its processes used."""
    cpu, seconds = _sum("cpu_user_s", "cpu_system_s")(row), row.get("elapsed_s")
    return None if cpu is None or not seconds else float(cpu / (seconds * row["cpus"]))


def _overhead(row: Row) -> float | None:
    """Of native calls what is not the algorithm's, whose build of its own form of the data is."""
    whole = sum(value for name, value in row.items() if name.startswith("call_") and value)
    own = (row.get("call_compute_s") or 0.0) + (row.get("call_build_s") or 0.0)
    return float(1 - own / whole) if whole else None


def _first(*names: str) -> Callable[[Row], float | None]:
    return lambda row: next((row[name] for name in names if row.get(name) is not None), None)


def _steps(row: Row) -> float | None:
    """Of the ranks and of GraphX their computing; of OptSpark, and of its moves alone, all but the build."""
    parts = [row.get(f"part_{name}_s") for name in _OPTSPARK if name != "build"]
    if all(each is None for each in parts):
        return _COMPUTE(row)
    return float(sum(each or 0.0 for each in parts))


def _rest(row: Row) -> float | None:
    """Of the time of work, what is neither build nor compute."""
    known = [_BUILD(row), _COMPUTE(row)]
    return None if row.get("work_s") is None else float(row["work_s"] - sum(each or 0.0 for each in known))


_BUILD = _first("part_build_s", "call_build_s")
_COMPUTE = _first("part_spmv_s", "part_compute_s", "call_compute_s")  # OptSpark's, GraphX's, the ranks'
_CALL = {
    "read": "the call reads the table",
    "export": "the call copies rows out",
    "fetch": "the call fetches from other hosts",
    "render": "the call writes ids as text",
    "memory": "the call waits for memory",
    "launch": "the call starts ranks",
    "build": "ranks build the graph",
    "compute": "ranks compute",
    "write": "ranks write",
    "parse": "the call reads ids as text",
    "readback": "the call takes the result",
}
_OPTSPARK = {
    "build": "the matrix is built",
    "prepare": "the driver broadcasts",
    "read": "tasks read the vector",
    "spmv": "native products",
    "collect": "pieces are collected",
    "driver": "the driver computes",
}
METRICS = {
    "work_s": Metric("time of the work", "s", _column("work_s")),
    "wall_s": Metric("time of the application", "s", _column("wall_s")),
    "dps": Metric("data processed per second", "B/s", _throughput),
    "cpu_use": Metric("use of its processors", "share", _use),
    "cpu_s": Metric("CPU time", "s", _sum("cpu_user_s", "cpu_system_s")),
    "cpu_user_s": Metric("CPU time, user", "s", _column("cpu_user_s")),
    "cpu_system_s": Metric("CPU time, system", "s", _column("cpu_system_s")),
    "peak_bytes": Metric("memory at most", "B", _column("peak_bytes")),
    "cpu_share": Metric("tasks compute", "share", _column("share_cpu")),
    "gc_share": Metric("tasks stand still for collections", "share", _column("share_gc")),
    "gc_s": Metric("time of tasks in collections", "s", _column("seconds_gc")),
    "collector_s": Metric("CPU time of collectors", "s", _column("collector_s")),
    "file_io_share": Metric("tasks wait for files", "share", _column("share_file_io")),
    "file_io_s": Metric("time of tasks waiting for files", "s", _column("seconds_file_io")),
    "run_queue_share": Metric("tasks wait for processors", "share", _column("share_run_queue")),
    "wait_share": Metric("tasks wait", "share", _sum("share_run_queue", "share_file_io", "share_other_wait")),
    "shuffle_share": Metric("tasks shuffle", "share", _sum("share_fetch_wait", "share_shuffle_write")),
    "overhead_share": Metric("native calls but for build and compute", "share", _overhead),
    "steps_s": Metric("time of all iterations", "s", _steps),
    "build_s": Metric("build", "s", _BUILD),
    "compute_s": Metric("compute", "s", _COMPUTE),
    "rest_s": Metric("all else", "s", _rest),
    **{f"call_{name}_s": Metric(label, "s", _column(f"call_{name}_s")) for name, label in _CALL.items()},
    **{f"part_{name}_s": Metric(label, "s", _column(f"part_{name}_s")) for name, label in _OPTSPARK.items()},
    **{f"seconds_{part.key}": Metric(part.label, "s", _column(f"seconds_{part.key}")) for part in PARTS},
    "dollars": Metric("price of the result", "USD", _column("dollars")),
    "ended": Metric("runs that end", "share", lambda row: float(row["state"] == "done"), of_died=True),
}
