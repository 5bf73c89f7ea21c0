# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A small design on the user's own application: what each level of a few factors gains, and all of them together.

One factor at a time is changed from the application as it is, in rounds in turn; what is faster is tried together once
more. So a handful of runs find what a full design would need hundreds for, and what levels do to each other is not
left to guesses: the settings that come out have run.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, LaunchError
from ..report.advice.advice import FIRST_LINE
from ..report.compare.difference import FEWEST_RUNS, Difference, Verdict, differ
from .design import Run, lacks
from .host import Host
from .own import NAME, OwnApplication
from .results import Notebook
from .run import Laboratory
from .sizes import bytes_of

_HEAP, _JAVA = "spark.driver.memory", "spark.driver.extraJavaOptions"
_LEAST_HEAP = 512 << 20
_TIMEOUT_S = 24 * 3600.0


@dataclass
class Candidate:
    """Levels that differ from the application as it is, the rows of its runs, and what it gains."""

    name: str
    levels: dict[str, Any]
    rows: list[dict[str, Any]] = field(default_factory=list)
    gain: Difference | None = None

    @property
    def died(self) -> str | None:
        """Why, where a run did."""
        return next((row["why"] for row in self.rows if row["state"] == "died"), None)

    @property
    def is_faster(self) -> bool:
        return self.gain is not None and self.gain.verdict is Verdict.MORE

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        gain = self.gain
        return {
            "name": self.name,
            "levels": self.levels,
            "verdict": self.verdict,
            "runs_s": [row.get("work_s") for row in self.rows],
            "gain_s": None if gain is None else gain.difference,
            "low_s": None if gain is None else gain.low,
            "high_s": None if gain is None else gain.high,
            "died": self.died,
        }

    @property
    def verdict(self) -> str:
        """For people."""
        if self.died is not None:
            return "died"
        if self.gain is None:
            return "as it is"
        return {Verdict.MORE: "faster", Verdict.LESS: "slower"}.get(self.gain.verdict, self.gain.verdict.value)


