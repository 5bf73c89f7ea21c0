# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""How a command starts on every node of an allocation, without ssh where the batch system has a way of its own."""

from __future__ import annotations

import os
import shlex
import socket
from collections.abc import Mapping, Sequence

from .allocation import SLURM, Allocation

# What a command on another host needs of this one's environment, where the batch system does not carry it.
_CARRIED = ("PATH", "PYTHONPATH", "JAVA_HOME", "SPARK_HOME", "VIRTUAL_ENV", "LANG")


def commands(
    allocation: Allocation, words: Sequence[str], environ: Mapping[str, str] = os.environ, here: str | None = None
) -> list[list[str]]:
    """Those that are to be started here, so that the words run once on each node. Slurm has one for all nodes; its
    step shares the processors and the memory of the job with others.

    Examples
    --------
    >>> from .allocation import Node
    >>> commands(Allocation("hosts", "1", (Node("a"), Node("b"))), ["true"], {"PATH": "/bin"}, here="a")
    [['true'], ['ssh', '-o', 'BatchMode=yes', '-tt', 'b', 'env PATH=/bin true']]
    """
    if allocation.scheduler == SLURM:
        n = len(allocation.nodes)
        step = [f"--jobid={allocation.job}", f"--nodes={n}", f"--ntasks={n}", "--ntasks-per-node=1"]
        return [
            [
                "srun",
                *step,
                "--overlap",
                "--mem=0",
                "--cpu-bind=none",
                "--kill-on-bad-exit=0",
                "--wait=0",
                "--no-kill",
                *words,
            ]
        ]
    own = {here or socket.gethostname(), "localhost"}
    carried = [f"{name}={environ[name]}" for name in _CARRIED if name in environ]
    far = shlex.join(["env", *carried, *words])
    way = ["ssh", "-o", "BatchMode=yes", "-tt"] if allocation.scheduler == "hosts" else ["pbs_tmrsh"]
    return [list(words) if node.name in own else [*way, node.name, far] for node in allocation.nodes]
