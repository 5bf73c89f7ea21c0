# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a study may vary: of each factor which levels there are, which of them a machine can do, and what they do."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .host import Host
from .sizes import bytes_of, is_size
from .start import Start

_ARROW = "org.apache.spark.sql.execution.columnar.ArrowCachedBatchSerializer"
_CACHE = "spark.sparkgap.store.cache"
_COLLECTORS = {
    "Serial": "-XX:+UseSerialGC",
    "Parallel": "-XX:+UseParallelGC",
    "G1": "-XX:+UseG1GC",
    "ZGC": "-XX:+UseZGC",
    "Shenandoah": "-XX:+UseShenandoahGC",
}
_ENGINES = ("spark", "sparkgap", "optspark", "moves", "mapreduce")
_GONE = {"CMS": "the collector CMS left Java with version 14"}


@dataclass(frozen=True)
class Factor:
    """`refuses` says what levels are expected where one is none; `lacks` why this machine cannot do one."""

    meaning: str
    refuses: Callable[[Any], str | None]
    apply: Callable[[Any, Start, Host], None]
    lacks: Callable[[Any, Host], str | None] = lambda level, host: None


def _one_of(*levels: Any) -> Callable[[Any], str | None]:
    return lambda level: None if level in levels else f"one of {', '.join(map(str, levels))}"


def _whole(level: Any) -> str | None:
    return None if isinstance(level, int) and not isinstance(level, bool) and level > 0 else "a whole number from 1"


def _positive(level: Any) -> str | None:
    is_number = isinstance(level, (int, float)) and not isinstance(level, bool)
    return None if is_number and level > 0 else "a number above 0"


def _seconds(level: Any) -> str | None:
    return None if level == 0 or _positive(level) is None else "0 or a number of seconds"


def _share(level: Any) -> str | None:
    return None if isinstance(level, float) and 0 < level < 1 else "a share between 0 and 1"


def _size(level: Any) -> str | None:
    return None if is_size(level) else "a size such as 512m or 4g"


def _cores(level: Any) -> str | None:
    return None if level == "all" or _whole(level) is None else "a whole number from 1, or all"


def _lacks_cores(level: Any, host: Host) -> str | None:
    if level == "all" or level <= len(host.cpus):
        return None
    return f"{level} processors are asked for, and this machine has {len(host.cpus)}"


def _set_cores(level: Any, start: Start, host: Host) -> None:
    start.cpus = host.cpus[: len(host.cpus) if level == "all" else level]


def _set_smt(level: bool, start: Start, host: Host) -> None:
    if not level:
        firsts = set(host.first_of_cores)
        start.cpus = [cpu for cpu in start.cpus if cpu in firsts]


def _lacks_smt(level: bool, host: Host) -> str | None:
    if level or len(host.first_of_cores) < len(host.cpus):
        return None
    return "cores of this machine have one hardware thread each"


def _shape(level: Any) -> str | None:
    return None if isinstance(level, str) and re.fullmatch(r"[1-9]\d*x[1-9]\d*", level) else "EXECUTORSxCORES, as 2x4"


def _parts(level: str) -> tuple[int, int]:
    number, _, cores = level.partition("x")
    return int(number), int(cores)


def _lacks_shape(level: str, host: Host) -> str | None:
    number, cores = _parts(level)
    return _lacks_cores(number * cores, host)


def _set_shape(level: str, start: Start, host: Host) -> None:
    start.executors = _parts(level)


def _lacks_collector(level: str, host: Host) -> str | None:
    if level in _GONE:
        return _GONE[level]
    return None if host.java_takes(_COLLECTORS[level]) else f"its Java has no {level}"


def _set_budget(level: str, start: Start, host: Host) -> None:
    start.budget_bytes = bytes_of(level)


def _lacks_budget(level: str, host: Host) -> str | None:
    if bytes_of(level) > host.memory_bytes:
        return f"{level} of memory are asked for, and this machine has {host.memory_bytes / 1e9:.0f} GB"
    return host.why_no_budget


def _lacks_heap(level: str, host: Host) -> str | None:
    if bytes_of(level) > 0.9 * host.memory_bytes:
        return f"a heap of {level} is asked for, and this machine has {host.memory_bytes / 1e9:.0f} GB"
    return None


def _set_cache(level: str, start: Start, host: Host) -> None:
    start.has_sparkgap |= level == "store"
    start.settings[_CACHE] = str(level == "store").lower()
    if level == "arrow":
        start.settings["spark.sql.cache.serializer"] = _ARROW


