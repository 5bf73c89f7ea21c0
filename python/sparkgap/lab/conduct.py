# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A study from its first run to its last: what is left out is said before, what was disturbed runs again."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ArgumentError
from . import study as studies
from .design import LeftOut, Run, plan
from .host import Host
from .results import Notebook
from .run import DIED, Laboratory

# Beyond this share of the machine's processors, used by others, a run is disturbed.
_HEAVY = 0.2
_AGAIN = {"tiny": 0, "small": 2, "full": 2}  # times; what a tiny study measures says nothing anyhow
_TIMEOUT_S = {"tiny": 300.0, "small": 1800.0, "full": 24 * 3600.0}
# A tiny run ends before it earns back what Java's second compiler costs.
_JAVA = {"tiny": ("-XX:TieredStopAtLevel=1",), "small": (), "full": ()}


@dataclass
class Progress:
    """How far a study is; `say` hears of it."""

    say: Callable[[str], None]
    total: int
    done: int = 0
    spent_s: float = 0.0

    def before(self, run: Run) -> None:
        levels = ", ".join(f"{name}={level}" for name, level in run.levels.items())
        left = ""
        if self.done:
            left = f"; about {_duration(self.spent_s / self.done * (self.total - self.done))} left"
        self.say(f"run {self.done + 1} of {self.total}: {run.workload}, {levels}{left}")

    def after(self, row: dict[str, Any], seconds: float) -> None:
        self.done += 1
        self.spent_s += seconds
        if row["state"] == "died":
            self.say(f"it died, which is a result too (what it printed is in {DIED}/): {row['why']}")


def conduct(study: str, scale: str, folder: Path, say: Callable[[str], None], *, resume: bool) -> Notebook:
    """Run a study, or what is left of it, into a folder.

    Parameters
    ----------
    study : str
        One that comes with sparkgap, or the path of a file.
    scale : str
        `tiny`, `small` or `full`.
    folder : Path
        Gets a file for each run, and `results.parquet`.
    say : callable
        Hears what is left out, and of each run before it begins.
    resume : bool
        Go on in a folder that an earlier call has left.

    Raises
    ------
    ArgumentError
        There is no such study or scale, or the folder is another's.
    DataError
        The study contradicts itself.
    """
    if scale not in studies.SCALES:
        raise ArgumentError.of("--scale", f"one of {', '.join(studies.SCALES)}", repr(scale), "Choose one.")
    name, text = studies.text_of(study)
    parsed, host = studies.parse(name, text), Host.here()
    notebook = Notebook(folder)
    notebook.begin(name, text, scale, host.describe(), resume=resume)
    with notebook.held():
        runs, left_out = plan(parsed, scale, host, shutil.disk_usage(folder).free)
        known = notebook.rows()
        for each in left_out:
            say(f"left out: {each.run.workload}, {_said(each)}: {each.why}")
            if not _has_run(known.get(each.run.key)):
                notebook.add(_row_of(each))
        again = _AGAIN[scale]
        todo = [run for run in runs if not _has_run(known.get(run.key), is_quiet=again > 0)]
        if resume and len(todo) < len(runs):
            say(f"{len(runs) - len(todo)} of {len(runs)} runs are there from before")
        laboratory = Laboratory(host, folder / "work", _TIMEOUT_S[scale], _JAVA[scale])
        laboratory.folder.mkdir(mode=0o700, exist_ok=True)
        try:
            _run_all(todo, laboratory, notebook, Progress(say, len(todo)), again)
        finally:
            notebook.write_table()
        shutil.rmtree(laboratory.folder)
    return notebook


def _has_run(row: dict[str, Any] | None, *, is_quiet: bool = False) -> bool:
    """Whether a run is there from before; with `is_quiet` beside no heavy load of others."""
    return row is not None and row["state"] in ("done", "died") and not (is_quiet and row.get("is_disturbed"))


def _run_all(runs: list[Run], laboratory: Laboratory, notebook: Notebook, progress: Progress, again: int) -> None:
    disturbed = _round(runs, laboratory, notebook, progress)
    for _ in range(again):
        if not disturbed:
            return
        progress.say(f"{len(disturbed)} runs were beside others' load, and are repeated")
        progress.total += len(disturbed)
        disturbed = _round(disturbed, laboratory, notebook, progress)


def _round(runs: list[Run], laboratory: Laboratory, notebook: Notebook, progress: Progress) -> list[Run]:
    """Those that were disturbed."""
    found = []
    for run in runs:
        progress.before(run)
        begin = time.monotonic()
        row = laboratory.run(run)
        row["others_share"] = _others(row, os.cpu_count() or 1)
        row["is_disturbed"] = row["others_share"] is not None and row["others_share"] > _HEAVY
        notebook.add(row)
        progress.after(row, time.monotonic() - begin)
        if row["is_disturbed"]:
            found.append(run)
    return found


def _others(row: dict[str, Any], n_cpus: int) -> float | None:
    """Of all processors, what processes that are not the run's used, and hypervisors took."""
    if "cpu_user_s" not in row:
        return None
    others = row["machine_busy_s"] - row["cpu_user_s"] - row["cpu_system_s"]
    return float(max(0.0, others) / (row["elapsed_s"] * n_cpus))


def _said(left_out: LeftOut) -> str:
    return ", ".join(f"{name}={level}" for name, level in left_out.run.levels.items())


def _row_of(left_out: LeftOut) -> dict[str, Any]:
    return {**left_out.run.identity(), "begun": 0.0, "state": "left out", "why": left_out.why}


def _duration(seconds: float) -> str:
    """
    Examples
    --------
    >>> _duration(50), _duration(200), _duration(9000)
    ('50 s', '3 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
