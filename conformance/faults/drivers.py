# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A driver as a process of its own, so that it can be interrupted and killed: `python -m faults.drivers MASTER
SETTINGS`.

It reads numbers of iterations, runs PageRank so long, and says how each ended as a line of JSON.
"""

import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

from cluster.problem import PATIENCE, problem, until

from sparkgap import processes

from . import left
from .scene import RANK
from .work import FOREVER, Work

START_S = 120.0
END_S = 60.0


class Driver:
    """The process, with executors on all hosts of a cluster. No other session may have their cores."""

    def __init__(self, cluster, store, settings=None):
        self.cluster, self.store = cluster, Path(store)
        settings = {**cluster.settings, "spark.sparkgap.store.dir": str(store), **(settings or {})}
        words = [
            sys.executable,
            "-m",
            "faults.drivers",
            cluster.master,
            json.dumps({k: str(v) for k, v in settings.items()}),
        ]
        here = Path(__file__).resolve().parent.parent
        # In a session of its own, as its Ctrl-C is not ours.
        self.child = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=here,
            start_new_session=True,
        )
        try:
            self.said(START_S)
        except BaseException:
            self.kill()
            raise

    def said(self, within_s=END_S):
        """Its next line. Errors: ClusterError where none comes in time."""
        within_s *= PATIENCE
        if not select.select([self.child.stdout], [], [], within_s)[0]:
            raise problem("driver", f"a word within {within_s:g} s", "silence", "Do look whether it hangs")
        line = self.child.stdout.readline()
        if not line:
            raise problem("driver", "a word", f"its end, status {self.child.wait(END_S)}", "Do run it by hand")
        return json.loads(line)

    def begin(self, iterations=FOREVER):
        """Starts a job, and returns at once, or where it does not end by itself when its ranks compute."""
        self.child.stdin.write(f"{iterations}\n")
        self.child.stdin.flush()
        if iterations == FOREVER:
            until("ranks on all hosts", lambda: all(h.pids(RANK) for h in self.cluster.hosts), END_S)
            until(
                "iterations",
                lambda: any(
                    f.stat().st_size
                    for h in self.cluster.hosts
                    for f in (h.root / self.store.relative_to("/")).glob("*/jobs/*/progress.jsonl")
                ),
                END_S,
            )

    def interrupt(self):
        """Ctrl-C."""
        os.kill(self.child.pid, signal.SIGINT)

    def kill(self):
        """Python and JVM at once, as when its host's memory is full."""
        for p in processes.tree(self.child.pid):
            if p.pid == self.child.pid or p.name == "java":
                os.kill(p.pid, signal.SIGKILL)
        self.child.wait(END_S)

    def without_ranks(self):
        """Seconds until no host has a rank, or what stands above one. Errors: ClusterError."""
        start = time.monotonic()
        until("no rank on any host", lambda: not any(h.pids(left.OURS) for h in self.cluster.hosts), END_S)
        return time.monotonic() - start

    def without_executors(self):
        """Seconds until no host has an executor. Errors: ClusterError."""
        start = time.monotonic()
        until("no executor on any host", lambda: not self.cluster.executors(), END_S)
        return time.monotonic() - start


def main(master, settings):
    import sparkgap

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = sparkgap.session(master, conf=json.loads(settings))
    status = spark.sparkContext._jsc.sc().getExecutorMemoryStatus
    until("executors", lambda: status().size() > 3, START_S)
    work = Work(spark)
    work.run("native")
    say({"ready": True})
    for line in sys.stdin:
        try:
            iterations = int(line)
            found = work.run("native", iterations)
            say({"wrong": work.wrong(found, iterations)})
        except KeyboardInterrupt:
            say({"error": "KeyboardInterrupt"})
        except Exception as e:
            say({"error": type(e).__name__, "text": str(e)[:1000]})


def say(what):
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
