# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""All rules of advice, applied to a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import driver, executors, kernels, memory, plans, shuffles, store, tasks
from .advice import Advice

if TYPE_CHECKING:
    from ..report import Report


_ROOMS = (memory, executors, store, shuffles, tasks, plans, driver, kernels)


def advise(report: Report) -> list[Advice]:
    """All advice, the largest gain first."""
    rules = [rule for module in _ROOMS for rule in module.RULES]
    found = [advice for rule in rules if (advice := rule(report)) is not None]
    return sorted(found, key=lambda advice: -(advice.gain_s or 0))
