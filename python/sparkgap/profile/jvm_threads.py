# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What the threads of Spark's JVMs do, as the kernel sees it: from `/proc`, with no help of the JVM.

A thread that runs a task is called "Executor task launch worker for task ..." and one that waits for its next "Executor
task idle worker"; the kernel has the first 15 letters of it. `schedstat` has the nanoseconds that a thread ran, and
those that it waited for a processor; the rest it was blocked, in uninterruptible sleep (state D) where it waits for a
file or a device. The JVM's own threads for collections and for its compilers have names too, so their processor time
is known whatever the collector counts as a pause.
"""

from __future__ import annotations

import contextlib
import os
import re
import resource
from dataclasses import dataclass, field

_OF_THE_POOL = "Executor task"
_RUNS_A_TASK = b"Executor task l"
_PROCESS = "java"
_STAT_BYTES = 1024
_SEARCH_S = 0.5
_NAMES_S = 5.0  # a thread seldom takes another name; that of a new one is read in the next search
_GC = ("GC Thread", "G1 ", "ParGC", "ZWorker", "ZDriver", "ZDirector", "ZStat", "ZUn", "XWorker", "XD", "Shenandoah")
_JIT = ("C1 Compiler", "C2 Compiler", "JVMCI")
# The collector, by how the name of a thread begins that it alone has, the first that fits; Serial has none of its own,
# and collects in the VM thread.
_COLLECTORS = (("G1 ", "G1"), ("Shenandoah", "Shenandoah"), ("ZD", "ZGC"), ("XD", "ZGC"), ("GC Thread", "Parallel"))
_SERIAL = ("Serial", "VM Thread")
_TICKS = os.sysconf("SC_CLK_TCK")
_EXECUTOR = re.compile(rb"\0--executor-id\0([^\0]+)\0")
_DRIVER = "driver"
_NS = 1e9


@dataclass
class Times:
    """Seconds of all task threads of a process since the last look: in tasks, and what of it was what. Then processor
    time: of the whole process, and of its threads for collections and for its compilers.
    """

    active: float = 0.0
    cpu: float = 0.0
    queue: float = 0.0
    file_io: float = 0.0
    other: float = 0.0
    jvm_cpu: float = 0.0
    gc_cpu: float = 0.0
    jit_cpu: float = 0.0


class _Thread:
    """One that runs tasks now and then. Its files stay open while this process has room for that: to open one takes
    longer than to read it. Errors: OSError where it has ended.
    """

    def __init__(self, place: str) -> None:
        self.seen: tuple[float, int, int] | None = None
        self._place = place
        self._open: dict[str, int] = {}

    def look(self, now: float, times: Times) -> None:
        """Adds what it did since the last look, if it runs a task now and did so then."""
        before, self.seen = self.seen, None
        name, state = _name_and_state(self._read("stat"))
        if name == _RUNS_A_TASK:
            self.seen = (now, *_ran_and_waited(self._read("schedstat")))
            if before is not None:
                _add(times, before, self.seen, state)

    def close(self) -> None:
        for file in self._open.values():
            os.close(file)
        self._open = {}

    def _read(self, name: str) -> bytes:
        if name in self._open:
            return os.pread(self._open[name], _STAT_BYTES, 0)
        file = os.open(f"{self._place}/{name}", os.O_RDONLY)
        if file < _most_open():
            self._open[name] = file
            return os.pread(file, _STAT_BYTES, 0)
        try:
            return os.pread(file, _STAT_BYTES, 0)
        finally:
            os.close(file)


def _most_open() -> int:
    """Files of this process get the lowest number that is free, so a number says how many there are."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2


