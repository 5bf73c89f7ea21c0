# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A progress bar below a notebook's cell, with nothing but what every kernel of IPython has."""

from __future__ import annotations

import sys
from html import escape
from typing import Any


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    return hasattr(get_ipython(), "kernel")


class NotebookBar:
    """As rich's Progress for one task: gone when it stops, as on a terminal."""

    def __init__(self) -> None:
        self._handle: Any = None

    def start(self) -> None:
        """Before the first task."""

    def add_task(self, description: str, *, total: float | None, detail: str) -> None:
        """Show the bar."""
        from IPython.display import HTML, display

        self._handle = display(HTML(bar(description, 0, total, detail)), display_id=True)

    def update(self, task: None, *, description: str, completed: float, total: float | None, detail: str) -> None:
        """Show how far it is."""
        self._show(bar(description, completed, total, detail))

    def stop(self) -> None:
        """Take it away."""
        self._show("")

    def _show(self, html: str) -> None:
        from IPython.display import HTML

        if self._handle is not None:
            self._handle.update(HTML(html))


def bar(description: str, completed: float, total: float | None, detail: str) -> str:
    """The bar as HTML; one without a total moves.

    Examples
    --------
    >>> bar("a<b", 3, 20, "iteration 3/20")
    '<span>a&lt;b <progress value="3" max="20"></progress> iteration 3/20</span>'
    """
    far = "" if total is None else f' value="{completed:g}" max="{total:g}"'
    return f"<span>{escape(description)} <progress{far}></progress> {escape(detail)}</span>"
