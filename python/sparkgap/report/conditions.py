# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Conditions on the numbers of a report, such as `gc > 0.2`, for continuous integration."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import ArgumentError
from .shares.parts import BY_KEY

if TYPE_CHECKING:
    from .report import Report

_FORM = re.compile(
    r"\s*(?:(stage|job|execution)\.)?([a-z_]+)\s*(>=|<=|>|<)\s*([0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?)\s*(%?)\s*"
)
_COMPARISONS = {">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le}
_WALL = "wall_s"


@dataclass(frozen=True)
class Condition:
    """A part's share of the wall time, or `wall_s`, compared with a number: of the application, or of any of its
    stages, jobs or SQL executions (`stage.gc > 0.5`).
    """

    text: str
    scope: str
    name: str
    comparison: str
    number: float

    @classmethod
    def of(cls, text: str) -> Condition:
        """The condition that a text means.

        Raises
        ------
        ArgumentError
            It means none.

        Examples
        --------
        >>> Condition.of("gc > 20 %").number
        0.2
        """
        found = _FORM.fullmatch(text)
        if found is None or (found[2] not in BY_KEY and found[2] != _WALL) or (found[2] == _WALL and found[5]):
            names = ", ".join([*BY_KEY, _WALL])
            expected = f"NAME > NUMBER, with a NAME among {names}, before it stage., job. or execution. for any of them"
            raise ArgumentError.of("fail_on", expected, repr(text), "Give for example 'gc > 0.2'.")
        number = float(found[4]) / (100 if found[5] else 1)
        return cls(text.strip(), found[1] or "", found[2], found[3], number)

    def met_by(self, report: Report) -> str | None:
        """What meets it, in words; None where nothing does."""
        compare = _COMPARISONS[self.comparison]
        for where, value in self._values(report):
            if compare(value, self.number):
                return f"{self.name} of {where} is {value:.3g}"
        return None

    def _values(self, report: Report) -> list[tuple[str, float]]:
        if not self.scope:
            value = report.wall_s if self.name == _WALL else report.share(self.name)
            return [("the application", value)]
        table = {"stage": report.stages, "job": report.jobs, "execution": report.executions}[self.scope]
        column = self.name if self.name == _WALL else f"{self.name}_s"
        rows = table.select([self.scope, column, _WALL] if column != _WALL else [self.scope, _WALL]).to_pylist()
        if self.name == _WALL:
            return [(f"{self.scope} {row[self.scope]}", row[_WALL]) for row in rows]
        return [(f"{self.scope} {row[self.scope]}", row[column] / row[_WALL]) for row in rows if row[_WALL]]
