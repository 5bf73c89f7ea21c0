# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The page of a report. All text of the user's goes through the template's escaping, or into data that the script sets
as text; a policy in the page lets nothing run but the script that is in it, and nothing load.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..application import PROCESSOR_KINDS
from ..shares.clock import STEPS
from ..shares.parts import BY_KEY, PARTS
from ..shares.timeline import processors, timeline
from . import dag, events, flame, heaps, machine, waterfall
from .areas import areas
from .words import clean, content_hash, percent, seconds

if TYPE_CHECKING:
    from ..advice.advice import Advice
    from ..report import Report

_HERE = Path(__file__).parent
# Kinds of threads, in the colours of the parts that are most like them.
_CPU_KINDS = {
    "tasks": ("cpu", "tasks"),
    "gc": ("gc", "collections"),
    "jit": ("planning", "compilers of the JVM"),
    "rest": ("between", "all else"),
}
_GROUPS = (("busy", "Slots run tasks"), ("idle", "Slots are idle while others run tasks"), ("driver", "No task runs"))


def html(report: Report) -> str:
    """The whole page."""
    import markupsafe

    flames = flame.graphs(report)
    style, script = read("page.css"), read("page.js") + (read("flame.js") if flames["flames"] else "")
    names, lane = waterfall.lanes(report.application)
    page: str = template("page.html").render(
        **_facts(report),
        **_tables(report),
        **events.tables(report),
        **machine.hosts(report),
        **heaps.strips(report),
        **flames,
        dags=dag.graphs(report),
        flames_data=json.dumps(flames["flames"], ensure_ascii=False),
        **_drawing(report, names, lane),
        labels={part.key: part.label for part in PARTS},
        rects=_rects,
        spoken=_spoken,
        style=markupsafe.Markup(style),
        script=markupsafe.Markup(script),
        style_hash=content_hash(style),
        script_hash=content_hash(script),
    )
    return page


def summary(report: Report) -> str:
    """The breakdown as a table of HTML, for notebooks."""
    rows = "".join(
        f"<tr><td>{escape(row['label'])}</td><td>{seconds(row['seconds'])}</td><td>{percent(row['share'])}</td>"
        f"<td>{row['certainty']}</td></tr>"
        for row in report.breakdown.to_pylist()
        if row["seconds"]
    )
    return f"<table><caption>{escape(clean(report.application.name))}: {seconds(report.wall_s)}</caption>{rows}</table>"


