# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What streaming queries and clients of Spark Connect asked for: batches, and operations."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from ..application import Batch, Operation
from . import events
from .faults import first_line

_MS = 1e3
_WHOLE = "triggerExecution"
_MOST_TEXT = 300


class Clients:
    """Takes what a log says of them; `seen` notes a time of the log, and gives None where it is none."""

    def __init__(self, seen: Callable[[int], int | None]) -> None:
        self._seen = seen
        self.batches: list[Batch] = []
        self._operations: dict[str, Operation] = {}
        self._jobs: dict[str, list[int]] = {}

    def progress(self, event: events.QueryProgress) -> None:
        """A batch that has ended, or a trigger that found no data: that one is no batch."""
        said = event.progress
        whole = said.phases.get(_WHOLE, 0)
        try:
            begin = int(datetime.fromisoformat(said.timestamp.replace("Z", "+00:00")).timestamp() * _MS)
        except (ValueError, OverflowError):
            return
        if "addBatch" not in said.phases or self._seen(begin) is None:
            return
        phases = {name: max(0, length) / _MS for name, length in said.phases.items() if name != _WHOLE}
        rows = sum(max(0, source.rows) for source in said.sources)
        self.batches.append(Batch(said.name or said.id, said.batch, rows, phases, begin, begin + max(0, whole)))

    def job(self, number: int, tags: str) -> None:
        """A job with its tags, as its properties have them."""
        for tag in tags.split(","):
            if tag:
                self._jobs.setdefault(tag, []).append(number)

    def started(self, event: events.OperationStarted) -> None:
        user, statement = event.user or event.user_id or "", " ".join((event.statement or "").split())[:_MOST_TEXT]
        operation = Operation(event.id, event.tag or "", user, event.tags or [], statement, self._seen(event.time))
        self._operations[event.id] = operation

    def step(self, name: str) -> Callable[[events.OperationStep], None]:
        """What takes the events of one step: the name of an `Operation`'s time, or how it ended before its end."""

        def take(event: events.OperationStep) -> None:
            operation = self._operations.get(event.id)
            if operation is None:
                return
            if name in ("failed", "cancelled"):
                operation.outcome = name + (f": {first_line(event.error)}" if event.error else "")
                operation.finished = self._seen(event.time)
            else:
                setattr(operation, name, self._seen(event.time))

        return take

    def operations(self) -> list[Operation]:
        """All of them, with their jobs."""
        for operation in self._operations.values():
            operation.jobs = sorted(self._jobs.get(operation.tag, []))
        return list(self._operations.values())
