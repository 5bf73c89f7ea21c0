# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""GraphFrames' class as unchanged jobs need it: what cannot run natively goes to GraphFrames' own, and that is said."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import graphframes

from ..call import last_call
from ..errors import SparkGapError
from ..graph.graphframe import GraphFrame as Native
from ..graph.graphframe.theirs import NAMES, theirs
from .decisions import NO_KERNEL, ends_all, in_one_line, ran
from .estimators import why_not

__all__ = ["GraphFrame"]

_Theirs = graphframes.GraphFrame


class _AlsoTheirs(type):
    """What `isinstance` says in a job that knows one GraphFrame only."""

    def __instancecheck__(cls, found: Any) -> bool:
        return super().__instancecheck__(found) or isinstance(found, _Theirs)


class GraphFrame(Native, metaclass=_AlsoTheirs):
    """GraphFrames' own in a session without sparkgap."""

    def __new__(cls, v: Any, e: Any = None) -> Any:
        why = why_not(getattr(v, "sparkSession", None) or getattr(getattr(v, "vertices", None), "sparkSession", None))
        if why is None:
            return super().__new__(cls)
        ran("GraphFrame", 0.0, native=False, why=why)
        return _Theirs(v, e)

    def __getattr__(self, name: str) -> Any:
        if name in NAMES:
            ran(f"GraphFrame.{name}", 0.0, native=False, why=NO_KERNEL)
        return super().__getattr__(name)


def _said(name: str, native: Callable[..., Any]) -> Callable[..., Any]:
    """The method, with a line where it has called a kernel; what fails natively is asked of GraphFrames' own."""
    what = f"GraphFrame.{name}"

    @functools.wraps(native)
    def method(self: Any, *given: Any, **named: Any) -> Any:
        begin, before = time.monotonic(), last_call()
        try:
            found = native(self, *given, **named)
        except SparkGapError as e:
            if ends_all(e):
                raise
            try:
                own = theirs(self.vertices, self.edges, name)
            except Exception:
                raise e from None  # their package or their jar is not there
            begin = time.monotonic()
            found = own(*given, **named) if callable(own) else own
            ran(what, time.monotonic() - begin, native=False, why=in_one_line(e))
            return found
        if last_call() is not before:
            ran(what, time.monotonic() - begin, native=True)
        return found

    return method


for _name, _member in list(vars(Native).items()):
    if _name.startswith("_") or not hasattr(_Theirs, _name):
        continue
    if isinstance(_member, property) and _member.fget is not None:
        setattr(GraphFrame, _name, property(_said(_name, _member.fget), doc=_member.__doc__))
    elif callable(_member):
        setattr(GraphFrame, _name, _said(_name, _member))
