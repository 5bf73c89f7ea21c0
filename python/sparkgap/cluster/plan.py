# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""How Spark is set on the nodes of an allocation: each value with the reason for it, from what the nodes said."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import ResourceError

_GIB = 1 << 30
_MIB = 1 << 20
MOST_CORES = 12  # of an executor: more share one heap and gain nothing (Awan et al. 2015; Maschhoff et al. 2015)
HEAP, STORE = 0.5, 0.2  # of a node's memory; the rest is the page cache's and the ranks'
LEAST_HEAP = 512 * _MIB
_DAEMON = 512 * _MIB  # the heap of a master or a worker
_OVERHEAD = 0.1  # of an executor's heap, outside of it
FAST = 1.2e9  # bytes that a folder takes in a second from which on packing them is slower than writing them
LEAST_SCRATCH = 8 * _GIB


@dataclass(frozen=True)
class Setting:
    """One line of Spark's configuration, and why."""

    key: str
    value: str
    reason: str


@dataclass(frozen=True)
class Plan:
    """The settings of all, and for each node what its worker lends and where its shuffles lie. `disk` is a folder of
    all nodes for tables that memory has no room for.
    """

    settings: tuple[Setting, ...]
    workers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    disk: str = "/tmp"

    def value(self, key: str) -> str:
        """Of one setting; empty where there is none."""
        return next((each.value for each in self.settings if each.key == key), "")


