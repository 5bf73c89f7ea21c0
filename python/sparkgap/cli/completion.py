# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap completion`: what makes a shell complete the words of a command line."""

from __future__ import annotations

from typing import Annotated

import typer
import typer.completion

from ..errors import ArgumentError

SHELLS = ("bash", "zsh", "fish")
# Where a shell says that it asks, and how.
VARIABLE = "_SPARKGAP_COMPLETE"


def completion(
    shell: Annotated[str, typer.Argument(metavar="|".join(SHELLS), help="The shell that is to complete.")],
) -> None:
    """Print what a shell needs to complete verbs, kernels and options: source <(sparkgap completion bash)."""
    if shell not in SHELLS:
        raise ArgumentError.of("completion", f"one of {', '.join(SHELLS)}", repr(shell), "Name your shell.")
    script = typer.completion.get_completion_script  # type: ignore[attr-defined]
    print(script(prog_name="sparkgap", complete_var=VARIABLE, shell=shell))


def answer() -> None:
    """Makes the command line answer a shell that asks, in place of doing what the words say."""
    typer.completion.completion_init()  # type: ignore[attr-defined]