@dataclass
class JvmThreads:
    """The threads of one process, looked at again and again; `collector` is None until it is known. A look costs 50 µs
    of CPU for two task threads.
    """

    pid: int
    executor: str
    collector: str | None = None
    _names: dict[str, str] = field(default_factory=dict)
    _pool: dict[str, _Thread] = field(default_factory=dict)
    _own: dict[str, dict[str, float]] = field(default_factory=lambda: {"gc_cpu": {}, "jit_cpu": {}})
    _jvm_cpu: float | None = None
    _searched: float = 0.0
    _named: float = 0.0

    @classmethod
    def of(cls, pid: int) -> JvmThreads | None:
        """Those of a JVM of Spark; None where the process is none, or has gone."""
        try:
            with open(f"/proc/{pid}/comm") as file:
                if file.read().strip() != "java":
                    return None
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read()
        except OSError:
            return None
        if b"org.apache.spark." not in words:
            return None
        found = _EXECUTOR.search(words)
        return cls(pid, found[1].decode(errors="replace") if found else _DRIVER)

    def look(self, now: float) -> Times | None:
        """What the threads did since the last look, at `now` seconds of the monotonic clock; None once it has ended."""
        times = Times()
        if now - self._searched >= _SEARCH_S:
            self._searched = now
            if not self._search(now, times):
                self.close()
                return None
        for thread in self._pool.values():
            with contextlib.suppress(OSError, ValueError, IndexError):
                thread.look(now, times)
        return times

    def close(self) -> None:
        """Lets go of its files."""
        for thread in self._pool.values():
            thread.close()
        self._pool = {}

    def _search(self, now: float, times: Times) -> bool:
        """Which threads run tasks now and then, for most of a JVM's never do; and what the JVM's own took since the
        last search. False where the process has gone.
        """
        try:
            self._name(now)
            whole = _cpu_of(self.pid)
        except (OSError, ValueError, IndexError):
            return False
        names = self._names
        self._follow({thread for thread, name in names.items() if name.startswith(_OF_THE_POOL)})
        found = (word for begin, word in _COLLECTORS if any(name.startswith(begin) for name in names.values()))
        self.collector = next(found, _SERIAL[0] if _SERIAL[1] in names.values() else None)
        if self._jvm_cpu is not None:
            times.jvm_cpu = whole - self._jvm_cpu
        self._jvm_cpu = whole
        own = {"gc_cpu": (_SERIAL[1],) if self.collector == _SERIAL[0] else _GC, "jit_cpu": _JIT}
        for kind, begins in own.items():
            before, self._own[kind] = self._own[kind], {}
            for thread, name in names.items():
                if not name.startswith(begins):
                    continue
                with contextlib.suppress(OSError, ValueError, IndexError):
                    with open(f"/proc/{self.pid}/task/{thread}/schedstat", "rb") as file:
                        ran = _ran_and_waited(file.read())[0] / _NS
                    self._own[kind][thread] = ran
                    setattr(times, kind, getattr(times, kind) + max(0.0, ran - before.get(thread, ran)))
        return True

    def _name(self, now: float) -> None:
        """What the threads are called; one that has just begun still has the name of its process."""
        again = now - self._named >= _NAMES_S
        before, self._names = {} if again else self._names, {}
        self._named = now if again else self._named
        for thread in os.listdir(f"/proc/{self.pid}/task"):
            if (name := before.get(thread, _PROCESS)) == _PROCESS:
                with contextlib.suppress(OSError), open(f"/proc/{self.pid}/task/{thread}/comm") as file:
                    name = file.read().rstrip("\n")
            self._names[thread] = name

    def _follow(self, pool: set[str]) -> None:
        for thread in self._pool.keys() - pool:
            self._pool.pop(thread).close()
        for thread in pool - self._pool.keys():
            self._pool[thread] = _Thread(f"/proc/{self.pid}/task/{thread}")


def _cpu_of(pid: int) -> float:
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _name_and_state(stat: bytes) -> tuple[bytes, bytes]:
    name, _, rest = stat.partition(b"(")[2].rpartition(b")")
    return name, rest.split(None, 1)[0]


def _ran_and_waited(schedstat: bytes) -> tuple[int, int]:
    ran, waited = schedstat.split()[:2]
    return int(ran), int(waited)


def _add(times: Times, before: tuple[float, int, int], after: tuple[float, int, int], state: bytes) -> None:
    whole = after[0] - before[0]
    cpu = min(whole, max(0.0, (after[1] - before[1]) / _NS))
    queue = min(whole - cpu, max(0.0, (after[2] - before[2]) / _NS))
    blocked = whole - cpu - queue
    times.active += whole
    times.cpu += cpu
    times.queue += queue
    if state == b"D":
        times.file_io += blocked
    else:
        times.other += blocked
