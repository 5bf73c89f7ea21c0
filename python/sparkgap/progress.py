# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A progress bar on stderr or in a notebook for a call that runs, fed by `CALL sparkgap.launch.jobs()`."""

from __future__ import annotations

import contextvars
import sys
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .notebook_bar import NotebookBar, in_notebook

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

POLL_S = 0.25
_JOIN_S = 5.0


class Progress:
    """Context manager that shows phase, iteration and residual of the newest job of `kernel` while its body runs.

    `shown` None means: where stderr is a terminal, or in a notebook. A failure to poll ends the bar, never the call.
    """

    def __init__(self, spark: SparkSession, kernel: str, *, shown: bool | None = None) -> None:
        self._spark, self._kernel = spark, kernel
        self._shown = sys.stderr.isatty() or in_notebook() if shown is None else shown
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._bar: Any = None

    def __enter__(self) -> Progress:
        if self._shown:
            self._bar = _bar()
            self._bar.start()
            self._task = self._bar.add_task(f"{self._kernel} export", total=None, detail="")
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
        try:
            while not self._stop.wait(POLL_S):
                rows = self._spark.sql("CALL sparkgap.launch.jobs()").collect()
                mine = [row for row in rows if row["kernel"] == self._kernel]
                if mine and not self._stop.is_set():
                    self._update(min(mine, key=lambda row: row["elapsed_s"]))
        except Exception:
            return

    def _update(self, row: Any) -> None:
        iteration, of = row["iteration"] or 0, row["of"] or 0
        self._bar.update(
            self._task,
            description=f"{self._kernel} {row['phase']}",
            completed=iteration,
            total=of if of > 0 else None,
            detail=detail(iteration, of, row["residual"]),
        )


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
