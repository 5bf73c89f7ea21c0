# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""The charts of README and docs, from bench/results: python bench/pictures.py writes docs/pictures/*.svg.

They are written by hand, bar by bar, so that the same figures give the same file: bench/test_pictures.py compares.
"""

import json
import math
import statistics
import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
PICTURES = ROOT / "docs" / "pictures"
OURS, THEIRS, INK, LINES = "#3f51b5", "#b0b0b0", "#222222", "#dddddd"
SHADES = ("#1a237e", "#3f51b5", "#7986cb", "#c5cae9", "#00897b", "#80cbc4", "#ffb74d")
PHASES = ("export", "launch", "build", "compute", "write", "readback")


def results(name):
    return json.loads((RESULTS / f"{name}.json").read_text())


def seconds(name, case, engine):
    """The median wall time of an engine's runs of a case."""
    found = results(name)["runs"]
    for key in (case, engine) if case in found else (engine, case):
        found = found if key is None else found[key]
    return statistics.median(run["wall_s"] for run in found)


def cases():
    """What is compared, as the results name it: label, file of results, case in it, and Spark's way there."""
    graph, learn = results("graph")["runs"], results("ml")["runs"]
    yield "pagerank, 16.8 M edges", "pagerank", None, "graphx-parallel"
    yield from ((case, "graph", case, "spark") for case in graph["spark"] if case != "pagerank")
    yield from ((case, "ml", case, "spark") for case in learn)
    yield "cpd", "tensor", None, "spark"


def text(x, y, said, *, anchor="start", size=13, bold=False):
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"{weight}>{escape(said)}</text>'


def bar(x, y, width, height, colour, said):
    place = f'x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" height="{height}"'
    return f'<rect {place} fill="{colour}"><title>{escape(said)}</title></rect>'


def picture(width, height, title, parts):
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        f' role="img" aria-label="{escape(title)}" font-family="sans-serif" fill="{INK}">'
    )
    back = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    return "\n".join([head, f"<title>{escape(title)}</title>", back, *parts, "</svg>"]) + "\n"


def speed():
    """Seconds of each case, sparkgap beside Spark's own library, on a scale of powers of ten."""
    left, right, top, step = 190, 640, 62, 46
    least, most = 0.1, 200.0

    def at(s):
        return left + (right - left) * math.log(max(s, least) / least) / math.log(most / least)

    found = list(cases())
    bottom = top + step * len(found)
    parts = [
        text(12, 24, "From a cached DataFrame to the result, on 2 cores", size=16, bold=True),
        text(12, 46, "seconds, each line is ten times the one before; shorter is better", size=12),
    ]
    for tick in (0.1, 1, 10, 100):
        parts.append(f'<line x1="{at(tick):.1f}" y1="{top}" x2="{at(tick):.1f}" y2="{bottom}" stroke="{LINES}"/>')
        parts.append(text(at(tick), bottom + 16, f"{tick:g} s", anchor="middle", size=12))
    for i, (label, name, case, engine) in enumerate(found):
        y = top + step * i + 6
        ours, theirs = seconds(name, case, "native"), seconds(name, case, engine)
        parts.append(text(left - 8, y + 21, label, anchor="end"))
        for colour, s, down, said in (
            (OURS, ours, 0, f"sparkgap {ours:.2f} s, {theirs / ours:.0f} times as fast"),
            (THEIRS, theirs, 17, f"Spark's own {theirs:.1f} s"),
        ):
            parts.append(bar(left, y + down, at(s) - left, 15, colour, said))
            parts.append(text(at(s) + 5, y + down + 12, said, size=11))
    return picture(860, bottom + 28, "sparkgap beside Spark's own library", parts)


def phases():
    """Where the wall time of one PageRank goes."""
    runs = results("pagerank")["runs"]["native"]
    run = sorted(runs, key=lambda r: r["wall_s"])[len(runs) // 2]
    found = {name: run["phases"].get(f"{name}_s", 0.0) for name in PHASES}
    found["the rest"] = max(0.0, run["wall_s"] - sum(found.values()))
    left, width, x = 12, 800, 12.0
    parts = [text(12, 24, f"One PageRank of 16.8 M edges: {run['wall_s']:.2f} s", size=16, bold=True)]
    for i, (name, s) in enumerate(found.items()):
        wide = width * s / run["wall_s"]
        parts.append(bar(x, 40, wide, 34, SHADES[i], f"{name} {s:.2f} s"))
        row, column = divmod(i, 4)
        parts.append(bar(left + 200 * column, 90 + 24 * row, 12, 12, SHADES[i], name))
        parts.append(text(left + 200 * column + 18, 101 + 24 * row, f"{name} {s:.2f} s", size=12))
        x += wide
    return picture(830, 140, "The phases of one call", parts)


def way():
    """The data's way: one copy out of the heap, and none after."""
    lanes = (("Spark's JVM", 50), ("shared memory", 150), ("native processes", 250))
    boxes = {
        "in": (60, 0, ["DataFrame"]),
        "segments": (60, 1, ["Arrow files", "one per partition"]),
        "ranks": (330, 2, ["MPI + OpenMP ranks", "compute"]),
        "result": (600, 1, ["Arrow files", "of the same format"]),
        "out": (600, 0, ["DataFrame"]),
    }
    arrows = (
        ("in", "segments", "copied once"),
        ("segments", "ranks", "mapped, not copied"),
        ("ranks", "result", "written once"),
        ("result", "out", "read in place"),
    )
    wide, high = 170, 52
    parts = [
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        f'<path d="M0 0 L8 4 L0 8 z" fill="{INK}"/></marker></defs>'
    ]
    for name, y in lanes:
        parts.append(f'<rect x="8" y="{y - 34}" width="824" height="92" fill="#f5f6fb"/>')
        parts.append(text(16, y + 52, name, size=12))

    def middle(box):
        x, lane, _ = boxes[box]
        return x + wide / 2, lanes[lane][1] + high / 2 - 16

    for start, end, said in arrows:
        (x1, y1), (x2, y2) = middle(start), middle(end)
        straight = x1 == x2
        down = 1 if y2 > y1 else -1
        x1, x2 = (x1, x2) if straight else (x1 + wide / 2, x2 - wide / 2)
        y1, y2 = (y1 + down * high / 2, y2 - down * high / 2) if straight else (y1, y2)
        place = f'x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"'
        parts.append(f'<line {place} stroke="{INK}" stroke-width="1.5" marker-end="url(#tip)"/>')
        middle_x, middle_y = (x1 + x2) / 2, (y1 + y2) / 2
        side = 10 if straight else 14 * down
        parts.append(text(middle_x + side, middle_y, said, size=12, anchor="start" if side > 0 else "end"))
    for x, lane, lines in boxes.values():
        y = lanes[lane][1] - 16
        colour = OURS if lane else THEIRS
        parts.append(f'<rect x="{x}" y="{y}" width="{wide}" height="{high}" rx="6" fill="#ffffff" stroke="{colour}"/>')
        for i, line in enumerate(lines):
            down = high / 2 + 5 + 17 * (i - (len(lines) - 1) / 2)
            parts.append(text(x + wide / 2, y + down, line, anchor="middle", bold=i == 0))
    return picture(840, 318, "The way of the data", parts)


def made():
    return {"speed.svg": speed(), "phases.svg": phases(), "way.svg": way()}


def main():
    PICTURES.mkdir(exist_ok=True)
    for name, svg in made().items():
        (PICTURES / name).write_text(svg)
    return 0


if __name__ == "__main__":
    sys.exit(main())
