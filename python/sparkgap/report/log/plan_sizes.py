# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What joins shuffle, scans read and broadcasts send, as SQL plans and their counters say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..application import Broadcast, Join, Scan
from . import events

_JOINS = ("SortMergeJoin", "ShuffledHashJoin")
_KIND = re.compile(r"\], (\w+)")
# The sides of a join that may be sent to all executors: left is 0.
_SIDES = {"Inner": (0, 1), "Cross": (0, 1), "RightOuter": (0,)} | dict.fromkeys(
    ("LeftOuter", "LeftSemi", "LeftAnti", "LeftSingle", "ExistenceJoin"), (1,)
)
_SHUFFLED, _FILES, _READ = "data size", "number of files read", "size of files read"
_SENDING = ("time to collect", "time to build", "time to broadcast")  # milliseconds


@dataclass(frozen=True)
class _Sides:
    kind: str
    sizes: tuple[int, int]  # the counter of each side's shuffle
    counters: tuple[frozenset[int], frozenset[int]]  # all of its shuffle


@dataclass(frozen=True)
class _Files:
    files: int
    read: int
    counters: frozenset[int]


@dataclass(frozen=True)
class _Sent:
    size: int
    times: tuple[int, ...]


class PlanSizes:
    """Takes plans and counters as a log tells of them; of an execution's plans the last counts."""

    def __init__(self) -> None:
        self._joins: dict[int, list[_Sides]] = {}
        self._scans: dict[int, list[_Files]] = {}
        self._sent: dict[int, list[_Sent]] = {}
        self._wanted: set[int] = set()  # counters of those: a log names a hundred times as many
        self._values: dict[int, int] = {}
        self._counted: dict[int, set[int]] = {}

    def add(self, execution: int, plan: events.PlanNode | None) -> None:
        if plan is None:
            return
        nodes = list(_below(plan))
        self._joins[execution] = [join for node in nodes if (join := _sides(node)) is not None]
        self._scans[execution] = [scan for node in nodes if (scan := _files(node)) is not None]
        self._sent[execution] = [sent for node in nodes if (sent := _broadcast(node)) is not None]
        self._wanted.update(*((sent.size, *sent.times) for sent in self._sent[execution]))
        self._wanted.update(*(side for join in self._joins[execution] for side in join.counters))
        self._wanted.update(*(scan.counters for scan in self._scans[execution]))

    def count(self, stage: int, counted: Iterable[events.Counted]) -> None:
        """Totals when an attempt at a stage ended."""
        for each in counted:
            if each.id in self._wanted:
                self._counted.setdefault(each.id, set()).add(stage)
                self._take(each.id, each.value)

    def driver_counted(self, event: events.DriverCounted) -> None:
        for update in event.updates:
            if len(update) == 2 and update[0] in self._wanted:
                self._take(update[0], update[1])

    def joins(self) -> list[Join]:
        """Those of which both sides were shuffled, and one may be sent whole."""
        return [
            Join(execution, each.kind, *sizes, self._stages(each.counters[1 - small]))
            for execution, joins in self._joins.items()
            for each in joins
            for small in [self._smaller(each)]
            if small is not None and all(sizes := (self._value(each.sizes[small]), self._value(each.sizes[1 - small])))
        ]

    def scans(self) -> list[Scan]:
        """Those of files."""
        return [
            Scan(execution, files, self._value(each.read), self._stages(each.counters))
            for execution, scans in self._scans.items()
            for each in scans
            if (files := self._value(each.files))
        ]

    def broadcasts(self) -> list[Broadcast]:
        """Those that were made."""
        return [
            Broadcast(execution, size, sum(map(self._value, each.times)) / 1e3)
            for execution, sent in self._sent.items()
            for each in sent
            if (size := self._value(each.size))
        ]

    def _smaller(self, join: _Sides) -> int | None:
        return min(_SIDES.get(join.kind, ()), key=lambda side: self._value(join.sizes[side]), default=None)

    def _value(self, counter: int) -> int:
        return self._values.get(counter, 0)

    def _stages(self, counters: Iterable[int]) -> list[int]:
        return sorted(set().union(*(self._counted.get(counter, set()) for counter in counters)))

    def _take(self, counter: int, value: object) -> None:
        try:
            number = int(value)  # type: ignore[call-overload]
        except (TypeError, ValueError):
            return
        self._values[counter] = max(self._values.get(counter, 0), number)


def _below(plan: events.PlanNode) -> Iterator[events.PlanNode]:
    left = [plan]
    while left:
        node = left.pop()
        yield node
        left += node.children


def _sides(node: events.PlanNode) -> _Sides | None:
    if not node.name.startswith(_JOINS) or len(node.children) < 2:
        return None
    kind = _KIND.search(node.text)
    shuffles = [shuffle for child in node.children[:2] if (shuffle := _shuffle(child)) is not None]
    sizes = [size for shuffle in shuffles if (size := _counter(shuffle, _SHUFFLED)) is not None]
    if kind is None or len(sizes) < 2:
        return None
    first, second = (frozenset(metric.id for metric in shuffle.metrics) for shuffle in shuffles)
    return _Sides(kind[1], (sizes[0], sizes[1]), (first, second))


def _shuffle(node: events.PlanNode) -> events.PlanNode | None:
    """What brings a side to its join, with nothing but that side below."""
    while not node.name.startswith("Exchange"):
        if len(node.children) != 1:
            return None
        node = node.children[0]
    return node


def _files(node: events.PlanNode) -> _Files | None:
    files, read = _counter(node, _FILES), _counter(node, _READ)
    if files is None or read is None:
        return None
    return _Files(files, read, frozenset(metric.id for metric in node.metrics))


def _broadcast(node: events.PlanNode) -> _Sent | None:
    size = _counter(node, _SHUFFLED)
    if size is None or not node.name.startswith("BroadcastExchange"):
        return None
    return _Sent(size, tuple(number for name in _SENDING if (number := _counter(node, name)) is not None))


def _counter(node: events.PlanNode, name: str) -> int | None:
    return next((metric.id for metric in node.metrics if metric.name == name and metric.id >= 0), None)
