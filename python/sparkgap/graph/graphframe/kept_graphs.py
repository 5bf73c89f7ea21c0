# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The stored graphs behind a GraphFrame: built when first asked for, used again, dropped with their owner."""

from __future__ import annotations

import contextlib
import threading
import weakref
from typing import TYPE_CHECKING

from ..stored_graph import Graph, build

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_Key = tuple[bool, bool, str | None]


class KeptGraphs:
    """Stored graphs of the same vertices and edges, by how the edges are read.

    Examples
    --------
    >>> v = spark.createDataFrame([(1,), (2,)], "id bigint")
    >>> kept = KeptGraphs(v, spark.createDataFrame([(1, 2)], "src bigint, dst bigint"))
    >>> kept.get() is kept.get(), kept.get() is kept.get(directed=False)
    (True, False)
    >>> kept.drop()
    """

    def __init__(self, vertices: DataFrame, edges: DataFrame) -> None:
        self._vertices = vertices
        self._edges = edges
        self._built: dict[_Key, Graph] = {}
        self._lock = threading.Lock()
        # Not at exit: the store goes with the application, and the session may have gone before.
        weakref.finalize(self, _drop_aside, self._built).atexit = False

    def get(self, *, directed: bool = True, backward: bool = False, weight: str | None = None) -> Graph:
        """The graph whose edges run from `src` to `dst`; where `backward` the other way, where not `directed` both."""
        key = (directed, backward, weight)
        with self._lock:
            if key not in self._built:
                src, dst = ("dst", "src") if backward else ("src", "dst")
                self._built[key] = build(
                    self._edges, src=src, dst=dst, weight=weight, vertices=self._vertices, directed=directed
                )
            return self._built[key]

    def drop(self) -> None:
        """Remove all of them from the store; the next `get` builds anew."""
        with self._lock:
            while self._built:
                self._built.popitem()[1].drop()


def _drop_aside(built: dict[_Key, Graph]) -> None:
    """Drop what a KeptGraphs left.

    The garbage collector may call this in the midst of anything, also of a call to Spark, so another thread does it.
    """

    def drop() -> None:
        for graph in built.values():
            with contextlib.suppress(Exception):  # the session may have ended, and the store with it
                graph.drop()

    if built:
        threading.Thread(target=drop, name="sparkgap-drop", daemon=True).start()
