# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A cluster as a block of a Python program, in the job that it runs in or in one of its own."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ArgumentError, LaunchError
from . import allocation as allocations
from .allocation import Allocation
from .control import Wanted, start, stop
from .folder import Folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_GRANTED = re.compile(r"Granted job allocation (\d+)")
_CANCEL_S = 30


@dataclass(frozen=True)
class Cluster:
    """One that is up; `settings` are those of Spark, as its nodes allow them."""

    folder: Folder
    settings: Mapping[str, str]

    @property
    def master(self) -> str:
        """Its URL."""
        return self.settings["spark.master"]

    def session(self, *, conf: Mapping[str, object] | None = None, app_name: str = "sparkgap") -> SparkSession:
        """A session on all of it, whose driver runs here; it ends with the block."""
        from ..session import session

        return session(self.master, app_name=app_name, conf={**self.settings, **(conf or {})})


@contextlib.contextmanager
def slurm(
    nodes: int | None = None,
    *,
    time: str | None = None,
    memory: str | None = None,
    cpus: int | None = None,
    partition: str | None = None,
    account: str | None = None,
    conf: Mapping[str, str] | None = None,
    scratch: Sequence[str | Path] = (),
    probe: bool = True,
    folder: str | Path | None = None,
    wait_s: float = 120.0,
    tables: str | Path | None = None,
) -> Iterator[Cluster]:
    """Start Spark on the nodes of this job of Slurm; outside of one, ask for a job first. Both end with the block.

    Parameters
    ----------
    nodes : int, optional
        How many; within a job all of its nodes, and this number must be theirs.
    time, memory, cpus, partition, account : optional
        What is asked for outside of a job, in Slurm's words: `"01:00:00"`, `"64G"` and processors of each node, whole
        nodes where they are not said.
    conf : mapping, optional
        Settings of Spark in place of those that are planned.
    scratch : sequence of paths, optional
        More folders that shuffles may use.
    probe : bool, default True
        Measure the nodes first, for a minute at most.
    folder : path, optional
        Logs and state, where all nodes see it; by default one in the current folder.
    wait_s : float
        For all workers to come.
    tables : path, optional
        A folder that outlives the job: published tables come from there, and are kept there at the end.

    Yields
    ------
    Cluster
        Whose `session()` is a Spark session.

    Raises
    ------
    ArgumentError
        The job has another number of nodes.
    LaunchError
        There is no Slurm, or a node does not come; nothing is left then.
    ResourceError
        The nodes have too little memory, or tables could not be kept.
    """
    with contextlib.ExitStack() as over:
        if "SLURM_JOB_ID" in os.environ:
            found = allocations.of_slurm(os.environ)
            if nodes is not None and nodes != len(found.nodes):
                where, do = f"{len(found.nodes)} of job {found.job}", "Leave nodes out."
                raise ArgumentError.of("nodes", f"as many as this job has, or none said, for {nodes}", where, do)
        else:
            asked = {"nodes": str(nodes or 1), "time": time, "mem": memory, "partition": partition, "account": account}
            asked["no-kill"] = ""  # Spark goes on when a node fails
            asked |= {"exclusive": ""} if cpus is None else {"cpus-per-task": str(cpus)}
            found = over.enter_context(_granted(asked))
        own = Folder.of(found, None if folder is None else Path(folder))
        places, kept = [Path(each) for each in scratch], None if tables is None else Path(tables)
        wanted = Wanted(found, own, dict(conf or {}), places, probe, wait_s, kept)
        start(wanted, lambda text: None)
        over.callback(stop, own)
        yield Cluster(own, settings_of(own))


def settings_of(folder: Folder) -> dict[str, str]:
    """Of a cluster's own file of settings."""
    lines = (folder.conf / "spark-defaults.conf").read_text(encoding="utf-8").splitlines()
    pairs = (line.partition(" ") for line in lines if line and not line.startswith("#"))
    return {key: value for key, _, value in pairs}


@contextlib.contextmanager
def _granted(asked: Mapping[str, str | None]) -> Iterator[Allocation]:
    """A job of Slurm without a program; it waits in the queue as long as any."""
    options = [f"--{name}" + (f"={value}" if value else "") for name, value in asked.items() if value is not None]
    words = ["salloc", "--no-shell", "--job-name=sparkgap", "--ntasks-per-node=1", *options]
    try:
        done = subprocess.run(words, capture_output=True, text=True)
    except OSError as e:
        raise LaunchError.of("salloc", "Slurm's program", e.strerror or str(e), "Run it where Slurm is.") from None
    granted = _GRANTED.search(done.stderr)
    if granted is None:
        last = (done.stderr.strip().splitlines() or ["nothing said"])[-1]
        raise LaunchError.of("salloc", "a job", last, "Ask for what the site gives.")
    try:
        yield allocations.of_slurm({"SLURM_JOB_ID": granted[1]})
    finally:
        subprocess.run(["scancel", granted[1]], capture_output=True, timeout=_CANCEL_S)