def template(name: str, folder: Path = _HERE) -> Any:
    """A template that escapes all text, and refuses names that it is not given; of that folder, or of this one."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([folder, _HERE]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )
    return environment.get_template(name)


def read(name: str) -> str:
    """A file of this folder."""
    return (_HERE / name).read_text(encoding="utf-8")


def _facts(report: Report) -> dict[str, Any]:
    app, executors = report.application, report.executors.to_pylist()
    began = datetime.fromtimestamp(min(app.begin / 1e3, 253402300799), timezone.utc)
    facts = [
        ("application", app.id),
        ("Spark", app.spark_version),
        ("Java", app.java_version),
        ("user", app.user),
        ("from", f"{began:%Y-%m-%d %H:%M:%S} UTC"),
        ("wall time", seconds(report.wall_s)),
        ("executors", len(executors)),
        ("slots", sum(row["slots"] for row in executors)),
        ("SQL executions", len(app.executions)),
        ("jobs", len(app.jobs)),
        ("stages", len(app.stages)),
        ("task attempts", f"{len(app.tasks):,}"),
    ]
    return {
        "title": clean(app.name or app.id or "A Spark application"),
        "facts": [(name, clean(value)) for name, value in facts if value not in ("", None)],
        "warnings": [clean(text) for text in report.warnings],
        "wall": seconds(report.wall_s),
    }


def _tables(report: Report) -> dict[str, Any]:
    return {
        "headline": _headline(report),
        "total": report.shares.parts,
        "groups": list(_groups(report)),
        "error": percent(report.what_if.error),
        "guesses": _guesses(report),
        "path": _path(report),
        "advice": [_advice(each) for each in report.advice],
        "stages": [
            _stage(row, _origin(report, row["job"]))
            for row in sorted(report.stages.to_pylist(), key=lambda row: -float(row["wall_s"]))
        ],
        "executions": [
            _window(row, row["execution"], row["error"], row["jobs"]) for row in report.executions.to_pylist()
        ],
        "jobs": [
            _window(row, row["job"], "failed" if row["succeeded"] is False else None, row["stages"])
            for row in report.jobs.to_pylist()
        ],
        "calls": [_call(row) for row in report.calls.to_pylist()],
        "executors": [_executor(row) for row in report.executors.to_pylist()],
    }


def _headline(report: Report) -> str:
    first = sorted(report.breakdown.to_pylist(), key=lambda row: -float(row["share"]))[:3]
    named = [f"{row['label']} {percent(row['share'])}" for row in first if row["share"] > 0]
    return f"The largest parts: {', '.join(named)}." if named else "No time passed."


def _groups(report: Report) -> Iterator[tuple[str, str, str, str, list[dict[str, Any]]]]:
    rows = report.breakdown.to_pylist()
    for group, words in _GROUPS:
        own = [row for row in rows if row["group"] == group and row["part"] != "other_tasks"]
        yield (
            group,
            words,
            seconds(sum(row["seconds"] for row in own)),
            percent(sum(row["share"] for row in own)),
            [
                {
                    **row,
                    "seconds": seconds(row["seconds"]),
                    "share": percent(row["share"]),
                    "meaning": BY_KEY[row["part"]].meaning,
                }
                for row in own
            ],
        )


def _guesses(report: Report) -> list[tuple[str, str]]:
    guess = report.what_if
    words = {0.5: "half the slots", 1.0: "these slots", 2.0: "twice the slots", 4.0: "four times the slots"}
    found = [(words[factor], milliseconds) for factor, milliseconds in guess.by_slots.items()]
    found.append(("perfect balance: the work of each stage spread evenly over its slots", guess.balanced))
    found.append(("any number of slots: the longest task of each stage, and the driver", guess.floor))
    return [(text, seconds(milliseconds / 1e3)) for text, milliseconds in found]


def _path(report: Report, most: int = 8) -> list[tuple[str, str, str]]:
    """The longest parts of the critical path, and the rest of it."""
    names = {stage.id: stage.name for stage in report.application.stages}
    parts = []
    for stage, n, length in report.path_by_stage:
        many = "s" * (n != 1)
        words = f"{n:,} wait{many} without a task"
        if stage is not None:
            words = f"stage {stage}: {names.get(stage, '')}, {n:,} task{many}"
        parts.append((words, length))
    if len(parts) > most + 1:
        rest = parts[most:]
        parts = [*parts[:most], (f"{len(rest)} stages more", sum(length for _, length in rest))]
    return [(clean(text), seconds(length), percent(length / max(report.wall_s, 1e-9))) for text, length in parts]


def _origin(report: Report, number: int | None) -> str:
    """The job of a stage, and the SQL execution of that: a stage's own name is often that of a thread."""
    job = next((job for job in report.application.jobs if job.id == number), None)
    if job is None:
        return ""
    execution = next((each for each in report.application.executions if each.id == job.execution), None)
    words = f"job {job.id}" + (f": {job.description}" if job.description else "")
    return words if execution is None else f"{words}, SQL {execution.id}: {execution.description}"


def _advice(each: Advice) -> dict[str, Any]:
    return {
        "title": each.title,
        "evidence": clean(each.evidence),
        "gain": "no time" if each.gain_s is None else seconds(each.gain_s),
        "unsure": each.unsure,
        "action": each.action,
        "settings": [f"{key}={clean(value)}" for key, value in each.settings.items()],
    }


def _stage(row: Mapping[str, Any], origin: str) -> dict[str, Any]:
    gains = {key[len("without_") : -2]: gain for key, gain in row.items() if key.startswith("without_") and gain}
    best = max(gains, key=lambda key: float(gains[key]), default=None)
    lost = f", {row['lost_attempts']} lost" if row["lost_attempts"] else ""
    return {
        **_window(row, row["stage"], row["failure"], []),
        "id": f"{row['stage']}" + (f".{row['attempt']}" if row["attempt"] else ""),
        "tasks": f"{row['tasks']:,}{lost}",
        "durations": ""
        if row["median_task_s"] is None
        else f"{seconds(row['median_task_s'])} / {seconds(row['longest_task_s'])}",
        "skew": "" if row["skew_s"] is None else seconds(row["skew_s"]),
        "gain": f"{BY_KEY[best].label}: {seconds(gains[best])}" if best else "",
        "error": "" if row["replay_error"] is None else percent(row["replay_error"]),
        "origin": clean(origin),
        "plan": clean(" → ".join(row["plan"])),
    }


def _window(row: Mapping[str, Any], number: int, failure: str | None, of: list[int]) -> dict[str, Any]:
    return {
        "id": number,
        "name": clean(row.get("name") or row.get("description") or ""),
        "failure": clean(failure) if failure else "",
        "begin": seconds(row["begin_s"]),
        "wall": seconds(row["wall_s"]),
        "shares": {part.key: row[f"{part.key}_s"] for part in PARTS},
        "of": ", ".join(map(str, of)),
    }


