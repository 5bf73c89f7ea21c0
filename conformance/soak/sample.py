# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What the two JVMs hold just then, after a collection, and what they say to each other while nothing is asked of
them.
"""

import contextlib
import os
import re
import statistics
import subprocess
import time
from pathlib import Path

from sparkgap import processes

# Executors ask the driver once a second; the median of these windows has neither a heartbeat of Spark's in it nor a
# question that came late.
WINDOWS, WINDOW_S = 5, 1.0
FIGURES = {
    "driver_heap": "MiB",
    "driver_rss": "MiB",
    "driver_fds": "",
    "driver_threads": "",
    "executor_heap": "MiB",
    "executor_rss": "MiB",
    "executor_fds": "",
    "executor_threads": "",
    "files": "",
    "store_bytes": "MiB",
    "message_bytes": "B/s",
    "messages": "/s",
}
SOCKET = re.compile(r"bytes_received:(\d+)")
SEGMENTS = re.compile(r"data_segs_in:(\d+)")


class Watch:
    """Looks at the driver's JVM and the one executor's of a session.

    Parameters
    ----------
    store : Path
        The store's folders are below it, here and on the host of the executor.
    cluster : Cluster or None
        Whose first executor it is; None where that is a process beside the driver.
    """

    def __init__(self, store, cluster=None):
        self.store, self.cluster = Path(store), cluster
        java = [p.pid for p in processes.tree() if p.name == "java"]
        backends = [p for p in java if "CoarseGrainedExecutorBackend" in processes.command(p)]
        self.driver = next(p for p in java if "SparkSubmit" in processes.command(p))
        self.executor = cluster.executors()[0].pid if cluster else backends[0]

    def sample(self, **at):
        """The figures by name."""
        found = dict(at)
        for name, pid in (("driver", self.driver), ("executor", self.executor)):
            found |= {f"{name}_{figure}": value for figure, value in process(pid).items()}
        found |= self._store()
        found |= self._messages()
        return found

    def _store(self):
        roots = [self.store] + (
            [h.root / self.store.relative_to("/") for h in self.cluster.hosts] if self.cluster else []
        )
        files = []
        for root in roots:
            for top, _, names in os.walk(root):
                with contextlib.suppress(OSError):
                    files += [os.lstat(os.path.join(top, name)).st_size for name in names]
        return {"files": len(files), "store_bytes": sum(files)}

    def _messages(self):
        """Bytes and segments that the executor gets in a second of quiet: the answers of the driver."""
        rates = []
        for _ in range(WINDOWS):
            before, start = self._heard(), time.monotonic()
            time.sleep(WINDOW_S)  # the time of a measurement, for a rate
            after, took = self._heard(), time.monotonic() - start
            rates.append([(b - a) / took for a, b in zip(before, after, strict=True)])
        return {
            name: statistics.median(each)
            for name, each in zip(("message_bytes", "messages"), zip(*rates, strict=True), strict=True)
        }

    def _heard(self):
        """Bytes and data segments that the executor's sockets have received."""
        words = ["nsenter", "-t", str(self.executor), "--net", "ss", "-Htinp"] if self.cluster else ["ss", "-Htinp"]
        text = subprocess.run(words, capture_output=True, text=True, check=True, timeout=30).stdout
        # The second line of each belongs to the first, which names the process.
        entries = [line for line in re.sub(r"\n\s+", " ", text).splitlines() if f"pid={self.executor}," in line]
        return tuple(sum(int(n) for line in entries for n in pattern.findall(line)) for pattern in (SOCKET, SEGMENTS))


def process(pid):
    """Heap after two collections, resident memory, descriptors and threads of a JVM."""
    for _ in range(2):  # what a finalizer or cleaner lets go of in the one goes with the other
        jcmd(pid, "GC.run")
    used = re.findall(
        r"(?:new generation|tenured generation|garbage-first heap|PSYoungGen|ParOldGen)\s+total (?:reserved"
        r" )?\d+K.*?used (\d+)K",
        jcmd(pid, "GC.heap_info"),
    )
    status = Path(f"/proc/{pid}/status").read_text()
    return {
        "heap": sum(map(int, used)) << 10,
        "rss": int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) << 10,
        "fds": len(os.listdir(f"/proc/{pid}/fd")),
        "threads": len(os.listdir(f"/proc/{pid}/task")),
    }


def jcmd(pid, command):
    """What a JVM answers. Errors: CalledProcessError."""
    java = Path(os.readlink(f"/proc/{pid}/exe")).parent
    return subprocess.run(
        [java / "jcmd", str(pid), command], capture_output=True, text=True, check=True, timeout=120
    ).stdout
