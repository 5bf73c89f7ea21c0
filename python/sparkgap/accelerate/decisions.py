# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What ran natively and what stayed Spark's: a line as it happens, and a table of all."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from ..errors import LaunchError, SparkGapError

NO_KERNEL = "no kernel"

_lock = threading.Lock()
_made: dict[tuple[str, bool, str | None], Decision] = {}
_said: set[str] = set()
_quiet = False


@dataclass(frozen=True)
class Decision:
    """Of one class or method: how often it ran in one way, and in how many seconds together."""

    what: str
    native: bool
    why: str | None
    runs: int
    seconds: float


@dataclass(frozen=True)
class Report:
    """All decisions of this process, in the order in which they came first; printed it is a table."""

    decisions: tuple[Decision, ...]

    def _rows(self) -> list[tuple[str, str, str, str, str]]:
        rows = [
            (d.what, "native" if d.native else "Spark's", str(d.runs), f"{d.seconds:.1f}", d.why or "")
            for d in self.decisions
        ]
        return [("", "runs", "times", "seconds", "why"), *rows]

    def __str__(self) -> str:
        if not self.decisions:
            return "sparkgap: nothing ran that it could have taken."
        rows = self._rows()
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines = (
            f"{what:<{widths[0]}}  {how:<{widths[1]}}  {times:>{widths[2]}}  {seconds:>{widths[3]}}  {why}".rstrip()
            for what, how, times, seconds, why in rows
        )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        kinds = ["th", *["td"] * len(self.decisions)]
        body = "".join(
            f"<tr>{''.join(f'<{kind}>{escape(cell)}</{kind}>' for cell in row)}</tr>"
            for kind, row in zip(kinds, self._rows(), strict=True)
        )
        return f"<table><caption>sparkgap</caption>{body}</table>"


def report() -> Report:
    """What ran natively so far and what stayed Spark's.

    Examples
    --------
    >>> isinstance(report(), Report)
    True
    """
    with _lock:
        return Report(tuple(_made.values()))


def ran(what: str, seconds: float, *, native: bool, why: str | None = None) -> None:
    """Count a run, and say it: natively each time with its seconds, Spark's own once for each reason."""
    with _lock:
        before = _made.get((what, native, why), Decision(what, native, why, 0, 0.0))
        _made[what, native, why] = Decision(what, native, why, before.runs + 1, before.seconds + seconds)
    if native:
        say(f"{what} native, {seconds:.1f} s")
    else:
        say_once(f"{what} stays Spark's: {why}")


def say(line: str) -> None:
    """One line on stderr, unless they are not wanted."""
    if not _quiet:
        print(f"sparkgap: {' '.join(line.split())}", file=sys.stderr, flush=True)


def say_once(line: str) -> None:
    """The same, but only the first time."""
    with _lock:
        new = line not in _said
        _said.add(line)
    if new:
        say(line)


def keep_quiet(quiet: bool) -> None:
    """Whether `say` prints nothing."""
    global _quiet
    _quiet = quiet


def ends_all(error: SparkGapError) -> bool:
    """Whether Spark's own would end as this did: the session has stopped, or the user has cancelled the job."""
    return isinstance(error, LaunchError) and any(word in str(error) for word in ("cancelled", "it was stopped"))


def in_one_line(error: BaseException) -> str:
    """What an error says, without the log behind it.

    Examples
    --------
    >>> in_one_line(ValueError("a: expected b. Do c.\\nlog"))
    'a: expected b. Do c'
    """
    lines: Sequence[str] = str(error).splitlines() or [type(error).__name__]
    return lines[0].rstrip(".")
