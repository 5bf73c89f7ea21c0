# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a run's applications left in their folders, as one row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .. import report as reports
from ..errors import SparkGapError
from ..profile.proof import last_words, overruled
from .design import Run
from .start import Start

# Files of an instance's folder; `AGAIN` is a folder like it, of its second try.
REQUEST, ENDED, ANSWER, OUTPUT = "request.json", "ended.json", "answer.json", "output.txt"
STRUCK, AGAIN = "struck.json", "again"


def identity(run: Run, start: Start, begun: float, load: float) -> dict[str, Any]:
    """What a row says of a run, however it ends."""
    return {
        **run.identity(),
        "begun": begun,
        "instances": start.started,
        "cpus": len(start.cpus),
        "load_before": load,
        "settings": start.settings if run.own else start.spark_settings(),
    }


def instance(folder: Path, run: Run, start: Start) -> dict[str, Any]:
    """What one application did; `why` says how it died. The time of work of one that is not the lab's is all of its
    time.
    """
    is_ours = run.own is None and start.engine != "mapreduce"
    if (folder / AGAIN).exists():
        return _added(_struck_s(folder), _read(folder / ENDED), instance(folder / AGAIN, run, start))
    said = _read(folder / ENDED)
    if said is None:
        return {"why": "it was killed, or took too long"}
    found: dict[str, Any] = {name: said[name] for name in ("elapsed_s", "cpu_user_s", "cpu_system_s", "peak_bytes")}
    answer = _read(folder / ANSWER)
    if said["status"] != 0 or (answer is None and is_ours):
        found["why"] = f"status {said['status']}: {last_words(folder / OUTPUT)}"
        return found
    try:
        report = reports.load(folder / "profile")
    except SparkGapError as e:
        return {**found, "why": str(e)}
    if not is_ours and (names := overruled(_read(folder / REQUEST)["settings"], report.application.settings)):
        return {**found, "why": f"it sets {', '.join(names)} itself, so that its levels have no effect"}
    found["wall_s"] = report.wall_s
    found |= answer or {"work_s": report.wall_s}
    since_ms = int(1e3 * found.pop("since", 0.0))  # the log has whole ones
    if (struck_s := _struck_s(folder)) is not None:
        found["struck_s"] = struck_s
    for part in report.breakdown.to_pylist():
        found[f"share_{part['part']}"] = part["share"]
        found[f"seconds_{part['part']}"] = part["seconds"]
    for call in report.application.calls:
        for phase, value in call.phases.items() if call.begin >= since_ms else ():
            found[f"call_{phase}"] = found.get(f"call_{phase}", 0.0) + value
    found["collector_s"] = sum(row["gc_s"] for row in report.processors.to_pylist())
    found["warnings"] = report.warnings
    return found


def _struck_s(folder: Path) -> float | None:
    """Seconds of work before the fault."""
    said = _read(folder / STRUCK)
    return None if said is None else float(said["work_s"])


def _added(struck_s: float | None, first: dict[str, Any] | None, second: dict[str, Any]) -> dict[str, Any]:
    """An application that was killed, and was begun again: its work is what both did."""
    if struck_s is None or first is None or "work_s" not in second:
        return {**second, "why": second.get("why", "it took too long after its fault")}
    found = {**second, "work_s": struck_s + second["work_s"], "struck_s": struck_s}
    for name in ("elapsed_s", "cpu_user_s", "cpu_system_s"):
        found[name] += first[name]
    return {**found, "peak_bytes": max(first["peak_bytes"], second["peak_bytes"])}


def together(instances: list[dict[str, Any]], killed: int) -> dict[str, Any]:
    """One row of several: the time of the slowest, all of the CPU time, and the mean of shares."""
    died = [each["why"] for each in instances if "why" in each]
    found: dict[str, Any] = {"state": "died" if died else "done", "why": died[0] if died else ""}
    if killed:
        found["why"] = f"the memory budget was used up ({killed} processes killed); {found['why']}"
    found["each_work_s"] = [each.get("work_s") for each in instances]
    found["warnings"] = sorted({text for each in instances for text in each.get("warnings", ())})
    if died:
        return found
    for name, value in instances[0].items():
        values = [each[name] for each in instances if isinstance(each.get(name), float)]
        if isinstance(value, float) and len(values) == len(instances):
            found[name] = sum(values) if name.startswith("cpu_") or name == "collector_s" else sum(values) / len(values)
    found["peak_bytes"] = max(each["peak_bytes"] for each in instances)
    for name in ("work_s", "wall_s"):
        found[name] = max(each[name] for each in instances)
    return found


def _read(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
