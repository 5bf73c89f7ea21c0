# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What the plan of a cluster gains: one program with it, with Spark's own settings, and with the slowest folder."""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import ArgumentError, LaunchError
from . import look
from .control import Wanted, start, stop
from .plan import LEAST_SCRATCH, Plan, mib, plan, speed
from .program import program, told

PLAN, DEFAULTS, SLOWEST = "plan", "defaults", "slowest folder"
# Those of Spark's standalone cluster, where nothing is said.
_SPARKS = {
    "spark.executor.memory": "1g",
    "spark.driver.memory": "1g",
    "spark.shuffle.compress": "true",
    "spark.locality.wait": "3s",
    "spark.local.dir": "/tmp",
}


@dataclass(frozen=True)
class Measured:
    """Seconds of a program from its start to its end, round by round, with so and so set Spark."""

    settings: Mapping[str, str]
    seconds: list[float] = field(default_factory=list)

    @property
    def median_s(self) -> float:
        """Over its rounds."""
        return statistics.median(self.seconds)


@dataclass(frozen=True)
class Proof:
    """Every way of setting Spark that was measured; `left_out` says which was not, and why."""

    program: list[str]
    nodes: list[str]
    ways: Mapping[str, Measured]
    left_out: Mapping[str, str]

    def times(self, way: str) -> float:
        """How many times as long as with the plan."""
        return self.ways[way].median_s / self.ways[PLAN].median_s

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        ways = {
            name: {
                "seconds": each.seconds,
                "median_s": each.median_s,
                "times": self.times(name),
                "settings": dict(each.settings),
            }
            for name, each in self.ways.items()
        }
        return {"program": self.program, "nodes": self.nodes, "ways": ways, "left_out": dict(self.left_out)}

    def as_text(self) -> str:
        """For people."""
        lines = [f"{'':16}{'median':>9}{'least':>9}{'most':>9}{'times':>7}  folders for shuffles, packed or not"]
        for name, each in self.ways.items():
            packed = "packed" if each.settings["spark.shuffle.compress"] == "true" else "not packed"
            figures = [each.median_s, min(each.seconds), max(each.seconds)]
            shown = "".join(f"{figure:7.1f} s" for figure in figures)
            lines.append(f"{name:16}{shown}{self.times(name):7.2f}  {each.settings['spark.local.dir']}, {packed}")
        return "\n".join([*lines, *(f"{name}: left out, {why}" for name, why in self.left_out.items())])


def prove(wanted: Wanted, words: Sequence[str], rounds: int, size: str, say: Callable[[str], None]) -> Proof:
    """Measure the nodes, then run the program in a new cluster for each way and round, the ways in turn. Tables are
    neither brought nor kept. What is found is in `proof.json` of the folder too.

    Parameters
    ----------
    words : sequence of str
        A program that starts Spark; empty for one that sorts.
    size : str
        Bytes that it sorts, as Spark writes them.

    Raises
    ------
    ArgumentError
        A size that is none.
    LaunchError
        The program fails, and with which settings; or a cluster does not start.
    ResourceError
        The nodes have too little.
    """
    bytes_ = mib(size) << 20
    if not words and not bytes_:
        raise ArgumentError.of("--size", "a size such as 512m or 4g", repr(size), "Say one.")
    command = list(words) or [sys.executable, "-m", "sparkgap.cluster.sort", str(bytes_)]
    with wanted.folder.alone():
        wanted.folder.make()
        try:
            found = look.nodes(wanted.allocation, wanted.folder, wanted.scratch, is_probed=True, say=say)
        finally:
            wanted.folder.say(state="ended", why="measured alone")
    ways, left_out = _ways(wanted, found)
    measured: dict[str, Measured] = {}
    for n in range(rounds):
        for name, conf in ways.items():
            planned, seconds = _once(replace(wanted, conf=conf, tables=None), command, name, found)
            say(f"round {n + 1} of {rounds}, {name}: {seconds:.1f} s")
            known = measured.setdefault(name, Measured({each.key: each.value for each in planned.settings}))
            known.seconds.append(seconds)
    proof = Proof(command, [each["node"] for each in found], measured, left_out)
    (wanted.folder.path / "proof.json").write_text(json.dumps(proof.as_json(), indent=1), encoding="utf-8")
    return proof


def _ways(wanted: Wanted, found: Sequence[Mapping[str, Any]]) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    """Settings by the name of a way. What the user says holds in all of them."""
    said = dict(wanted.conf)
    cores = {"spark.executor.cores": str(min(each["cpus"] for each in found))}
    ways = {PLAN: said, DEFAULTS: {**_SPARKS, **cores, **said}}
    planned = plan(found, driver=wanted.allocation.nodes[0].name, overrides=said)
    slowest = _slowest(found)
    if slowest is None or slowest == planned.value("spark.local.dir"):
        return ways, {SLOWEST: "the nodes have no other one with room"}
    return {**ways, SLOWEST: {**said, "spark.local.dir": slowest}}, {}


def _slowest(found: Sequence[Mapping[str, Any]]) -> str | None:
    """Of the folders with room that all nodes have."""
    speeds: dict[str, list[float]] = {}
    for each in found:
        for folder in each["folders"]:
            if "write_bytes_per_s" in folder and folder["free_bytes"] >= LEAST_SCRATCH:
                speeds.setdefault(folder["path"], []).append(speed(folder))
    common = {path: min(each) for path, each in speeds.items() if len(each) == len(found)}
    return min(common, key=lambda path: common[path], default=None)


def _once(wanted: Wanted, command: list[str], name: str, found: Sequence[Mapping[str, Any]]) -> tuple[Plan, float]:
    planned = start(wanted, lambda text: None, found)
    try:
        with told() as on_end:
            begin = time.monotonic()
            status = program(wanted, command, on_end, out=sys.stderr)
            seconds = time.monotonic() - begin
    finally:
        stop(wanted.folder)
    if status:
        found_ = f"status {status} of {command[0]} with the settings of '{name}'"
        raise LaunchError.of("cluster prove", "a program that succeeds", found_, "Read what it said.")
    return planned, seconds