def _set_affinity(level: str, start: Start, host: Host) -> None:
    if level != "none":
        start.has_sparkgap = True
        start.settings.setdefault(_CACHE, "false")
        start.settings["spark.sparkgap.topology.affinity"] = level


def _set_rank_affinity(level: str, start: Start, host: Host) -> None:
    start.has_sparkgap = True
    start.settings["spark.sparkgap.launch.affinity"] = level


def _set_engine(level: str, start: Start, host: Host) -> None:
    start.engine = level
    if level != "spark":  # the peers' jar comes with sparkgap's
        start.has_sparkgap = True


def _set_tables(level: str, start: Start, host: Host) -> None:
    start.tables = level
    start.has_sparkgap = True


def _set_scratch(level: str, start: Start, host: Host) -> None:
    start.settings["spark.local.dir"] = "/dev/shm" if level == "memory" else tempfile.gettempdir()


def _lacks_cold(level: str, host: Host) -> str | None:
    return host.why_no_cold if level == "cold" else None


def _set_locality_wait(level: float, start: Start, host: Host) -> None:
    start.settings["spark.locality.wait"] = f"{level}s"


def _set_compression(level: bool, start: Start, host: Host) -> None:
    for key in ("spark.shuffle.compress", "spark.shuffle.spill.compress"):
        start.settings[key] = str(level).lower()


def _set_collector(level: str, start: Start, host: Host) -> None:
    start.java.append(_COLLECTORS[level])


def _field(name: str, made: Callable[[Any], Any] = lambda level: level) -> Callable[[Any, Start, Host], None]:
    def apply(level: Any, start: Start, host: Host) -> None:
        setattr(start, name, made(level))

    return apply


_YES_OR_NO = _one_of(True, False)
_COLLECTOR, _CACHES = _one_of(*_COLLECTORS, *_GONE), _one_of("default", "arrow", "store")
_PINNED = _one_of("none", "cpu", "core", "pu")
_set_cold = _field("is_cold", lambda level: level == "cold")
# In the order in which they are applied.
FACTORS = {
    "engine": Factor("what computes (docs/lab.md)", _one_of(*_ENGINES), _set_engine),
    "cores": Factor("processors, those of one package first", _cores, _set_cores, _lacks_cores),
    "smt": Factor("all hardware threads of a core, or one", _YES_OR_NO, _set_smt, _lacks_smt),
    "instances": Factor("equal applications side by side", _whole, _field("instances")),
    "alone": Factor("one of the instances runs, with its part of all", _YES_OR_NO, _field("is_alone")),
    "executors": Factor("a cluster on this host: EXECUTORSxCORES", _shape, _set_shape, _lacks_shape),
    "data": Factor("size of the input, times the study's", _positive, _field("data", float)),
    "iterations": Factor("of an iterative workload", _whole, _field("iterations")),
    "heap": Factor("of a JVM, in bytes", _size, _field("heap_bytes", bytes_of), _lacks_heap),
    "budget": Factor("memory of all instances, page cache too, by a control group", _size, _set_budget, _lacks_budget),
    "heap_share": Factor("heap of an instance, as a share of its part of the budget", _share, _field("heap_share")),
    "collector": Factor("of garbage", _COLLECTOR, _set_collector, _lacks_collector),
    "cache": Factor("where df.cache() keeps tables", _CACHES, _set_cache),
    "affinity": Factor("what threads of tasks are pinned to", _PINNED, _set_affinity),
    "rank_affinity": Factor("what threads of ranks are pinned to", _PINNED, _set_rank_affinity),
    "shuffle_compression": Factor("of shuffled data", _YES_OR_NO, _set_compression),
    "locality_wait": Factor("seconds that a task waits for a slot near its data", _seconds, _set_locality_wait),
    "scratch": Factor("where shuffles and spilled data lie", _one_of("disk", "memory"), _set_scratch),
    "fault": Factor("what is killed when all is computed", _one_of("none", "executor", "application"), _field("fault")),
    "tables": Factor("what a graph is loaded from", _one_of("files", "published"), _set_tables),
    "warm": Factor("the work on a little input comes first, in the same JVM", _YES_OR_NO, _field("is_warm")),
    "files": Factor("in the page cache before a run, or not", _one_of("warm", "cold"), _set_cold, _lacks_cold),
}
