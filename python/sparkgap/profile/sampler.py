# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Looks at the task threads of an application's processes on this host, all the time, and writes what they did."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from typing import IO

from .. import processes
from . import machine
from .jvm_threads import JvmThreads, Times

_LOOK_S = 0.05
_SEARCH_S, _SEARCH_MORE_S = 0.5, 5.0  # for processes; once there are some, others are rare
_WRITE_S = 0.25
_MACHINE_S = 1.0
SAMPLES, MACHINE = "samples.jsonl", "machine.jsonl"


class Sampler(threading.Thread):
    """A thread that follows `root`, this process by default, and the processes below it.

    A line for each of them and each quarter of a second: `from_ms` and `to_ms` since 1970, `executor`, `pid`, and the
    seconds of its task threads, `active` and of these `cpu`, `queue` (ready, waiting for a processor), `file_io` (state
    D) and `other`; then the processor time of the whole process, `jvm_cpu`, and of its threads for collections and for
    its compilers, `gc_cpu` and `jit_cpu`, and the `collector`. Each second also what the host counts, into
    `of_machine`. Costs about 1 % of a core for eight threads.
    """

    def __init__(self, samples: IO[str], of_machine: IO[str], root: int | None = None) -> None:
        super().__init__(name="sparkgap-sampler", daemon=True)
        self._samples, self._of_machine, self._root = samples, of_machine, root or os.getpid()
        self._over = threading.Event()
        self._jvms: dict[int, JvmThreads] = {}
        self._sums: dict[int, Times] = {}
        self._from_ms = int(time.time() * 1000)
        # Of each JVM that was seen its executor.
        self.seen: dict[int, str] = {}

    def run(self) -> None:
        searched = written = counted = 0.0
        while not self._over.wait(_LOOK_S):
            now = time.monotonic()
            if now - searched >= (_SEARCH_MORE_S if self._jvms else _SEARCH_S):
                self._search()
                searched = now
            self._look(now)
            if now - written >= _WRITE_S:
                self._write(self._samples)
                written = now
            if now - counted >= _MACHINE_S:
                _count(self._of_machine)
                counted = now
        self._write(self._samples)
        _count(self._of_machine)
        for jvm in self._jvms.values():
            jvm.close()

    def close(self) -> None:
        """Ends it, with all written."""
        self._over.set()
        self.join()

    def _search(self) -> None:
        for process in processes.tree(self._root):
            if process.pid not in self._jvms and (found := JvmThreads.of(process.pid)) is not None:
                self._jvms[process.pid] = found
                self.seen[process.pid] = found.executor

    def _look(self, now: float) -> None:
        for pid, jvm in list(self._jvms.items()):
            times = jvm.look(now)
            if times is None:
                del self._jvms[pid]
                continue
            total = self._sums.setdefault(pid, Times())
            for name, seconds in vars(times).items():
                setattr(total, name, getattr(total, name) + seconds)

    def _write(self, file: IO[str]) -> None:
        from_ms, self._from_ms = self._from_ms, int(time.time() * 1000)
        for pid, times in self._sums.items():
            if (times.active or times.jvm_cpu) and pid in self._jvms:
                named = {name: round(seconds, 6) for name, seconds in vars(times).items()}
                line = {
                    "from_ms": from_ms,
                    "to_ms": self._from_ms,
                    "executor": self._jvms[pid].executor,
                    "pid": pid,
                    "collector": self._jvms[pid].collector,
                    **named,
                }
                file.write(json.dumps(line) + "\n")
        self._sums.clear()
        file.flush()


def follow(root: int) -> None:
    """Sample a process, with all lines on stdout, until its end, or whoever started us, closes our stdin."""
    sampler = Sampler(sys.stdout, sys.stdout, root)
    sampler.start()
    sys.stdin.buffer.read()
    sampler.close()


def _count(file: IO[str]) -> None:
    line = {"at_ms": int(time.time() * 1000), "host": os.uname().nodename, "cpus": os.cpu_count()}
    file.write(json.dumps({**line, "counted": machine.look()}) + "\n")
    file.flush()
