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

if TYPE_CHECKING:
    from rich.table import Table

    from ..report import Report

_PAGE = Path("report.html")
_GENERATOR = b'<meta name="generator" content="sparkgap">'
_HEAD = 1024
_CONDITION_MET = 1


def report(
    log: Annotated[Path, typer.Argument(help="Event log of Spark 3.5 to 4.x: a file, also compressed, or its folder.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The page; one file that needs nothing else.")] = _PAGE,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="The numbers for machines; - for stdout.")
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
    _check_page(output)
    if json_file is not None and str(json_file) != "-" and json_file.resolve() == output.resolve():
        raise ArgumentError.of("--json", "another file than --output", str(json_file), "Choose another name.")
    found = reports.load(log)
    found.write_html(output)
    if json_file is not None and str(json_file) != "-":
        found.write_json(json_file)
    if str(json_file) == "-":
        print(json.dumps(found.as_json()), flush=True)
    else:
        _print(found, output)
    met = [(condition, words) for condition in conditions if (words := condition.met_by(found)) is not None]
    for condition, words in met:
        print(f"report: expected not {condition.text}, found {words}. Look at {output}.", file=sys.stderr)
    return _CONDITION_MET if met else 0


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

    console = Console()
    console.print(_table(found))
    for text in found.warnings:
        console.print(f"note: {text}", markup=False, highlight=False)
    console.print(f"page: {output}", markup=False, highlight=False)


def _table(found: Report) -> Table:
    from rich.table import Table
    from rich.text import Text

    from ..report.page.page import clean

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
