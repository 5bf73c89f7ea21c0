# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""On each node, started by the batch system: `python -m sparkgap.cluster.node look|work FOLDER`.

`look` prints what the node has as one line of JSON. `work` runs a worker of Spark until it is told to end, and takes
away what that left.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import FrameType

from .. import processes
from . import leftovers, network, probe, spark
from .allocation import is_own, own_address
from .folder import Folder

_REGISTERED = "Successfully registered with master"
_END_S = 20.0
_POLL_S = 0.5
_SILENCE_S = 30.0  # a file system that nodes share may show a change so late
# In front of the one line that is an answer: batch systems and shells say things too.
MARK = "sparkgap-node "


def main(words: list[str]) -> int:
    """What the words ask for; the status of the process."""
    verb, folder, *rest = words
    name = os.environ.get("SLURMD_NODENAME") or socket.gethostname()
    if verb == "look":
        is_measured, folders = rest[0] == "measured", [Path(each) for each in rest[1:]]
        own = Folder(Path(folder))
        way = network.measured(own, name, own.addresses()) if is_measured else None  # first: all nodes begin together
        print(MARK + json.dumps({**probe.node(name, folders, is_measured=is_measured), "network": way}), flush=True)
        return 0
    return work(Folder(Path(folder)), name)


def work(folder: Folder, name: str) -> int:
    """Run this node's worker to its end. All that the cluster made on this node goes with it."""
    plan = folder.plan()
    own = plan["workers"][name]
    scratch = [Path(each) / leftovers.name(plan["job"], folder.mark, name) for each in own["scratch"]]
    log = folder.logs / f"worker-{name}.log"
    over = threading.Event()

    def told(number: int, frame: FrameType | None) -> None:
        over.set()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, told)
    worker: subprocess.Popen[bytes] | None = None
    made: list[Path] = []
    try:
        for place in scratch:
            leftovers.sweep(place.parent, name)
            place.mkdir(mode=0o700)
            made.append(place)
            leftovers.hold(place, plan["leftovers"])
        environ = {**spark.environ(folder), "SPARK_LOCAL_DIRS": ",".join(map(str, scratch))}
        # Where the master is, other nodes reach this one at its address.
        address = plan["address"] if is_own(plan["address"]) else own_address([plan["address"]])
        words = spark.worker(plan["master"], address, own, scratch[0])
        with log.open("wb") as out:
            ends = processes.end_with(os.getpid())
            worker = subprocess.Popen(words, env=environ, stdout=out, stderr=out, preexec_fn=ends)
        folder.put_node(name, state="starting", pid=os.getpid())
        is_there, status, keeper = False, 0, _Keeper(folder)
        while not over.wait(_POLL_S) and keeper.is_up():
            if status == 0 and worker.poll() is not None:
                status = 1  # and its folders stay: the driver of a program may be on this node, and tables of it
                folder.put_node(name, state="failed", why=spark.last_words(log) or f"status {worker.returncode}")
            elif status == 0 and not is_there and _REGISTERED in log.read_text(encoding="utf-8", errors="replace"):
                is_there = True
                folder.put_node(name, state="registered", pid=os.getpid())
        return status
    except OSError as e:
        folder.put_node(name, state="failed", why=f"{e.filename or ''} {e.strerror or e}".strip())
        return 1
    finally:
        _end(worker)
        for place in [*made, *map(Path, plan["leftovers"])]:
            shutil.rmtree(place, ignore_errors=True)
        with contextlib.suppress(OSError):
            if folder.node(name).get("state") != "failed":
                folder.put_node(name, state="ended")


class _Keeper:
    """As this node sees it: one that says that it stops, or whose beat does not change, is not up."""

    def __init__(self, folder: Folder) -> None:
        self._folder, self._beat, self._changed = folder, None, time.monotonic()

    def is_up(self) -> bool:
        state = self._folder.state()
        if state.get("beat") != self._beat:
            self._beat, self._changed = state.get("beat"), time.monotonic()
        return state.get("state") not in ("stopping", "ended") and time.monotonic() - self._changed < _SILENCE_S


def _end(worker: subprocess.Popen[bytes] | None) -> None:
    """A worker that is told to end ends its executors."""
    if worker is None or worker.poll() is not None:
        return
    worker.terminate()
    try:
        worker.wait(_END_S)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
