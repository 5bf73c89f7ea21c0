# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Every fault once, and what plain Spark makes of the same: the figures of docs/faults.md."""

import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from cluster import Cluster, ClusterError

import sparkgap
from sparkgap import SparkGapError

from . import left, programs
from .drivers import Driver
from .faults import ERROR, FAULTS, RESULT, SILENCE_S, named
from .scene import Scene
from .trial import Outcome, struck
from .work import SHORT, Work

# So short that what takes long is ours to answer for. Workers beat by cluster.standalone.WORKER_TIMEOUT_S.
SETTINGS = {
    "spark.sparkgap.launch.silence": f"{SILENCE_S:g}s",
    "spark.network.timeout": "20s",
    "spark.network.timeoutInterval": "5s",
    "spark.executor.heartbeatInterval": "2s",
    "spark.default.parallelism": "6",
    "spark.sql.shuffle.partitions": "6",
}
# Enough iterations of GraphX for a long lineage.
LINEAGE = 10
JOB_S = {"native": 4.0, "spark": 5.0}


class Bench:
    """Three hosts, a session on them, and jobs sized for it; a context manager."""

    def __init__(self):
        self.store = Path(tempfile.mkdtemp(prefix="sparkgap-faults-", dir="/dev/shm"))
        self.cluster = Cluster()
        self.spark = self.work = None
        self.usual = {}

    def __enter__(self):
        self.cluster.__enter__()
        return self

    def __exit__(self, *_):
        try:
            if self.spark is not None:
                self.spark.stop()
        finally:
            self.cluster.close()
            shutil.rmtree(self.store, ignore_errors=True)

    def begin(self, engines=("native", "spark")):
        """The session. Errors: ClusterError where an earlier application has left something on a host."""
        self.spark = self.cluster.session({**SETTINGS, "spark.sparkgap.store.dir": str(self.store)})
        stale = left.of_jobs(self.cluster, self.store) | left.of_the_dead(self.cluster, self.store)
        if stale:
            raise ClusterError(
                f"Cluster: expected nothing of earlier applications, found {sorted(stale)[:5]}. Do look what has"
                " left it."
            )
        self.work = Work(self.spark)
        self.usual = {engine: self.work.size(engine, JOB_S[engine]) for engine in engines}

    def scene(self, native=True, **options):
        return Scene(self.cluster, self.spark, self.store, native=native, **options)

    def strike(self, fault, native=True):
        """Trials in the middle of a job until one has struck."""
        delay = 0.0 if native else 0.4 * self.usual["spark"]
        return struck(lambda: self.scene(native), fault, self.work, at=0.3, delay_s=delay)

    def stacks(self):
        """Where the driver's threads are: for hangs."""
        java = next((p.pid for p in sparkgap.processes.tree() if p.name == "java"), None)
        return (
            ""
            if java is None
            else subprocess.run(["jstack", str(java)], capture_output=True, text=True, timeout=60).stdout
        )


def jobs(bench, names, record):
    """The faults of the list, ours and plain Spark's."""
    for fault in FAULTS:
        if names and fault.name not in names:
            continue
        for native in [True, False] if fault.in_spark else [True]:
            if native or "spark" in bench.usual:
                record("jobs", bench.strike(fault, native), bench)


def lineage(bench, rounds, record):
    """A job that is run again beside one of GraphX that is made anew from its lineage, after the same death."""
    bench.work.iterations["spark"] = max(LINEAGE, bench.work.iterations["spark"])
    bench.usual["spark"] = bench.work.size("spark", 0)
    times = {e: {"without": [], "with": []} for e in bench.usual}
    for _ in range(rounds):
        for engine, seconds in times.items():
            start = time.monotonic()
            bench.spark.sql(f"DROP TABLE {bench.work.run(engine).sparkgap.table}")
            seconds["without"].append(time.monotonic() - start)
            outcome = bench.strike(named("executor"), engine == "native")
            record("lineage", outcome, bench)
            if outcome.came == RESULT:
                seconds["with"].append(outcome.took)
    return {
        e: (
            {k: statistics.median(v) if v else None for k, v in s.items()}
            | {"rounds": rounds, "iterations": bench.work.iterations[e]}
        )
        for e, s in times.items()
    }


def drivers(bench, record):
    """Ctrl-C at a driver, and its death, with ranks on three hosts."""
    driver = Driver(bench.cluster, bench.store, SETTINGS)
    outcome = Outcome("driver-interrupt", "native", ERROR)
    try:
        driver.begin()
        driver.interrupt()
        outcome.seconds = driver.without_ranks()
        said = driver.said()
        outcome.text = said.get("text", said.get("error", "")).split("\n")[0]
        if "error" not in said:
            outcome.problems.append(f"expected an error, found {said}")
        driver.begin(SHORT)
        said = driver.said()
        if said.get("wrong") != "":
            outcome.problems.append(f"the next job: {said}")
    except ClusterError as e:
        outcome.problems.append(str(e))
    record("drivers", outcome, bench)
    outcome = Outcome("driver-kill", "native", ERROR)
    try:
        driver.begin()
        driver.kill()
        outcome.seconds = driver.without_ranks()
        outcome.took = outcome.seconds + driver.without_executors()
        outcome.text = ""
    except ClusterError as e:
        outcome.problems.append(str(e))
    finally:
        if driver.child.poll() is None:
            driver.kill()
    record("drivers", outcome, bench)


def anybodys(conf, store, record):
    """Programs of anybody's: two ranks on the driver's host."""
    spark = sparkgap.session("local[2]", conf={**conf, "spark.sparkgap.store.dir": str(store)})
    try:
        with tempfile.TemporaryDirectory(prefix="sparkgap-faults-") as folder:
            faulty, stamp = programs.compile_to(Path(folder)), Path(folder) / "stamp"
            for how, _, number in programs.ENDS[:3]:
                stamp.unlink(missing_ok=True)
                outcome = Outcome(f"program-{how}", "native", ERROR)
                try:
                    sparkgap.mpi.run(faulty, [how, "1", stamp], ranks=2, timeout=60, spark=spark)
                    outcome.problems.append("expected an error")
                except SparkGapError as e:
                    outcome.seconds = time.time() - stamp.stat().st_mtime
                    outcome.text, outcome.rank, outcome.host, outcome.signal, outcome.logged = (
                        str(e).splitlines()[0],
                        e.rank,
                        e.host,
                        e.signal,
                        bool(e.log),
                    )
                    if (e.rank, e.signal) != (1, number) or "rank 1 is here" not in e.log:
                        outcome.problems.append(f"rank {e.rank}, signal {e.signal}, log {e.log[:80]!r}")
                remains = [p.name for p in sparkgap.processes.tree() if programs.MARK in p.command()]
                if remains:
                    outcome.problems.append(f"left: {remains}")
                if spark.range(3).count() != 3:
                    outcome.problems.append("the session does not go on")
                record("programs", outcome, None)
            calls, last = programs.fill_the_store(Path(folder), conf)
            outcome = Outcome("program-fill", "native", ERROR, text=calls[0][1])
            outcome.problems = [
                f"{kind}: {text}" for kind, text, clean, _ in calls if kind != "ResourceError" or not clean
            ] + ([] if last == "10" else ["the session does not go on"])
            record("programs", outcome, None)
    finally:
        spark.stop()
