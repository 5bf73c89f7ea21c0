# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap profile`: runs an unchanged Spark application with collectors on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def profile(
    command: Annotated[
        list[str], typer.Argument(metavar="COMMAND...", help="spark-submit, pyspark or python, with its words.")
    ],
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where everything goes; by default a new one here.")
    ] = None,
    stacks: Annotated[
        bool,
        typer.Option("--stacks", help="Also what Java ran, as flame graphs, and heaps: Flight Recorder in each JVM."),
    ] = False,
    async_profiler: Annotated[
        Path | None,
        typer.Option(metavar="JAR", help="--stacks with the samples of async-profiler, of native code too."),
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error comes from.")] = False,
) -> int:
    """Run a Spark application with its event log and a sampler of its task threads; ends as it does."""
    from ..profile import run as profiles

    folder = out or profiles.default_folder()
    ended = profiles.run(command, folder, stacks=stacks, async_jar=async_profiler)
    print(profiles.hint(folder), file=sys.stderr)
    return ended.status
