# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The process that holds a cluster up, `python -m sparkgap.cluster.keeper FOLDER`: the master is its child, and the
step that runs the workers. When it ends, so do they: nodes miss its beat, and take away what they have made. srun would
leave them no time for that, so it is not ended with this process.
"""

from __future__ import annotations

import itertools
import math
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from types import FrameType
from typing import IO

from .. import processes
from ..errors import SparkGapError
from ..store_files.places import Stores
from . import launcher, sessions, spark, tables
from .allocation import Allocation, Node
from .folder import Folder
from .script import END_S

_MASTER_S, _END_S, _POLL_S = 60.0, 40.0, 0.2
_BEAT = 10  # polls


def main(path: Path) -> int:
    """Hold it up until told to end, or until the master or all workers have ended."""
    folder = Folder(path)
    over = threading.Event()

    def told(number: int, frame: FrameType | None) -> None:
        over.set()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, told)
    plan = folder.plan()
    nodes = tuple(map(Node, plan["workers"]))
    allocation = Allocation(plan["scheduler"], plan["job"], nodes)
    started: list[subprocess.Popen[bytes]] = []
    why = ""
    folder.say(state="starting", pid=os.getpid(), host=socket.gethostname(), why="")
    try:
        log = folder.logs / "master.log"
        master = _begin(spark.master(plan["address"]), log, folder)
        started.append(master)
        said = _master(master, log, over)
        if said is None:
            why = "" if over.is_set() else f"the master: {spark.last_words(log) or 'it said nothing'}"
            return 1
        folder.put_plan({**plan, "master": said[0], "web": said[1]})
        words = [sys.executable, "-m", "sparkgap.cluster.node", "work", str(folder.path)]
        for n, command in enumerate(launcher.commands(allocation, words)):
            started.append(_begin(command, folder.logs / f"step-{n}.log", folder, ends_with_us=False))
        folder.say(state="up", master=said[0], web=said[1])
        beats, is_kept = itertools.count(), False
        while not over.wait(_POLL_S):
            if (n := next(beats)) % _BEAT == 0:
                folder.say(beat=n)
            if not is_kept and time.time() > (plan["ends"] or math.inf) - END_S:
                is_kept = True
                _keep(folder)  # before the batch system ends the job; what comes later, at the end
            if master.poll() is not None:
                why = f"the master ended: {spark.last_words(log)}"
                return 1
            if all(each.poll() is not None for each in started[1:]) or _are_over(folder, plan["workers"]):
                why = "no worker is left"
                return 1
        return 0
    finally:
        sessions.end(folder)
        _keep(folder)
        folder.say(state="stopping")  # nodes see it, and end by themselves
        deadline = time.monotonic() + _END_S
        for each in started[1:]:
            _wait(each, deadline)
        for each in started:
            _terminate(each)
            _wait(each, deadline + _END_S)
        for file in folder.conf.iterdir():  # the secret
            file.unlink()
        folder.say(state="ended", why=why)


def _are_over(folder: Folder, names: Iterable[str]) -> bool:
    """Whether no node has a worker any more: the processes there last until the cluster ends."""
    return all(folder.node(name).get("state") in ("failed", "ended") for name in names)


def _keep(folder: Folder) -> None:
    """Copy published tables to where they outlive the nodes, which hear the beat meanwhile."""
    plan = folder.plan()
    if plan.get("tables") is None:
        return
    total, said = itertools.count(folder.state().get("kept", 0) + 1), time.monotonic()

    def beat(n: int) -> None:
        nonlocal said
        if time.monotonic() - said > 1:
            said = time.monotonic()
            folder.say(kept=(n := next(total)), beat=f"kept {n}")

    try:
        done = tables.keep(Stores.of(*map(Path, plan["stores"])), Path(plan["tables"]), plan.get("brought", {}), beat)
        print(f"kept {tables.words(done)} in {plan['tables']}", flush=True)
        folder.say(not_kept=[each.name for each in done if each.why])
    except (SparkGapError, OSError) as e:
        print(e, flush=True)
        folder.say(not_kept=["all"])


def _begin(words: list[str], log: Path, folder: Folder, *, ends_with_us: bool = True) -> subprocess.Popen[bytes]:
    out: IO[bytes]
    with log.open("wb") as out:
        ends = processes.end_with(os.getpid()) if ends_with_us else None
        own = spark.environ(folder)
        return subprocess.Popen(words, env=own, stdin=subprocess.DEVNULL, stdout=out, stderr=out, preexec_fn=ends)


def _master(master: subprocess.Popen[bytes], log: Path, over: threading.Event) -> tuple[str, int] | None:
    deadline = time.monotonic() + _MASTER_S
    while time.monotonic() < deadline and master.poll() is None and not over.wait(_POLL_S):
        if (said := spark.said_by_master(log)) is not None:
            return said
    return None


def _terminate(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()


def _wait(process: subprocess.Popen[bytes], deadline: float) -> None:
    try:
        process.wait(max(0.1, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
