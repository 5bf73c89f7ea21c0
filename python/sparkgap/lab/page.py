# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The page of a study: findings, figures as the paper drew them, and every run. It needs the table alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..report.page.page import read, template
from ..report.page.words import clean, content_hash
from . import plot, study
from .figures import figures
from .findings import Judged, judge
from .measures import METRICS
from .results import Results

_HERE = Path(__file__).parent
_GIB = 1 << 30


def html(results: Results) -> str:
    """The whole page."""
    import markupsafe

    parsed = study.parse(results.name, results.text)
    style = read("page.css") + (_HERE / "page.css").read_text(encoding="utf-8")
    page: str = template("lab.html", _HERE).render(
        title=clean(parsed.title),
        source=clean(parsed.source),
        question=clean(parsed.question),
        scale=results.scale,
        facts=_facts(results),
        findings=[_finding(each) for each in judge(parsed, results)],
        untestable=[(clean(name), clean(why)) for name, why in parsed.untestable.items()],
        figures=list(figures(parsed, results)),
        runs=[_run(row) for row in results.rows if row["state"] == "done"],
        priced=sorted({clean(row["priced_as"]) for row in results.rows if "priced_as" in row}),
        others=[_run(row) for row in results.rows if row["state"] != "done"],
        style=markupsafe.Markup(style),
        style_hash=content_hash(style),
    )
    return page


def markdown(results: Results) -> str:
    """The findings alone, as a table of Markdown."""
    parsed = study.parse(results.name, results.text)
    machine = results.machine
    done = sum(row["state"] == "done" for row in results.rows)
    lines = [
        f"{parsed.title}, after {parsed.source}. Scale {results.scale}: {done} runs; {machine['processor']},"
        f" {machine['cpus']} processors, {machine['memory_bytes'] / _GIB:.0f} GiB, Spark {machine['pyspark']},"
        f" Java {machine['java']}.",
        "",
        "| figure | published | here |",
        "|---|---|---|",
    ]
    rows = [(each.finding.name, each.finding.text, each.sentence()) for each in judge(parsed, results)]
    rows += [
        (name, f"{why.split(': ')[0]}.", f"Not testable: {why.partition(': ')[2]}")
        for name, why in parsed.untestable.items()
    ]
    lines += [f"| {' | '.join(clean(word).replace('|', '&#124;') for word in row)} |" for row in rows]
    return "\n".join([*lines, ""])


def _facts(results: Results) -> list[tuple[str, str]]:
    machine = results.machine
    return [
        ("processor", clean(machine["processor"])),
        ("processors", f"{machine['cpus']} on {machine['cores']} cores"),
        ("memory", f"{machine['memory_bytes'] / _GIB:.0f} GiB"),
        ("Java", clean(machine["java"])),
        ("Spark", clean(machine["pyspark"])),
        ("sparkgap", clean(machine["sparkgap"])),
        ("runs", f"{sum(row['state'] == 'done' for row in results.rows)}"),
        ("died", f"{sum(row['state'] == 'died' for row in results.rows)}"),
        ("left out", f"{sum(row['state'] == 'left out' for row in results.rows)}"),
        ("beside others' load", f"{sum(bool(row.get('is_disturbed')) for row in results.rows)}"),
    ]


def _finding(judged: Judged) -> dict[str, str]:
    return {
        "name": clean(judged.finding.name),
        "text": clean(judged.finding.text),
        "verdict": judged.verdict.value,
        "sentence": clean(judged.sentence()),
    }


def _run(row: dict[str, Any]) -> dict[str, Any]:
    def number(name: str) -> str:
        value = METRICS[name].of(row) if row["state"] == "done" else None
        return "" if value is None else plot.short(value)

    return {
        "experiments": clean(", ".join(row["experiments"])),
        "workload": clean(row["workload"]),
        "levels": clean(", ".join(f"{name}={level}" for name, level in row["levels"].items())),
        "state": row["state"],
        "why": clean(row["why"]),
        "numbers": [number(name) for name in ("work_s", "dps", "cpu_s", "gc_share", "peak_bytes", "dollars")],
        "load": "" if row.get("others_share") is None else f"{100 * row['others_share']:.0f} %",
        "is_disturbed": bool(row.get("is_disturbed")),
    }
