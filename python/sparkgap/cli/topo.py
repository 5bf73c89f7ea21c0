# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap topo`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from ..errors import ArgumentError, ResourceError
from ..topology import hwloc, svg, text
from ..topology.machine import Machine, machine_of

_MOST_SETS = 1 << 20


def topo(
    machine: Annotated[
        str | None,
        typer.Option(
            "--input",
            metavar="FILE.xml|LEVELS",
            help='An XML that lstopo wrote, or levels such as "pack:2 core:4 pu:2"; default this machine.',
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option("--svg", metavar="FILE", help="Draw it as SVG into FILE, which is replaced; prints FILE."),
    ] = None,
    distrib: Annotated[
        str | None,
        typer.Option(
            "--distrib",
            metavar="N",
            help=(
                "Print N CPU sets that are far from each other, as hwloc-distrib; of this machine those that may be"
                " used."
            ),
        ),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help=(
                "One JSON object on stdout: every object, distances, memory attributes, kinds of CPUs; with --distrib"
                " the sets."
            ),
        ),
    ] = False,
) -> None:
    """Draw the machine: caches, cores, NUMA, devices, and what this process may use and why."""
    if picture is not None and (not picture.parent.is_dir() or picture.is_dir()):
        raise ArgumentError.of("--svg", "a file in a folder that exists", ascii(str(picture))[1:-1], "Name another.")
    sets = None if distrib is None else hwloc.ask(["distribute", str(_count(distrib))], machine).decode("ascii")
    document = hwloc.ask(["json"], machine).decode("ascii") if picture is not None or sets is None else ""
    if picture is not None:
        _write(picture, svg.draw(machine_of(json.loads(document))))
    if as_json:
        print(json.dumps({"cpusets": sets.split()}) if sets is not None else document.strip())
    elif sets is not None:
        print(sets, end="")
    elif picture is not None:
        print(picture)
    else:
        _print(machine_of(json.loads(document)))


def _count(word: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) < 10 and 1 <= int(word) <= _MOST_SETS):
        raise ArgumentError.of("--distrib", f"an integer in [1, {_MOST_SETS}]", repr(word[:40]), "Say how many sets.")
    return int(word)


def _write(file: Path, drawing: str) -> None:
    try:
        file.write_text(drawing, encoding="utf-8")
    except (OSError, ValueError) as e:
        said = e.strerror if isinstance(e, OSError) and e.strerror else str(e)
        raise ResourceError.of(
            "--svg", "a file that can be written", f"{ascii(str(file))[1:-1]}: {said}", "Name another."
        ) from None


def _print(machine: Machine) -> None:
    """In lines where the terminal has them."""
    encoding = sys.stdout.encoding or "ascii"
    try:
        "├│└".encode(encoding)
        unicode = True
    except (UnicodeEncodeError, LookupError):
        unicode = False
    print(text.draw(machine, unicode=unicode).encode(encoding, "replace").decode(encoding))
