# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Keeps the newest result of each table, and says what has changed since the one before, which git has."""

import json
import math
import statistics
from pathlib import Path

PLACE = Path(__file__).parent / "results"
MOST_LINES = 20
NOISE = 1.1
TIME = ("_s", "_ms")
# What tells the rows of a list apart.
ROW = {"kernel", "engine", "cache", "name"}


def measured_on(result):
    """What it was measured on, when and by what, for the head of a page."""
    m = result["machine"]
    return (
        f"{m['processor']}, {m['cores']} cores; Java {m['java']}, Spark {m['packages']['pyspark']}; load"
        f" {m['load_1min']} at start; commit {m['commit']}{' + changes' if m['changed'] else ''}; {result['date']};"
        f" `{result['command']}`."
    )


def keep(name, result, text, place=PLACE):
    """Write `name`.json and `name`.md in place of the last ones.

    Parameters
    ----------
    result : dict
        What was measured, with its machine, commit and date; times have names that end in _s or _ms.
    text : str
        The same as Markdown.

    Returns
    -------
    str
        How the medians compare with those of the last result, a line for each that differs by more than 10 %.
    """
    place.mkdir(parents=True, exist_ok=True)
    file = place / f"{name}.json"
    said = compared(json.loads(file.read_text()), result) if file.exists() else f"{name}: nothing to compare with yet"
    file.write_text(json.dumps(result, indent=1) + "\n")
    file.with_suffix(".md").write_text(text.rstrip() + "\n")
    return said


def medians(result):
    """Every time [s] of a result, by the names that lead to it: the median of what was measured again and again."""
    found = {}
    for path, value in _numbers(result, ()):
        found.setdefault(path, []).append(value)
    return {path: statistics.median(values) for path, values in found.items()}


def _numbers(value, path):
    """The leaves that say a time or a median: of a list by the words of its rows, where these have some."""
    if isinstance(value, dict):
        words = tuple(v for k, v in value.items() if isinstance(v, str) and k in ROW)
        for key, inner in value.items():
            yield from _numbers(inner, (*path, *words) if key == "median" else (*path, *words, key))
    elif isinstance(value, list):
        for inner in value:
            yield from _numbers(inner, path)
    elif isinstance(value, (int, float)) and not isinstance(value, bool) and path and path[-1].endswith(TIME):
        yield path, value


def compared(last, now):
    """What the two say of the same things, largest change first."""
    before, after = medians(last), medians(now)
    both = [(p, before[p], after[p]) for p in after if before.get(p, 0) > 0 and after[p] > 0]
    both.sort(key=lambda row: -abs(math.log(row[2] / row[1])))
    moved = [row for row in both if not 1 / NOISE < row[2] / row[1] < NOISE]
    lines = [f"{' '.join(map(str, p))}: {a:.4g} -> {b:.4g} ({b / a:.2f} x)" for p, a, b in moved[:MOST_LINES]]
    head = f"beside {_named(last)}: {len(both)} medians, {len(moved)} of them differ by more than 10 %"
    other = [] if _processor(last) == _processor(now) else [f"on another machine: {_processor(last)}"]
    return "\n".join([head, *other, *lines])


def _named(result):
    commit = result.get("commit") or _machine(result).get("commit")
    return f"{commit or 'no commit'} of {result.get('date', 'no date')}"


def _processor(result):
    return _machine(result).get("processor", "an unknown one")


def _machine(result):
    machine = result.get("machine")
    return machine if isinstance(machine, dict) else {}
