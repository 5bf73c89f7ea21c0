# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a site has for clusters: its batch system, its MPI, its networks, its modules."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..doctor import Check
from ..errors import SparkGapError
from . import allocation, probe

_ASK_S = 15


def checks(environ: Mapping[str, str] = os.environ) -> list[Check]:
    """One for each; none is required, for a host list needs none of them."""
    return [
        _batch(),
        _allocation(environ),
        _found("mpi of the site", _mpi(), "no mpiexec but ours, and no srun", "sparkgap's own MPI is used."),
        _found("fabric", _fabric(), "no InfiniBand device, libfabric or UCX", "Ranks use TCP."),
        _found("network", _network(), "no device that is up", ""),
        _found("modules", _modules(environ), "neither Lmod nor Environment Modules", ""),
    ]


def _batch() -> Check:
    slurm, pbs = _said("scontrol", "--version"), _said("qstat", "--version")
    return _found("batch system", [each for each in (slurm, pbs) if each], "neither Slurm nor PBS", "Say --hosts FILE.")


def _allocation(environ: Mapping[str, str]) -> Check:
    try:
        found = allocation.here(environ)
    except SparkGapError as e:
        return Check("allocation", False, str(e), required=False)
    return Check("allocation", True, f"job {found.job} of {found.scheduler}: {', '.join(n.name for n in found.nodes)}")


def _mpi() -> list[str]:
    found = []
    if (program := shutil.which("mpiexec")) is not None:
        found.append(f"{program} ({_said(program, '--version')})")
    kinds = _said("srun", "--mpi=list", every=True)
    return [*found, *([f"srun: {kinds}"] if kinds else [])]


def _fabric() -> list[str]:
    devices = Path("/sys/class/infiniband")
    found = [f"InfiniBand {each.name}" for each in sorted(devices.iterdir())] if devices.is_dir() else []
    ucx, providers = _said("ucx_info", "-v"), _said("fi_info", "-l", every=True)
    return [*found, *([f"UCX {ucx}"] if ucx else []), *([f"libfabric {providers}"] if providers else [])]


def _network() -> list[str]:
    return [each["name"] + (f" {each['mbit_per_s']} Mbit/s" if each["mbit_per_s"] else "") for each in probe.devices()]


def _modules(environ: Mapping[str, str]) -> list[str]:
    return [f"{name} {environ[name]}" for name in ("LMOD_CMD", "MODULESHOME", "MODULEPATH") if name in environ]


def _found(name: str, found: Sequence[str], absent: str, fix: str) -> Check:
    return Check(name, True, "; ".join(found)) if found else Check(name, False, absent, fix, required=False)


def _said(*words: str, every: bool = False) -> str:
    """The first line that a program answers, or all of them in one; empty where there is none."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=_ASK_S)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = [" ".join(line.split()) for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    if done.returncode != 0 or not lines:
        return ""
    return " ".join(lines) if every else lines[0]
