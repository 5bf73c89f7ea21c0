# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Which stages needed the output of which, across jobs.

An adaptive query runs each of its shuffles as a job of its own. The next job has a stage of another number for it,
which Spark skips; both have the same RDD.
"""

from __future__ import annotations

from . import events


class Lineage:
    """Takes jobs and stages as a log tells of them, and remembers no more than what open jobs need."""

    def __init__(self) -> None:
        self._rdds: dict[int, int] = {}
        self._ran: dict[int, int] = {}

    def job_started(self, event: events.JobStart) -> None:
        for info in event.stages:
            self._know(info)

    def job_ended(self, stages: list[int]) -> None:
        for stage in stages:
            self._rdds.pop(stage, None)

    def ran(self, info: events.StageInfo) -> list[int]:
        """The stages whose output this one, which runs now, needs."""
        self._know(info)
        found = []
        for parent in info.parents:
            rdd = self._rdds.get(parent)
            stage = parent if rdd is None else self._ran.get(rdd, parent)
            if stage != info.id and stage not in found:
                found.append(stage)
        if info.id in self._rdds:
            self._ran[self._rdds[info.id]] = info.id
        return found

    def _know(self, info: events.StageInfo) -> None:
        if info.rdds:
            self._rdds[info.id] = info.rdds[0].id
