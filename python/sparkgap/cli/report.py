# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap report`: where the time of a Spark application went, from its event log."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import ArgumentError
from .spark import status

if TYPE_CHECKING:
    from rich.table import Table

    from ..report import Comparison, Report

_PAGE = Path("report.html")
_GENERATOR = b'<meta name="generator" content="sparkgap">'
_HEAD = 1024
_CONDITION_MET = 1
_MOST_ADVICE = 3


def words(argv: list[str]) -> list[str]:
    """`--against A B` as `--against A --against B`: all words up to the next option are logs."""
    found: list[str] = []
    against = False
    for word in argv:
        if word.startswith("-") and word != "-":
            against = word == "--against"
            if not against:
                found.append(word)
            continue
        found += ["--against", word] if against else [word]
    return found


def report(
    logs: Annotated[
        list[Path], typer.Argument(metavar="LOG...", help="Event logs of Spark 3.5 to 4.x: files or folders.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The page; one file that needs nothing else.")] = _PAGE,
    against: Annotated[
        list[Path] | None, typer.Option(metavar="LOG...", help="Compare with these runs of the same job.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="The numbers for machines; - for stdout.")
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Jobs, stages and tasks as a trace for Perfetto and Chrome.")
    ] = None,
    apply: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Settings that are advised, as a properties file with reasons.")
    ] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(help="End with status 1 where this holds, such as 'gc > 0.2' or 'stage.tail > 0.5'. Repeatable."),
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error comes from.")] = False,
) -> int:
    """Tell where the time of a Spark application went. Starts no Spark and no JVM."""
    from .. import report as reports
    from ..report.conditions import Condition

    conditions = [Condition.of(text) for text in fail_on or []]
    if len(logs) > 1 and not against:
        do = "Name one, or runs to compare with by --against."
        raise ArgumentError.of("report", "one log, or two sets of them", f"{len(logs)} of one set", do)
    if against and (conditions or trace or apply):
        do = "Leave it out, or --against."
        raise ArgumentError.of("--against", "neither --fail-on, --trace nor --apply beside it", "one", do)
    _check_page(output)
    _check_names(output, json_file, trace, apply)
    check_properties(apply)
    if against:
        with status(sys.stderr, "reading the logs"):
            both = [[reports.load(path) for path in side] for side in (logs, against)]
            compared = reports.compare(*both)
        _compare(compared, output, json_file)
        return 0
    with status(sys.stderr, "reading the log"):
        found = reports.load(logs[0])
    with status(sys.stderr, "writing the page"):
        found.write_html(output)
    if trace is not None:
        found.write_trace(trace)
    if apply is not None:
        found.write_properties(apply)
    if not _put_json(found, json_file):
        _print(found, output)
    met = [(condition, text) for condition in conditions if (text := condition.met_by(found)) is not None]
    for condition, text in met:
        print(f"report: expected not {condition.text}, found {text}. Look at {output}.", file=sys.stderr)
    return _CONDITION_MET if met else 0


def check_properties(file: Path | None) -> None:
    """Refuse to write over settings that are the user's own. Errors: ArgumentError."""
    from ..report.advice.advice import FIRST_LINE

    if file is not None and file.exists() and not file.read_bytes().startswith(FIRST_LINE.encode()):
        found = f"{file}, which has other settings"
        raise ArgumentError.of("--apply", "a new file, or one of advice to write over", found, "Choose another name.")


def _check_names(output: Path, *others: Path | None) -> None:
    """Refuse a file that is named twice. Errors: ArgumentError."""
    seen = {output.resolve()}
    for file in others:
        if file is None or str(file) == "-":
            continue
        if file.resolve() in seen:
            raise ArgumentError.of(
                "report", "a file of its own for each output", f"{file} twice", "Choose another name."
            )
        seen.add(file.resolve())


def _put_json(found: Report | Comparison, file: Path | None) -> bool:
    """Whether stdout has the numbers now."""
    if str(file) == "-":
        print(json.dumps(found.as_json()), flush=True)
        return True
    if file is not None:
        found.write_json(file)
    return False


def _compare(found: Comparison, output: Path, json_file: Path | None) -> None:
    from rich.console import Console

    from ..report.page.comparison import headline

    found.write_html(output)
    if not _put_json(found, json_file):
        console = Console()
        console.print(headline(found), markup=False, highlight=False)
        for part, each in sorted(found.parts, key=lambda part: -abs(part[1].difference)):
            if each.verdict.value in ("less", "more"):
                text = f"  {part.label}: {each.first:.2f} against {each.second:.2f} s, {each.verdict.value}"
                console.print(text, markup=False, highlight=False)
        console.print(f"page: {output}", markup=False, highlight=False)


def _check_page(output: Path) -> None:
    """Refuse to write over a file that is not a page of ours. Errors: ArgumentError."""
    if output.is_dir() or not output.absolute().parent.is_dir():
        raise ArgumentError.of("--output", "a file in a folder that exists", str(output), "Choose another name.")
    if output.exists():
        with open(output, "rb") as file:
            if _GENERATOR not in file.read(_HEAD):
                found = f"{output}, which is no report"
                raise ArgumentError.of(
                    "--output", "a new file, or a report to write over", found, "Choose another name."
                )


def _print(found: Report, output: Path) -> None:
    from rich.console import Console

    from ..report.page.words import clean

    console = Console()
    console.print(_table(found))
    for text in found.warnings:
        console.print(f"note: {clean(text)}", markup=False, highlight=False)
    for advice in found.advice[:_MOST_ADVICE]:
        gain = "" if advice.gain_s is None else f", at most {advice.gain_s:.1f} s"
        console.print(f"advice: {advice.title}{gain}: {advice.evidence}", markup=False, highlight=False)
    console.print(f"page: {output}", markup=False, highlight=False)


def _table(found: Report) -> Table:
    from rich.table import Table
    from rich.text import Text

    from ..report.page.words import clean

    title = f"{clean(found.application.name) or 'application'}: {found.wall_s:.1f} s"
    table = Table(title=Text(title), title_justify="left")
    for name in ("part", "seconds", "share", "how sure"):
        table.add_column(name, justify="right" if name in ("seconds", "share") else "left")
    group = None
    for row in sorted(found.breakdown.to_pylist(), key=lambda row: (_ORDER.index(row["group"]), -row["seconds"])):
        if row["seconds"] < 5e-4 * found.wall_s:
            continue
        if group not in (None, row["group"]):
            table.add_section()
        group = row["group"]
        table.add_row(row["label"], f"{row['seconds']:.2f}", f"{100 * row['share']:.1f} %", row["certainty"])
    return table


_ORDER = ("busy", "idle", "driver")
