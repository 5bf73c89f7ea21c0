# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Whether advice helps: the application with and without each piece of it, in turn."""

from __future__ import annotations

import dataclasses
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import report as reports
from ..errors import ArgumentError, LaunchError
from ..report.advice.advice import Advice, properties
from ..report.compare.difference import FEWEST_RUNS, Difference, Verdict, differ
from . import run as profiles

BEFORE = "before"
TOGETHER = "together"
# A run with advice may take so many times what the longest without it took, and no less than so many seconds.
TOO_LONG = 4
LEAST_LIMIT_S = 60.0
_OUTPUT = "output.txt"
_LAST_LINES = 3
_OUT_OF_MEMORY = "java.lang.OutOfMemoryError"
_CAUSE = re.compile(r"^(: )?\S*(Error|Exception)\b|^Caused by: ")
_TO_PYTHON = re.compile(r": \S+(Error|Exception)\b")  # what a call of Python's ended with
_OF_ITS_END = re.compile("RejectedExecutionException|Could not find AppClient")  # what comes to threads that Spark ends


@dataclass
class Trial:
    """A piece of advice, or all that helped together, and how long the application took with it, round by round.

    `overruled` names settings that the application sets itself, so that the advice had no effect; `failed` says how a
    run with it ended, which may be that it took far too long, after which there were no more.
    """

    name: str
    settings: Mapping[str, str]
    advice: Advice | None = None
    wall_s: list[float] = field(default_factory=list)
    longest_s: float = 0.0  # of a run from its command's start to its end
    overruled: list[str] = field(default_factory=list)
    failed: str | None = None
    gain: Difference | None = None  # of the wall time without it from that with it

    @property
    def verdict(self) -> str:
        if self.failed:
            return "failed"
        if self.overruled:
            return "no effect"
        assert self.gain is not None
        return {Verdict.MORE: "faster", Verdict.LESS: "slower"}.get(self.gain.verdict, self.gain.verdict.value)

    def as_json(self) -> dict[str, Any]:
        found = self.gain
        return {
            **({} if self.advice is None else self.advice.as_json()),
            "settings": dict(self.settings),
            "verdict": self.verdict,
            "runs_s": self.wall_s,
            "gain_s": None if found is None else found.difference,
            "low_s": None if found is None else found.low,
            "high_s": None if found is None else found.high,
            "overruled": self.overruled,
            "failed": self.failed,
        }


@dataclass
class Proof:
    """What was tried: `kept` is what is proven, one by one and, where it is several pieces, all together."""

    command: list[str]
    rounds: int
    before_s: list[float]
    trials: list[Trial]
    not_tried: list[Advice]
    together: Trial | None = None

    @property
    def kept(self) -> list[Trial]:
        faster = [trial for trial in self.trials if trial.verdict == "faster"]
        if self.together is None or self.together.verdict == "faster":
            return faster
        return [max(faster, key=lambda trial: trial.gain.difference if trial.gain else 0.0)]

    def as_json(self) -> dict[str, Any]:
        """All of it, for machines."""
        kept = self.kept
        return {
            "version": 1,
            "command": self.command,
            "rounds": self.rounds,
            "before_s": self.before_s,
            "trials": [{**trial.as_json(), "kept": trial in kept} for trial in self.trials],
            "together": None if self.together is None else self.together.as_json(),
            "not_tried": [advice.as_json() for advice in self.not_tried],
        }

    def properties(self) -> str:
        """The settings that are kept, as a file for `spark-submit --properties-file`, each with what was measured."""
        return properties(
            [
                dataclasses.replace(trial.advice, evidence=f"{measured(trial)}, {len(trial.wall_s)} runs in turn")
                for trial in self.kept
                if trial.advice is not None
            ]
        )


def measured(trial: Trial) -> str:
    """In words.

    Examples
    --------
    >>> measured(Trial("skew", {}, gain=Difference(10.0, 8.0, 1.5, 2.25)))
    '2.00 s less of 10.00 s (1.50 to 2.25)'
    """
    found = trial.gain
    if found is None:
        return trial.failed or f"the application sets {', '.join(trial.overruled)} itself"
    word = "less" if found.difference >= 0 else "more"
    interval = "" if found.low is None or found.high is None else f" ({found.low:.2f} to {found.high:.2f})"
    return f"{abs(found.difference):.2f} s {word} of {found.first:.2f} s{interval}"


