# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The runs of a study at a scale on a machine: which there are, in which order, and which cannot be."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .. import spec
from . import workloads
from .factors import FACTORS
from .host import Host
from .own import NAME as OWN
from .own import OwnApplication
from .sizes import bytes_of
from .start import Start
from .study import Experiment, Study, of_scale

# What a run writes beside its input: shuffled and spilled data, and its output.
_ROOM = 3.0
# Factors of the lab's workloads alone.
_OF_OURS = ("data", "engine", "iterations", "executors", "fault", "tables", "warm")
_DEFAULTS = {"cores": "all", "collector": "G1", "data": 1}


@dataclass(frozen=True)
class Run:
    """One application, or `instances` of them at a time, for one experiment or several. `levels` are those of all
    factors that are said.
    """

    experiments: tuple[str, ...]
    workload: str
    levels: dict[str, Any]
    repeat: int
    input_bytes: int
    own: OwnApplication | None = None

    @property
    def key(self) -> str:
        """The same for the same run, in any order of the study."""
        said = json.dumps([self.levels, self.input_bytes, self.own.words if self.own else ()], sort_keys=True)
        return f"{self.workload}-{hashlib.sha256(said.encode()).hexdigest()[:12]}-{self.repeat}"

    def identity(self) -> dict[str, Any]:
        """What a row says of it, whether it ran or not."""
        return {
            "key": self.key,
            "experiments": list(self.experiments),
            "workload": self.workload,
            "repeat": self.repeat,
            "levels": self.levels,
            "data_bytes": self.input_bytes,
        }

    def start(self, host: Host) -> Start:
        """How it is started on that machine."""
        start = Start(self.workload)
        if self.own is None and workloads.NAMES[self.workload].needs_sparkgap:
            start.has_sparkgap = True
        for name, factor in FACTORS.items():
            if name in self.levels:
                factor.apply(self.levels[name], start, host)
        return start


@dataclass(frozen=True)
class LeftOut:
    """Runs that this machine cannot do, and why."""

    run: Run
    why: str


def plan(study: Study, scale: str, host: Host, free_bytes: int) -> tuple[list[Run], list[LeftOut]]:
    """The runs in their order, and those that are left out.

    Interleaved, all combinations run once before any runs again, and each round begins with another one, so that what
    changes with time changes all alike. Blocked, the repeats of a combination follow each other.
    """
    size, repeats = bytes_of(study.size[scale]), study.repeats[scale]
    wanted: dict[str, Run] = {}
    for experiment in study.experiments:
        for run in _combinations(study, experiment, scale, size):
            before = wanted.get(run.key)
            names = (*(before.experiments if before else ()), experiment.name)
            wanted[run.key] = dataclasses.replace(run, experiments=names)
    possible, left_out = [], []
    for run in wanted.values():
        why = lacks(run, host, free_bytes)
        if why is None:
            possible.append(run)
        else:
            left_out.append(LeftOut(run, why))
    rounds = [[dataclasses.replace(run, repeat=n) for run in possible] for n in range(repeats)]
    if study.order == "blocked":
        return [run for each in zip(*rounds, strict=True) for run in each], left_out
    turned = (runs[n % len(runs) :] + runs[: n % len(runs)] if runs else [] for n, runs in enumerate(rounds))
    return list(itertools.chain.from_iterable(turned)), left_out


def _combinations(study: Study, experiment: Experiment, scale: str, size: int) -> Iterator[Run]:
    base = {name: of_scale(level, scale) for name, level in {**study.base, **experiment.base}.items()}
    levels = [of_scale(each, scale) for each in experiment.factors.values()]
    for workload in of_scale(experiment.workloads, scale):
        for chosen in itertools.product(*levels):
            said = {**base, **dict(zip(experiment.factors, chosen, strict=True))}
            for factor, by_level in experiment.tied.items():
                said |= by_level.get(str(said[factor]), {})
            if workload == OWN:
                assert study.workload is not None  # the study was checked
                own = OwnApplication.of(study.workload.command, "[workload] command")
                yield Run((experiment.name,), workload, {"cores": "all", **said}, 0, 0, own)
            else:
                found = {**_DEFAULTS, **said}
                yield Run((experiment.name,), workload, found, 0, int(size * found["data"]))


def lacks(run: Run, host: Host, free_bytes: int) -> str | None:
    """Why this machine cannot do it."""
    for name, level in run.levels.items():
        if (why := FACTORS[name].lacks(level, host)) is not None:
            return why
    if run.own is not None and (said := [name for name in _OF_OURS if name in run.levels]):
        return f"{', '.join(said)} of an application of your own cannot be set"
    start = run.start(host)
    if not start.cpus:
        return "no processor is left to it"
    heaps = start.heap_of_instance() * start.started
    if heaps > 0.9 * host.memory_bytes:
        return f"heaps of {heaps / 1e9:.1f} GB together, and this machine has {host.memory_bytes / 1e9:.1f} GB"
    room = int(run.input_bytes * (1 + _ROOM * start.started))
    if room > free_bytes:
        return f"some {room / 1e9:.1f} GB of disk, of which {free_bytes / 1e9:.1f} GB are free"
    if run.own is not None:
        return None
    if (start.has_sparkgap or start.engine == "mapreduce") and not spec.JAR.is_file():
        return f"no jar of sparkgap at {spec.JAR}"
    if start.is_warm and start.engine == "mapreduce":
        return "a job of MapReduce is an application, with nothing before it"
    if start.fault != "none" and not workloads.has_moment(run.workload):
        return f"{run.workload} has no moment at which a fault could strike"
    if start.fault == "executor" and start.executors is None:
        return "an executor of its own can be killed where there are executors, and none are asked for"
    return workloads.lacks(run.workload, start.engine)
