# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Job scripts and module files, as texts that follow from what is asked for."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

END_S = 120  # before its limit a job hears that it ends, to drain and to copy


@dataclass(frozen=True)
class Job:
    """What a job asks the batch system for; None or empty: what the site gives by default."""

    nodes: int
    time: str | None = None
    memory: str | None = None
    cpus: int | None = None
    partition: str | None = None
    account: str | None = None
    name: str = "sparkgap"


def sbatch(job: Job, words: Sequence[str], options: Sequence[str] = ()) -> str:
    """A script for `sbatch` that runs a program in a cluster of its own.

    Examples
    --------
    >>> print(sbatch(Job(2, time="00:10:00"), ["spark-submit", "app.py"]))
    #!/bin/bash
    #SBATCH --job-name=sparkgap
    #SBATCH --nodes=2
    #SBATCH --ntasks-per-node=1
    #SBATCH --exclusive
    #SBATCH --no-kill
    #SBATCH --time=00:10:00
    #SBATCH --signal=B:TERM@120
    exec sparkgap cluster run -- spark-submit app.py
    <BLANKLINE>
    """
    asked = {
        "job-name": job.name,
        "nodes": str(job.nodes),
        "ntasks-per-node": "1",
        "cpus-per-task": None if job.cpus is None else str(job.cpus),
        "exclusive": "" if job.cpus is None else None,
        "no-kill": "",  # Spark goes on when a node fails
        "mem": job.memory,
        "partition": job.partition,
        "account": job.account,
        "time": job.time,
        "signal": f"B:TERM@{END_S}",
    }
    lines = [f"#SBATCH --{name}" + (f"={value}" if value else "") for name, value in asked.items() if value is not None]
    command = ["sparkgap", "cluster", "run", *options, "--", *words]
    return "\n".join(["#!/bin/bash", *lines, f"exec {shlex.join(command)}", ""])


def qsub(job: Job, words: Sequence[str], options: Sequence[str] = ()) -> str:
    """The same for PBS.

    Examples
    --------
    >>> print(qsub(Job(2, cpus=8, memory="16gb"), ["spark-submit", "app.py"]).splitlines()[2])
    #PBS -l select=2:ncpus=8:mem=16gb
    """
    select = [
        f"select={job.nodes}",
        *([f"ncpus={job.cpus}"] if job.cpus else []),
        *([f"mem={job.memory}"] if job.memory else []),
    ]
    lines = [f"#PBS -N {job.name}", f"#PBS -l {':'.join(select)}"]
    lines += [f"#PBS -l walltime={job.time}"] if job.time else []
    lines += [f"#PBS -q {job.partition}"] if job.partition else []
    lines += [f"#PBS -A {job.account}"] if job.account else []
    command = ["sparkgap", "cluster", "run", *options, "--", *words]
    return "\n".join(["#!/bin/bash", *lines, 'cd "$PBS_O_WORKDIR"', f"exec {shlex.join(command)}", ""])


def module_tcl(version: str, variables: Mapping[str, str], paths: Mapping[str, str]) -> str:
    """A module file of Environment Modules."""
    lines = ["#%Module1.0", f'module-whatis "sparkgap {version}: Spark\'s heavy parts at the speed of the hardware"']
    lines += [f"setenv {name} {_tcl(value)}" for name, value in variables.items()]
    lines += [f"prepend-path {name} {_tcl(value)}" for name, value in paths.items()]
    return "\n".join([*lines, ""])


def module_lua(version: str, variables: Mapping[str, str], paths: Mapping[str, str]) -> str:
    """A module file of Lmod."""
    lines = [f'whatis("sparkgap {version}: Spark\'s heavy parts at the speed of the hardware")']
    lines += [f"setenv({_lua(name)}, {_lua(value)})" for name, value in variables.items()]
    lines += [f"prepend_path({_lua(name)}, {_lua(value)})" for name, value in paths.items()]
    return "\n".join([*lines, ""])


def _tcl(text: str) -> str:
    """As one word, in which nothing is replaced."""
    return "{" + text.replace("\\", "\\\\").replace("{", "\\{").replace("}", "\\}") + "}"


def _lua(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