def prove(
    command: Sequence[str], folder: Path, rounds: int, say: Callable[[str], None], *, stacks: bool = False
) -> Proof:
    """Run the application once, and then in each round without advice and with each piece that settings can do. The
    order turns from round to round, so that what changes with time changes all alike.

    Parameters
    ----------
    command : sequence of str
        A program and its words, which can run again and again.
    folder : Path
        Gets a profile of each run, and what the run printed.
    rounds : int
        How many runs of each kind are compared; at least 3, since an interval needs as many.
    say : callable
        Hears of each run before it starts.
    stacks : bool, default False
        Record stacks and heaps in the first run, for the advice that needs them. The runs that are compared have none.

    Raises
    ------
    ArgumentError
        Too few rounds, the folder is not empty, or there is no such program.
    LaunchError
        The application failed without any advice.
    KeyboardInterrupt
        An interrupt ended a run.
    """
    if rounds < FEWEST_RUNS:
        found, do = str(rounds), "Take more: an interval needs them."
        raise ArgumentError.of("--rounds", f"at least {FEWEST_RUNS}", found, do)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ArgumentError.of("--out", "a new or empty folder", str(folder), "Choose another name.")
    say("the first run, whose report gives the advice")
    first, first_s = _measured(command, folder / "first", {}, stacks=stacks)
    trials = [Trial(each.rule, each.settings, each) for each in first.advice if each.settings]
    rest = [each for each in first.advice if not each.settings]
    before = Trial(BEFORE, {}, longest_s=first_s)
    if trials:
        _take_turns(command, folder, rounds, [before, *trials], say)
    proof = Proof(list(command), rounds, before.wall_s, trials, rest)
    faster = [trial for trial in trials if trial.verdict == "faster"]
    if len(faster) > 1:
        settings = {key: value for trial in reversed(faster) for key, value in trial.settings.items()}
        proof.together = Trial(TOGETHER, settings)
        again = Trial(f"{BEFORE}-{TOGETHER}", {}, longest_s=before.longest_s)
        _take_turns(command, folder, rounds, [again, proof.together], say)
    return proof


def _take_turns(
    command: Sequence[str], folder: Path, rounds: int, trials: list[Trial], say: Callable[[str], None]
) -> None:
    before = trials[0]
    for number in range(rounds):
        at = number % len(trials)
        for trial in trials[at:] + trials[:at]:
            if trial.failed or trial.overruled:
                continue
            say(f"round {number + 1} of {rounds}: {trial.name}")
            limit_s = None if trial is before else max(LEAST_LIMIT_S, TOO_LONG * before.longest_s)
            try:
                found, took_s = _measured(
                    command, folder / f"{trial.name}-{number + 1}", trial.settings, limit_s=limit_s
                )
            except LaunchError as e:
                if trial is before:
                    raise
                trial.failed = str(e)
                continue
            trial.overruled = overruled(trial.settings, found.application.settings)
            trial.wall_s.append(found.wall_s)
            trial.longest_s = max(trial.longest_s, took_s)
    for trial in trials[1:]:
        if not trial.failed and not trial.overruled:
            trial.gain = differ(before.wall_s, trial.wall_s)


def overruled(given: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """Settings that were given and that the application has otherwise. To options of JVMs Spark adds its own, to
    plug-ins the profile does, MapReduce jobs say in a local master how often a task may fail, and paths of jars become
    URLs.

    Examples
    --------
    >>> overruled({"spark.master": "local[2]", "spark.plugins": "a"}, {"spark.master": "local[2,100]"})
    ['spark.plugins']
    >>> overruled({"spark.jars": "/a.jar"}, {"spark.jars": "file:///a.jar"})
    []
    """

    def is_there(key: str, value: str) -> bool:
        said = found.get(key, "")
        if key == "spark.master" and said.startswith(value.removesuffix("]") + ","):
            return True
        if key == "spark.jars":
            said = said.replace("file:///", "/")
        return value in said if key.endswith(("JavaOptions", ".plugins")) else said == value

    return [key for key, value in given.items() if not is_there(key, value)]


def _measured(
    command: Sequence[str],
    folder: Path,
    settings: Mapping[str, str],
    *,
    stacks: bool = False,
    limit_s: float | None = None,
) -> tuple[reports.Report, float]:
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    output = folder.with_name(f"{folder.name}-{_OUTPUT}")
    begin = time.monotonic()
    with output.open("wb") as file:
        ended = profiles.run(command, folder, settings, file, stacks=stacks, limit_s=limit_s)
    took_s = time.monotonic() - begin
    if ended.interrupted:
        raise KeyboardInterrupt
    if ended.overran:
        expected, found = f"an end within {limit_s:.0f} s", "none: far longer than without this setting"
        raise LaunchError.of(f"advise, run {folder.name}", expected, found, f"Read {output}.")
    if ended.status != 0:
        found = f"status {ended.status}, and as its last words: {last_words(output)}"
        raise LaunchError.of(f"advise, run {folder.name}", "an application that ends well", found, f"Read {output}.")
    return reports.load(folder), took_s


def last_words(output: Path) -> str:
    """Of an application that failed, from what it printed: that memory ran out, or its last error, for what Spark logs
    of its own end is no cause.
    """
    lines = output.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    causes = [line for line in lines if _OUT_OF_MEMORY in line]
    causes = causes or [line.removeprefix(": ") for line in lines if _TO_PYTHON.match(line)]
    causes = causes or [line for line in lines if _CAUSE.search(line) and not _OF_ITS_END.search(line)]
    return " / ".join(causes[-1:] or lines[-_LAST_LINES:]) or "nothing"


def write_json(proof: Proof, path: Path) -> None:
    """Write these numbers. Errors: ResourceError."""
    from ..report.report import write

    write(path, json.dumps(proof.as_json(), indent=1, ensure_ascii=False))
