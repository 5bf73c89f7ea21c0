# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A machine as boxes in boxes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from html import escape

from .machine import Machine, Part

_PAD, _GAP, _LINE, _LETTER = 6.0, 5.0, 16.0, 6.9
_FONT = 11
_SHAPE = 1.6  # width to height that rows of boxes aim at
_FORBIDDEN = "#f4b6b0"
_COLOURS = {
    "Machine": "#ffffff",
    "Package": "#e4e4e4",
    "Die": "#ececec",
    "Group": "#f3f3f3",
    "NUMANode": "#dfcfc0",
    "MemCache": "#eadfd4",
    "Core": "#c4c4c4",
    "PU": "#ffffff",
    "Bridge": "#ffffff",
    "PCIDev": "#dbe3c4",
    "OSDev": "#d0d0e8",
    "Misc": "#fff3c4",
}
_CACHE = "#f7f7f0"


@dataclass
class _Box:
    part: Part
    width: float = 0
    height: float = 0
    # Boxes inside, with their places in this one.
    inside: list[tuple[float, float, _Box]] = field(default_factory=list)


def draw(machine: Machine) -> str:
    """An SVG 1.1 document. Everything that the machine's data says in it is escaped."""
    box = _laid_out(machine.root)
    width = max(box.width, *(_wide(line) for line in machine.why))
    height = box.height + _LINE * len(machine.why) + 2 * _PAD
    lines = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" version="1.1" width="{width + 2 * _PAD:.0f}"'
            f' height="{height + 2 * _PAD:.0f}" font-family="DejaVu Sans Mono, monospace" font-size="{_FONT}">'
        ),
        "<title>sparkgap topo</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    _paint(machine, box, _PAD, _PAD, lines)
    for i, line in enumerate(machine.why):
        lines.append(
            f'<text x="{_PAD:.0f}" y="{box.height + 2 * _PAD + _LINE * (i + 0.8):.1f}"'
            f' xml:space="preserve">{escape(line)}</text>'
        )
    return "\n".join([*lines, "</svg>"]) + "\n"


def _wide(text: str) -> float:
    return _LETTER * len(text)


def _laid_out(part: Part) -> _Box:
    """The size of a box from those in it: memory at the top, then the tree, then devices, each in rows of equal length
    that suit the shape.
    """
    box = _Box(part)
    y = _PAD + _LINE
    width = _wide(part.title)
    alone = []
    for group in (part.memory, part.normal, part.devices):
        boxes = [_laid_out(p) for p in group]
        if not boxes:
            continue
        y += _GAP
        area = sum((b.width + _GAP) * (b.height + _GAP) for b in boxes)
        most = max(2, math.ceil(math.sqrt(area * _SHAPE) / (max(b.width for b in boxes) + _GAP)))
        in_row = math.ceil(len(boxes) / math.ceil(len(boxes) / most))
        for first in range(0, len(boxes), in_row):
            row, x = boxes[first : first + in_row], _PAD
            for b in row:
                box.inside.append((x, y, b))
                x += b.width + _GAP
            width = max(width, x - _GAP - _PAD)
            y += max(b.height for b in row) + _GAP
            alone += row if len(row) == 1 else []
        y -= _GAP
    for b in alone:
        _widen(b, width)
    box.width, box.height = width + 2 * _PAD, y + _PAD
    return box


def _widen(box: _Box, width: float) -> None:
    grown, box.width = width - box.width, max(width, box.width)
    if grown > 0 and len(box.inside) == 1:
        _widen(box.inside[0][2], width - 2 * _PAD)


def _paint(machine: Machine, box: _Box, x: float, y: float, lines: list[str]) -> None:
    part = box.part
    why_not = machine.why_not(part.os_index) if part.kind == "PU" and part.os_index is not None else ""
    fill = _FORBIDDEN if why_not else _COLOURS.get(part.kind, _CACHE)
    lines.append(f'<g class="{escape(part.kind)}">')
    if why_not:
        lines.append(f"<title>{escape(f'{part.title}: {why_not}')}</title>")
    lines.append(
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="2" fill="{fill}"'
        ' stroke="#555555" stroke-width="0.8"/>'
    )
    lines.append(f'<text x="{x + _PAD:.1f}" y="{y + _PAD + 0.7 * _LINE:.1f}">{escape(part.title)}</text>')
    for dx, dy, inner in box.inside:
        _paint(machine, inner, x + dx, y + dy, lines)
    lines.append("</g>")
