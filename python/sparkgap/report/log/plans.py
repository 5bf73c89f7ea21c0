# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Which nodes of SQL plans a stage ran: those whose metrics its tasks added to."""

from __future__ import annotations

from collections.abc import Iterable

from . import events

# Nodes that compute nothing of their own.
_FRAMES = (
    "WholeStageCodegen",
    "InputAdapter",
    "AdaptiveSparkPlan",
    "ReusedExchange",
    "ColumnarToRow",
    "ResultQueryStage",
    "ShuffleQueryStage",
    "BroadcastQueryStage",
    "TableCacheQueryStage",
)


class Plans:
    """Takes plans and counters as a log tells of them."""

    def __init__(self) -> None:
        # By counter: where its node stands among all, children first, and the node's name.
        self._nodes: dict[int, tuple[int, str]] = {}
        self._counted: dict[tuple[int, int], set[int]] = {}
        self._seen = 0

    def add(self, execution: int, plan: events.PlanNode | None) -> None:
        """A plan of a SQL execution; of one node that is in several, the last counts."""
        left = [(plan, False)] if plan is not None else []
        while left:
            node, is_ready = left.pop()
            if not is_ready:
                left.append((node, True))
                left += [(child, False) for child in reversed(node.children)]
                continue
            self._seen += 1
            if not node.name.startswith(_FRAMES):
                self._nodes |= {metric.id: (self._seen, node.name) for metric in node.metrics if metric.id >= 0}

    def count(self, stage: tuple[int, int], counted: Iterable[events.Counted]) -> None:
        """What tasks of an attempt at a stage added to."""
        self._counted.setdefault(stage, set()).update(each.id for each in counted)

    def of(self, stage: tuple[int, int]) -> list[str]:
        """Names of the nodes that it ran, in the order in which rows go through them."""
        found = {self._nodes[number] for number in self._counted.get(stage, ()) if number in self._nodes}
        return [name for _, name in sorted(found)]
