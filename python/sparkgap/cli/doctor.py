# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap doctor`: everything that sparkgap stands on."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer
from rich.console import Console

from ..doctor import doctor as look_at_all
from .options import Json


def doctor(
    as_json: Json = False,
    cluster: Annotated[
        bool, typer.Option("--cluster", help="Look too at the site: batch system, MPI, networks, modules.")
    ] = False,
) -> None:
    """Look at everything that sparkgap stands on."""
    found = look_at_all()
    if cluster:
        from ..cluster import site

        found.checks.extend(site.checks())
    if as_json:
        print(json.dumps(found.as_json()))
    else:
        Console(width=None if sys.stdout.isatty() else 160).print(found.as_table())
    found.raise_if_missing()
