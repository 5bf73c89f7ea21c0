# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What was lost: attempts at tasks and stages, and executors."""

from __future__ import annotations

from ..application import Fault, Stage
from . import events

_MOST = 10_000
_MOST_TEXT = 300
# How Spark says that an attempt at a task did not succeed, and what we call it.
_KINDS = {
    "FetchFailed": "shuffle files lost",
    "ExecutorLostFailure": "task lost with its executor",
    "TaskKilled": "task killed",
    "TaskCommitDenied": "commit denied",
    "Resubmitted": "result lost with its executor",
    "TaskResultLost": "result lost",
}


class Faults:
    """Takes what a log says of them; after `_MOST` it only counts."""

    def __init__(self) -> None:
        self.found: list[Fault] = []
        self.left_out = 0

    def task(self, event: events.TaskEnd) -> None:
        """An attempt that did not succeed."""
        reason, info = event.reason, event.info
        texts = (reason.kill, reason.loss, reason.message, reason.description)
        said = next((text for text in texts if text), "")
        thrown = (reason.thrown or "").rpartition(".")[2]
        what = ": ".join(part for part in (thrown, first_line(said)) if part)
        kind = _KINDS.get(reason.reason, "task failed")
        self._add(Fault(info.finished, kind, what, info.executor, (event.stage, event.stage_attempt)))

    def executor(self, event: events.ExecutorRemoved) -> None:
        self._add(Fault(event.timestamp, "executor gone", first_line(event.reason), event.id))

    def stage(self, stage: Stage) -> None:
        """One that failed, or one that is tried again."""
        key = (stage.id, stage.attempt)
        if stage.failure and stage.completed:
            self._add(Fault(stage.completed, "stage failed", first_line(stage.failure), "", key))
        if stage.attempt and stage.submitted:
            self._add(Fault(stage.submitted, "stage tried again", f"attempt {stage.attempt}", "", key))

    def _add(self, fault: Fault) -> None:
        if len(self.found) < _MOST:
            self.found.append(fault)
        else:
            self.left_out += 1


def first_line(text: str) -> str:
    """The line that says what it was: of a traceback of Python the last one that is not indented."""
    first, *others = text.strip().splitlines() or [""]
    if first.endswith("Traceback (most recent call last):"):
        first = next((line for line in reversed(others) if line and not line[0].isspace()), first)
    return first[:_MOST_TEXT]