def _call(row: Mapping[str, Any]) -> dict[str, Any]:
    phases = (f"{name.removesuffix('_s')} {seconds(value)}" for name, value in row["phases"])
    return {
        "kernel": clean(row["kernel"]),
        "engine": clean(row["engine"]) + (", failed" if row["failed"] else ""),
        "begin": seconds(row["begin_s"]),
        "wall": seconds(row["wall_s"]),
        "ranks": f"{row['ranks']} x {row['threads']}",
        "rows_in": f"{row['rows_in']:,}",
        "rows_out": f"{row['rows_out']:,}",
        "copied": f"{row['bytes_copied'] / 1e6:,.1f} MB",
        "phases": clean(", ".join(phases)),
    }


def _executor(row: Mapping[str, Any]) -> dict[str, Any]:
    def of_slots(busy: float) -> str:
        return percent(busy / row["slot_s"]) if row["slot_s"] else ""

    return {
        "id": clean(row["executor"]),
        "host": clean(row["host"]),
        "slots": row["slots"],
        "begin": seconds(row["begin_s"]),
        "end": seconds(row["end_s"]),
        "attempts": f"{row['attempts']:,}",
        "busy": of_slots(row["busy_s"]),
        "cpu": of_slots(row["cpu_s"]),
        "gc": of_slots(row["gc_s"]),
        "off_cpu": of_slots(row["off_cpu_s"]),
        "reason": clean(row["reason"]) if row["removed"] else "",
    }


def _drawing(report: Report, names: list[str], lane: Any) -> dict[str, Any]:
    app = report.application
    stage = np.searchsorted([each.key for each in app.stages], app.tasks.stage_key).astype(np.uint32)
    keys, labels = waterfall.part_names()
    words = [f"stage {s.id}{f'.{s.attempt}' if s.attempt else ''}: {clean(s.name)}" for s in app.stages]
    shown = {
        "parts": keys,
        "labels": labels,
        "lanes": [clean(name) for name in names],
        "stages": words,
        "windows": [[s.begin - app.begin, s.end - app.begin] for s in app.stages],
        "wall": max(app.wall, 1),
        "tasks": len(app.tasks),
    }
    used = set(np.unique(stage).tolist())
    return {
        "areas": list(areas([part.key for part in PARTS], timeline(app, report.clock, report.wall))),
        **_processors(report),
        "columns": STEPS,
        "step": seconds(report.wall_s / STEPS),
        "choices": [{"place": i, "words": text} for i, text in enumerate(words) if i in used],
        "n_tasks": f"{len(app.tasks):,}",
        "n_lanes": len(names),
        "shown": json.dumps(shown, ensure_ascii=False),
        "tasks": waterfall.packed(app, report.wall.times, lane, len(names), stage),
    }


def _processors(report: Report) -> dict[str, Any]:
    used = processors(report.application, report.clock)
    most = max(1.0, float(np.ceil(np.quantile(used.sum(axis=1), 0.99) - 0.1)))  # a window's ends are milliseconds off
    kinds = [_CPU_KINDS[kind] for kind in PROCESSOR_KINDS]
    labels = dict(kinds)
    return {
        "processors": [
            {
                "executor": clean(row["executor"]),
                "collector": clean(row["collector"]),
                "whole": seconds(sum(row[f"{kind}_s"] for kind in PROCESSOR_KINDS)),
                "kinds": [seconds(row[f"{kind}_s"]) for kind in PROCESSOR_KINDS],
            }
            for row in report.processors.to_pylist()
        ],
        "most_cpus": f"{most:.0f}",
        "cpu_kinds": kinds,
        "cpu_areas": [(key, labels[key], path) for key, path in areas([key for key, _ in kinds], used / most)],
    }


def _rects(shares: Mapping[str, float]) -> Iterator[tuple[str, str, str]]:
    """Key, place and width of each part of a bar of 1000."""
    whole, at = sum(shares.values()), 0.0
    for part in PARTS:
        width = 1000 * shares[part.key] / whole if whole else 0.0
        if width >= 0.5:
            yield part.key, f"{at:.1f}", f"{width:.1f}"
        at += width


def _spoken(shares: Mapping[str, float]) -> str:
    """The same in words, the largest first."""
    whole = sum(shares.values())
    parts = sorted(((value, key) for key, value in shares.items() if whole and value / whole >= 0.005), reverse=True)
    return ", ".join(f"{BY_KEY[key].label} {percent(value / whole)}" for value, key in parts) or "nothing"
