# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap lab`: studies of Spark, run again on this machine."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ArgumentError
from .advise import put_json
from .report import check_properties

if TYPE_CHECKING:
    from ..lab.mine import Found

_Study = Annotated[str, typer.Argument(metavar="STUDY", help="A study of `sparkgap lab list`, or a file of one.")]
_Prices = Annotated[Path | None, typer.Option(metavar="CSV", help="Prices of machines in place of those of 2026.")]
_Debug = Annotated[bool, typer.Option("--debug", help="Show where an error comes from.")]


def make_app(words: Sequence[str] = (), **plain: Any) -> typer.Typer:
    """The verbs below `lab`."""
    app = typer.Typer(
        help="Studies of Spark, run again on this machine: `list`, `show`, `run`, `page`; `mine`.", **plain
    )
    for verb in (list_, show, run, page, mine):
        app.command(name=verb.__name__.rstrip("_"))(verb)
    return app


def list_(debug: _Debug = False) -> int:
    """Print the studies that there are."""
    from ..lab import study as studies

    for name in studies.names():
        found = studies.parse(*studies.text_of(name))
        print(f"{name:14} {found.title}. {found.source}")
    return 0


def show(study: _Study, debug: _Debug = False) -> int:
    """Print a study as the file that it is; a copy of it, changed, is a study of one's own."""
    from ..lab import study as studies

    name, text = studies.text_of(study)
    studies.parse(name, text)
    print(text, end="")
    return 0


def run(
    study: _Study,
    scale: Annotated[str, typer.Option(metavar="tiny|small|full", help="How large its inputs are.")] = "small",
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Results; by default sparkgap-lab-STUDY-SCALE here.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where an earlier call was cut off.")] = False,
    prices: _Prices = None,
    debug: _Debug = False,
) -> int:
    """Run a study: a row of a table for each run, and a page with the paper's figures beside ours."""
    from ..lab.conduct import conduct
    from ..lab.cost import BUILT_IN
    from ..lab.cost import prices as table

    table(prices or BUILT_IN)  # before hours of work
    folder = out or Path(f"sparkgap-lab-{Path(study).stem}-{scale}")
    notebook = conduct(study, scale, folder, lambda text: print(f"lab: {text}", file=sys.stderr), resume=resume)
    _write_page(notebook.folder, notebook.folder / "page.html", prices)
    return 0


def page(
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="The folder of a run, or its results.parquet.")],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="By default page.html there; .md: the findings.")
    ] = None,
    prices: _Prices = None,
    debug: _Debug = False,
) -> int:
    """Write the page of results, or their findings as a table of Markdown."""
    _write_page(results, out or (results if results.is_dir() else results.parent) / "page.html", prices)
    return 0


def mine(
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND...", help="Your application, as it is started.")],
    minutes: Annotated[float, typer.Option(metavar="N", help="About how long it may take.")] = 30.0,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="A row for each run; by default a new one here.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on in --out where an earlier call was cut off.")] = False,
    apply: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Settings of the winner as a properties file, with reasons.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="The numbers for machines; - for stdout.")
    ] = None,
    debug: _Debug = False,
) -> int:
    """Try collectors, heaps, cores and caches on your own application, in turn, and keep what is proven faster."""
    from ..lab.mine import mine as find
    from ..report.report import write

    check_properties(apply)
    if resume and out is None:
        raise ArgumentError.of("--resume", "--out with the folder to go on in", "none", "Name it.")
    folder = out or Path(f"sparkgap-lab-mine-{time.strftime('%Y%m%d-%H%M%S')}")
    found = find(command, minutes, folder, lambda text: print(f"lab: {text}", file=sys.stderr), resume=resume)
    if apply is not None:
        write(apply, found.properties())
    if not put_json(found.as_json(), json_file):
        _print_mine(found)
    return 0


def _print_mine(found: Found) -> None:
    from ..report.page.words import clean, seconds

    for each in [*found.candidates, *([] if found.together is None else [found.together])]:
        gain = each.gain
        numbers = ""
        if gain is not None and gain.low is not None and gain.high is not None:
            numbers = f": {seconds(gain.second)} in place of {seconds(gain.first)}"
            numbers += f" (gain {seconds(gain.low)} to {seconds(gain.high)})"
        print(f"{each.name}: {each.verdict}{numbers}{clean(f': {each.died}') if each.died else ''}")
    if found.winner is None:
        print("lab: nothing that was tried is proven faster.")
        return
    print(f"lab: the winner is {found.winner.name}:")
    for key, value in found.settings.items():
        print(f"    --conf {key}={clean(value)}")


def _write_page(results: Path, out: Path, prices: Path | None) -> None:
    from ..lab.cost import BUILT_IN, add_prices
    from ..lab.cost import prices as table
    from ..lab.page import html, markdown
    from ..lab.results import load
    from ..report.report import write

    found = load(results)
    add_prices(found.rows, table(prices or BUILT_IN))
    write(out, markdown(found) if out.suffix == ".md" else html(found))
    print(f"lab: {out}", file=sys.stderr)
