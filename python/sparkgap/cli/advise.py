# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap advise`: what to change, and with --prove whether that helps."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import ArgumentError
from .report import check_properties

if TYPE_CHECKING:
    from ..profile.proof import Proof
    from ..report import Report

_ROUNDS = 5


def advise(
    command: Annotated[
        list[str],
        typer.Argument(metavar="LOG | -- COMMAND...", help="An event log or profile, or with --prove what to run."),
    ],
    prove: Annotated[
        bool, typer.Option("--prove", help="Run the command with and without each piece of advice, in turn.")
    ] = False,
    rounds: Annotated[int, typer.Option(metavar="N", help="With --prove: how many runs of each kind.")] = _ROUNDS,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="With --prove: a profile of each run; by default a new one here."),
    ] = None,
    stacks: Annotated[
        bool, typer.Option("--stacks", help="With --prove: record stacks and heaps in the first run, for more advice.")
    ] = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="The numbers for machines; - for stdout.")
    ] = None,
    apply: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Settings that are advised, or proven, as a properties file with reasons."),
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error comes from.")] = False,
) -> int:
    """Say what to change about a Spark application, from its log, and prove it on the application itself."""
    check_properties(apply)
    if prove:
        from ..profile import proof as proofs

        folder = out or Path(f"sparkgap-advise-{time.strftime('%Y%m%d-%H%M%S')}")
        found = proofs.prove(
            command, folder, rounds, lambda text: print(f"advise: {text}", file=sys.stderr), stacks=stacks
        )
        proofs.write_json(found, folder / "proof.json")
        if apply is not None:
            _write(apply, found.properties())
        if not put_json(found.as_json(), json_file):
            _print_proof(found, folder)
        return 0
    if out is not None or rounds != _ROUNDS or stacks:
        expected = "--out, --rounds and --stacks with --prove alone"
        raise ArgumentError.of("advise", expected, "one of them", "Add --prove.")
    if len(command) != 1:
        do = "Name one; with --prove the command behind -- is run."
        raise ArgumentError.of("advise", "one log", f"{len(command)} words", do)
    from .. import report as reports

    read = reports.load(command[0])
    if apply is not None:
        read.write_properties(apply)
    if not put_json({"version": 1, "advice": [each.as_json() for each in read.advice]}, json_file):
        _print_advice(read)
    return 0


def _write(file: Path, text: str) -> None:
    from ..report.report import write

    write(file, text)


def put_json(found: dict[str, object], file: Path | None) -> bool:
    """Whether stdout has the numbers now."""
    if str(file) == "-":
        print(json.dumps(found), flush=True)
        return True
    if file is not None:
        _write(file, json.dumps(found, indent=1, ensure_ascii=False))
    return False


def _print_advice(read: Report) -> None:
    from ..report.page.words import clean

    for text in read.warnings:
        print(f"note: {clean(text)}")
    for advice in read.advice:
        gain = "" if advice.gain_s is None else f", at most {advice.gain_s:.1f} of {read.wall_s:.1f} s"
        print(f"{advice.rule}: {advice.title}{gain}. {clean(advice.evidence)}. {advice.action}")
        for key, value in advice.settings.items():
            print(f"    --conf {key}={value}")
    if not read.advice:
        print("advise: nothing to change was found.")


def _print_proof(found: Proof, folder: Path) -> None:
    from ..profile.proof import measured
    from ..report.page.words import clean, seconds

    for trial in [*found.trials, *([] if found.together is None else [found.together])]:
        verdict = f"{trial.verdict}, kept" if trial in found.kept else trial.verdict
        gain = None if trial.advice is None else trial.advice.gain_s
        most = "" if gain is None else f"; at most {seconds(gain)} were promised"
        print(f"{trial.name}: {verdict}: {clean(measured(trial))}{most}")
        for key, value in trial.settings.items() if trial.advice is not None else ():
            print(f"    --conf {key}={value}")
    for advice in found.not_tried:
        print(f"{advice.rule}: not tried, for no setting does it: {advice.action}")
    if not found.trials and not found.not_tried:
        print("advise: nothing to change was found.")
    print(f"runs: {folder}")
