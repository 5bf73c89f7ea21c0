# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap describe`: what a kernel takes and gives."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer
from rich.console import Console

from .. import call_table
from .. import spec as specs
from .options import Json, shown


def describe(
    kernel: Annotated[str, typer.Argument(metavar="KERNEL", help="For example pagerank.")], as_json: Json = False
) -> None:
    """Say what a kernel takes and gives."""
    text = specs.describe(kernel)
    if as_json:
        print(json.dumps(json.loads(text)))
        return
    spec = specs.from_json(text)
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(f"sparkgap.{spec.family}.{spec.name}: {spec.summary}", markup=False)
    inputs = [
        (i.name, "required" if i.required else "optional", ", ".join(f"{n}: {a}" for n, a in i.columns), i.doc)
        for i in spec.inputs
    ]
    console.print(call_table.row_table(("input", "", "columns", "what"), inputs, title="inputs"))
    parameters = [
        (p.name, p.expected, "" if p.default is None else shown(p.default), p.doc + (f" [{p.unit}]" if p.unit else ""))
        for p in spec.parameters
    ]
    console.print(call_table.row_table(("parameter", "value", "default", "what"), parameters, title="parameters"))
    console.print(call_table.row_table(("column", "type"), spec.output, title="result"))
    console.print(f"match: {spec.match['rule']}   source: {spec.source}", markup=False)
