# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A progress bar on stderr or in a notebook for a call that runs."""

from __future__ import annotations

import contextvars
import sys
import threading
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .notebook_bar import NotebookBar, in_notebook

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# What a job says of itself: phase, and where it is one that repeats itself, iteration, of and residual.
Said = Mapping[str, Any]
POLL_S = 0.25
_PATIENCE_S = 0.5
_JOIN_S = 5.0


class Progress:
    """Context manager that shows phase, iteration and residual of a job of `kernel` while its body runs, as `look`
    gives them now and then; None where there is nothing yet.

    `shown` None means: where stderr is a terminal, or in a notebook. A bar comes after half a second, so that short
    calls have none. A failure to look ends the bar, never the call.
    """

    def __init__(
        self, kernel: str, look: Callable[[], Said | None], *, begin: str = "export", shown: bool | None = None
    ) -> None:
        self._kernel, self._look, self._begin = kernel, look, begin
        self._shown = sys.stderr.isatty() or in_notebook() if shown is None else shown
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._bar: Any = None

    def __enter__(self) -> Progress:
        if self._shown:
            here = contextvars.copy_context()  # by which a notebook knows the cell
            self._thread = threading.Thread(target=here.run, args=(self._watch,), name="sparkgap-progress", daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(_JOIN_S)
        if self._bar is not None:
            self._bar.stop()

    def _watch(self) -> None:
        if self._stop.wait(_PATIENCE_S):
            return
        try:
            self._bar = _bar()
            self._bar.start()
            self._task = self._bar.add_task(f"{self._kernel} {self._begin}", total=None, detail="")
            while not self._stop.wait(POLL_S):
                said = self._look()
                if said is not None and not self._stop.is_set():
                    self._update(said)
        except Exception:
            return

    def _update(self, said: Said) -> None:
        iteration, of = said.get("iteration") or 0, said.get("of") or 0
        self._bar.update(
            self._task,
            description=f"{self._kernel} {said['phase']}",
            completed=iteration,
            total=of if of > 0 else None,
            detail=detail(iteration, of, said.get("residual")),
        )


def newest_job(spark: SparkSession, kernel: str) -> Callable[[], Said | None]:
    """What the newest job of that kernel says, by `CALL sparkgap.launch.jobs()`."""

    def look() -> Said | None:
        rows = [row.asDict() for row in spark.sql("CALL sparkgap.launch.jobs()").collect()]
        mine = [row for row in rows if row["kernel"] == kernel]
        return min(mine, key=lambda row: row["elapsed_s"]) if mine else None

    return look


def detail(iteration: int, of: int, residual: float | None) -> str:
    """What stands behind the bar.

    Examples
    --------
    >>> detail(3, 20, 0.0125)
    'iteration 3/20  residual 1.25e-02'
    """
    words = [f"iteration {iteration}/{of}"] if of > 0 else []
    if residual is not None and residual >= 0:
        words.append(f"residual {residual:.2e}")
    return "  ".join(words)


def _bar() -> Any:
    if in_notebook():
        return NotebookBar()
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[detail]}"), TimeElapsedColumn())
    return Bar(*columns, console=Console(stderr=True), transient=True)