@dataclass
class Found:
    """All that was tried; `winner` is what is proven faster, or None. `settings` are those of the winner."""

    before: Candidate
    candidates: list[Candidate]
    left_out: list[tuple[str, str]]
    together: Candidate | None
    winner: Candidate | None
    settings: dict[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """All of it, for machines."""
        return {
            "version": 1,
            "before": self.before.as_json(),
            "candidates": [each.as_json() for each in self.candidates],
            "together": None if self.together is None else self.together.as_json(),
            "left_out": [{"name": name, "why": why} for name, why in self.left_out],
            "winner": None if self.winner is None else self.winner.name,
            "settings": self.settings,
        }

    def properties(self) -> str:
        """The winner as a file for `spark-submit --properties-file`, each setting with what was measured."""
        if self.winner is None or self.winner.gain is None:
            return f"{FIRST_LINE}\n# Nothing that was tried is proven faster.\n"
        gain = self.winner.gain
        reason = f"# {self.winner.name}: {gain.second:.2f} s in place of {gain.first:.2f} s (medians)."
        return "\n".join([FIRST_LINE, reason, *(f"{key} {value}" for key, value in self.settings.items()), ""])


def candidates(own: OwnApplication, host: Host) -> tuple[list[Candidate], list[tuple[str, str]]]:
    """The default design: collector, heap, cores, cache and affinity; and what of it is left out, and why."""
    heap = bytes_of(own.setting(_HEAP, "1g"))
    tried: list[tuple[str, Any]] = [("heap", f"{2 * heap >> 20}m")]
    left_out = []
    if "GC" in own.setting(_JAVA, ""):
        left_out.append(("collector", "the application names its own"))
    else:
        tried = [("collector", "Parallel"), ("collector", "G1"), *tried, ("collector", "ZGC")]
    tried += [("cache", "store"), ("affinity", "core")]
    if len(host.cpus) > 1:
        tried.append(("cores", len(host.cpus) // 2))
    if heap // 2 >= _LEAST_HEAP:
        tried.append(("heap", f"{heap // 2 >> 20}m"))
    found = []
    for name, level in tried:
        candidate = Candidate(f"{name}={level}", {name: level})
        why = lacks(_run(own, candidate, 0), host, 1 << 62)
        if why is None:
            found.append(candidate)
        else:
            left_out.append((candidate.name, why))
    return found, left_out


@dataclass
class _Runs:
    """Runs of one application, and those that an earlier call has left."""

    own: OwnApplication
    laboratory: Laboratory
    notebook: Notebook
    before: dict[str, dict[str, Any]]
    say: Callable[[str], None]

    def rounds(self, kinds: list[Candidate]) -> None:
        """Each kind once a round, beginning with another one each time; then what the others gain over the first."""
        for number in range(1, FEWEST_RUNS + 1):
            at = number % len(kinds)
            for each in kinds[at:] + kinds[:at]:
                if each.died is None:
                    self.measured(each, number, f"round {number} of {FEWEST_RUNS}: {each.name}")
        first = [row["work_s"] for row in kinds[0].rows if row["state"] == "done"]
        for each in kinds[1:]:
            if each.died is None and first:
                each.gain = differ(first, [row["work_s"] for row in each.rows])

    def measured(self, candidate: Candidate, number: int, what: str) -> dict[str, Any]:
        key = f"{candidate.name}-{number}".replace("/", "_").replace(" ", "_")
        row = self.before.get(key)
        if row is None:
            self.say(what)
            row = {**self.laboratory.run(_run(self.own, candidate, number)), "key": key}
            self.notebook.add(row)
        candidate.rows.append(row)
        return row


def mine(
    command: Sequence[str], minutes: float, folder: Path, say: Callable[[str], None], *, resume: bool = False
) -> Found:
    """Try the default design on an application, for about so many minutes.

    Parameters
    ----------
    command : sequence of str
        A program and its words, which can run again and again.
    minutes : float
        Bounds how many candidates there are: each needs three runs at least.
    folder : Path
        New or empty; gets a file for each run, and `results.parquet`.
    say : callable
        Hears of each run before it begins.
    resume : bool
        Go on in a folder that an earlier call with the same command and minutes has left.

    Raises
    ------
    ArgumentError
        There is no such program, its Spark is not all on this machine, or the folder is another's.
    LaunchError
        The application dies as it is.
    """
    if not minutes > 0:
        raise ArgumentError.of("--minutes", "a number above 0", str(minutes), "Choose one.")
    own, host = OwnApplication.of(command, "lab mine"), Host.here()
    tried, left_out = candidates(own, host)
    notebook = Notebook(folder)
    notebook.begin("mine", json.dumps([minutes, *map(str, command)]), "small", host.describe(), resume=resume)
    with notebook.held():
        before = notebook.rows()
        if before:
            say(f"{len(before)} runs are there from before")
        laboratory = Laboratory(host, folder / "work", _TIMEOUT_S)
        laboratory.folder.mkdir(mode=0o700, exist_ok=True)
        found = _find(_Runs(own, laboratory, notebook, before, say), minutes, tried, left_out)
        notebook.write_table()
        shutil.rmtree(laboratory.folder)
    if found.winner is not None:
        run = _run(own, found.winner, 0)
        found.settings = own.started(run.levels, run.start(host), host)[1]
    return found


def _find(runs: _Runs, minutes: float, tried: list[Candidate], left_out: list[tuple[str, str]]) -> Found:
    """All but the winner's settings."""
    before = Candidate("as it is", {})
    first = runs.measured(before, 0, "the application as it is, for the first time")
    if first["state"] == "died":
        raise LaunchError.of("lab mine", "an application that ends well", first["why"], "Run it by itself first.")
    # Beside it as it is, and all together.
    fits = max(1, int(minutes * 60 / first["elapsed_s"] / FEWEST_RUNS) - 2)
    left_out = [*left_out, *((each.name, f"{minutes:g} minutes are too few for it") for each in tried[fits:])]
    tried = tried[:fits]
    for name, why in left_out:
        runs.say(f"left out: {name}: {why}")
    # The first run warmed the page cache, so it does not count.
    before.rows.clear()
    runs.rounds([before, *tried])
    faster = [each for each in tried if each.is_faster]
    together, winner = None, max(faster, key=_gained, default=None)
    # Of two levels of a factor the better one.
    levels = {name: level for each in sorted(faster, key=_gained) for name, level in each.levels.items()}
    if len(levels) > 1:
        together = Candidate("together", levels)
        runs.rounds([Candidate("as it is, again", {}), together])
        if together.is_faster and winner is not None and _gained(together) > _gained(winner):
            winner = together
    return Found(before, tried, left_out, together, winner)


def _gained(candidate: Candidate) -> float:
    return candidate.gain.difference if candidate.gain else 0.0


def _run(own: OwnApplication, candidate: Candidate, number: int) -> Run:
    return Run((candidate.name,), NAME, {"cores": "all", **candidate.levels}, number, 0, own)