def plan(nodes: Sequence[Mapping[str, Any]], *, driver: str, overrides: Mapping[str, str] | None = None) -> Plan:
    """From what the nodes said (`probe.node`) to settings. Executors have one shape, that of the smallest node.

    Parameters
    ----------
    nodes : sequence of mapping
        One for each node.
    driver : str
        The name of the node where the driver runs; its worker lends less memory.
    overrides : mapping, optional
        Settings of Spark that replace those of the plan.

    Raises
    ------
    ResourceError
        A node has too little memory for an executor.
    """
    given = dict(overrides or {})
    cpus, memory = min(each["cpus"] for each in nodes), min(each["memory_bytes"] for each in nodes)
    driver_heap = max(LEAST_HEAP, min(4 * _GIB, memory // 10))
    per_node = math.ceil(cpus / MOST_CORES)
    cores = _number(given, "spark.executor.cores") or cpus // per_node
    rest = memory - driver_heap - 2 * _DAEMON
    heap = int(HEAP * rest / per_node / (1 + _OVERHEAD)) // _MIB * _MIB
    if heap < LEAST_HEAP and "spark.executor.memory" not in given:
        least = (LEAST_HEAP * (1 + _OVERHEAD) * per_node / HEAP + driver_heap + 2 * _DAEMON) / _GIB
        smallest = min(nodes, key=lambda each: float(each["memory_bytes"]))
        found = f"{memory / _GIB:.1f} GiB on {smallest['node']}"
        do = "Ask for more (--mem), or say --conf spark.executor.memory=."
        raise ResourceError.of("cluster", f"{least:.1f} GiB of memory on each node", found, do)
    overhead = max(384 * _MIB, int(_OVERHEAD * heap)) // _MIB
    scratch = {each["node"]: scratch_of(each) for each in nodes}
    settings = [
        Setting(
            "spark.executor.cores", str(cores), f"{cpus} processors of a node in {per_node}, at most {MOST_CORES} each"
        ),
        Setting(
            "spark.executor.memory",
            f"{heap // _MIB}m",
            f"{HEAP:.0%} of a node's {memory / _GIB:.1f} GiB, without the driver",
        ),
        Setting("spark.executor.memoryOverhead", f"{overhead}m", "buffers and stacks of the JVM"),
        Setting("spark.driver.memory", f"{driver_heap // _MIB}m", "a tenth of its node, 4 GiB at most"),
        Setting("spark.sparkgap.store.memoryBytes", str(int(STORE * rest)), f"{STORE:.0%} of a node for tables"),
        _compression(scratch.values()),
        Setting(
            "spark.locality.wait", "0s", "nodes of an allocation are near each other: a wait costs more than a copy"
        ),
        Setting("spark.local.dir", ",".join(next(iter(scratch.values())).paths), next(iter(scratch.values())).reason),
    ]
    known = {each.key for each in settings}
    settings = [
        Setting(each.key, given[each.key], "as you say") if each.key in given else each for each in settings
    ] + [Setting(key, value, "as you say") for key, value in given.items() if key not in known]
    worker_memory = per_node * (heap // _MIB + overhead)
    if said := given.get("spark.executor.memory"):
        worker_memory = max(worker_memory, per_node * (mib(said) + overhead))
    local = given.get("spark.local.dir")
    workers = {
        each["node"]: {
            "cores": each["cpus"],
            "memory_mib": worker_memory,
            "scratch": local.split(",") if local else list(scratch[each["node"]].paths),
        }
        for each in nodes
    }
    return Plan(tuple(settings), workers, disk_of(nodes))


def disk_of(nodes: Sequence[Mapping[str, Any]]) -> str:
    """The folder of a disk that all nodes have, with the most room on the node that has least; else /tmp."""
    rooms: dict[str, list[int]] = {}
    for each in nodes:
        for found in each["folders"]:
            if found["kind"] == "disk" and "why" not in found:
                rooms.setdefault(found["path"], []).append(found["free_bytes"])
    common = {path: min(free) for path, free in rooms.items() if len(free) == len(nodes)}
    return max(common, key=lambda path: common[path], default="/tmp")


@dataclass(frozen=True)
class Scratch:
    """Folders for shuffled and spilled data of one node, the best first, and why."""

    paths: tuple[str, ...]
    bytes_per_s: float | None
    reason: str


def scratch_of(node: Mapping[str, Any]) -> Scratch:
    """The folder that moves the most bytes in a second and has room; where the fastest is small, the next one too.

    Memory that a folder takes is the heap's and the page cache's loss, so one in memory counts only as far as it has
    twice the room that is asked for. Without measurements: disk before memory before what is shared.
    """
    found = [each for each in node["folders"] if "why" not in each]
    if not found:
        return Scratch(("/tmp",), None, "no folder could be tried")
    if any("write_bytes_per_s" not in each for each in found):
        order = {"disk": 0, "memory": 1, "shared": 2}
        best = min(found, key=lambda each: (each["free_bytes"] < LEAST_SCRATCH, order[each["kind"]]))
        return Scratch((best["path"],), None, f"not measured: {best['kind']} ({best['type']})")
    ranked = sorted(found, key=speed, reverse=True)
    roomy = [each for each in ranked if each["free_bytes"] >= LEAST_SCRATCH * (2 if each["kind"] == "memory" else 1)]
    chosen = [(roomy or ranked)[0]]
    if chosen[0] is not ranked[0] and chosen[0]["kind"] == "shared":
        chosen.insert(0, ranked[0])
    said = ", ".join(f"{each['path']} {speed(each) / 1e6:,.0f} MB/s" for each in ranked)
    slowest = min(map(speed, chosen))
    return Scratch(tuple(each["path"] for each in chosen), slowest, f"of {said}: the fastest with room")


def speed(folder: Mapping[str, Any]) -> float:
    """Bytes that are written and read again in a second, which is what a shuffle does."""
    return float(1 / (1 / max(1.0, folder["write_bytes_per_s"]) + 1 / max(1.0, folder["read_bytes_per_s"])))


def _compression(scratch: Any) -> Setting:
    key = "spark.shuffle.compress"
    speeds = [each.bytes_per_s for each in scratch]
    if any(each is None for each in speeds):
        return Setting(key, "true", "not measured")
    slowest = min(speeds)
    if slowest >= FAST:
        return Setting(key, "false", f"folders move {slowest / 1e6:,.0f} MB/s, more than packing does")
    return Setting(key, "true", f"folders move {slowest / 1e6:,.0f} MB/s, less than packing does")


def _number(given: Mapping[str, str], key: str) -> int | None:
    return int(given[key]) if given.get(key, "").isdecimal() else None


def mib(text: str) -> int:
    """Of a size in Spark's words, `4g` or `512m`."""
    units = {"k": 1 / 1024, "m": 1, "g": 1024, "t": 1024 * 1024}
    number, unit = text.lower().rstrip("b")[:-1], text.lower().rstrip("b")[-1:]
    if unit in units and number.isdecimal():
        return int(int(number) * units[unit])
    return int(text) // _MIB if text.isdecimal() else 0
