# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A machine as a tree of lines."""

from __future__ import annotations

from collections.abc import Iterator

from .machine import Machine, Part

_LINES = {True: ("├─ ", "│  ", "└─ ", "   "), False: ("|- ", "|  ", "`- ", "   ")}


def draw(machine: Machine, *, unicode: bool = True) -> str:
    """The tree, then what may be used and why. What has one thing below it shares its line with that, as lstopo has
    it.
    """
    lines = list(_lines(machine, machine.root, "", "", _LINES[unicode]))
    return "\n".join([*lines, "", *machine.why])


def _lines(machine: Machine, part: Part, first: str, rest: str, marks: tuple[str, str, str, str]) -> Iterator[str]:
    titles = [part.title]
    while part.kind != "Machine" and len(part.parts) == 1 and len(part.normal) == 1:
        part = part.normal[0]
        titles.append(part.title)
    line = first + " + ".join(titles)
    if part.kind == "PU" and part.os_index is not None:
        why_not = machine.why_not(part.os_index)
        line += f"  x {why_not}" if why_not else ""
    yield line
    branch, trunk, last, blank = marks
    below = part.parts
    for i, child in enumerate(below):
        ends = i == len(below) - 1
        yield from _lines(machine, child, rest + (last if ends else branch), rest + (blank if ends else trunk), marks)
