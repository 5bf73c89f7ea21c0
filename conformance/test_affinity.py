# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Task threads and ranks on processors of their own: what tasks start has all of them, executors and jobs of a host
share them, and the dead hold none.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path

import pyspark
from conftest import CONF, ranks_of, wait_for
from pyspark.sql.functions import udf

import sparkgap
from sparkgap import LaunchError, claimed_cpus, processes

ALL = sorted(os.sched_getaffinity(0))
MASK = "reflect('org.sparkgap.spark.Affinity', 'ofThisThread')"
COMMAND = "reflect('java.lang.System', 'getProperty', 'sun.java.command')"
DOCTOR = "CALL sparkgap.launch.doctor()"


def cpus(mask):
    """A mask in the kernel's form, as a sorted list."""
    ends = [[int(end) for end in part.split("-")] for part in mask.split(",")]
    return [cpu for part in ends for cpu in range(part[0], part[-1] + 1)]


NODES = [
    set(cpus(text))
    for file in Path("/sys/devices/system/node").glob("node[0-9]*/cpulist")
    if (text := file.read_text().strip())
]


def executors_are_disjoint(spark, folder):
    """Of three executors here, as many as there are processors have one each, the others have said that there is none
    left; what one had that is killed the next has.
    """
    executors = spark.sparkContext._jsc.sc().getExecutorMemoryStatus
    wait_for("three executors", lambda: executors().size() == 4)

    def where():
        masks = defaultdict(set)
        rows = spark.range(0, 60, 1, 60).selectExpr("id", f"{COMMAND} command", f"{MASK} mask").collect()
        assert [row.id for row in rows] == list(range(60))
        for row in rows:
            masks[re.search(r"--executor-id (\S+)", row.command).group(1)].add(tuple(cpus(row.mask)))
        return masks

    found = wait_for("tasks on all three", lambda: len(seen := where()) == 3 and seen)
    before = {executor: mask for executor, (mask,) in found.items() if mask != tuple(ALL)}
    assert len(set(before.values())) == len(before) == min(3, len(ALL))
    assert before == {
        re.search("executor ([^ ]+)", str(holder)).group(1): holder.cpus for holder in claimed_cpus.holders(folder)
    }
    left = {"0", "1", "2"} - set(before)
    for executor in left:
        (log,) = (Path(pyspark.__file__).parent / "work" / spark.sparkContext.applicationId / executor).glob("stderr")
        lines = [line for line in log.read_text().splitlines() if "affinity" in line]
        assert len(lines) == 1 and "Task threads stay unpinned" in lines[0], lines
    victim, mask = next(iter(before.items()))
    (pid,) = [holder.pid for holder in claimed_cpus.holders(folder) if holder.cpus == mask]
    os.kill(pid, signal.SIGKILL)
    wait_for(
        "another to hold its processor",
        lambda: any(h.cpus == mask and h.pid != pid for h in claimed_cpus.holders(folder)),
    )
    (heir,) = [str(holder) for holder in claimed_cpus.holders(folder) if holder.cpus == mask]
    assert f"executor {victim} " not in heir


def test_python_workers_and_ranks_have_all_processors(own, store, tmp_path, monkeypatch):
    def of_python(_):
        time.sleep(0.01)
        return tuple(sorted(os.sched_getaffinity(0)))

    folder = tmp_path / "cpus"
    (tmp_path / "spark-defaults.conf").write_text(f"spark.sparkgap.topology.lockDir {folder}\n")
    conf = {"spark.sparkgap.topology.affinity": "pu", "spark.sparkgap.topology.lockDir": str(folder)}
    spark = sparkgap.session("local[2]", conf={**CONF, "spark.sparkgap.store.dir": str(store.path), **conf})
    found = spark.sparkContext.parallelize(range(6), 6).map(of_python).collect()
    assert set(found) == {tuple(ALL)}, "the daemon is started by a task"
    masks = {row.mask for row in spark.range(0, 60, 1, 60).selectExpr(f"{MASK} mask").collect()}
    assert len(masks) == 2 and all(len(cpus(mask)) == 1 for mask in masks), "and JVM tasks are pinned before and after"
    assert {
        row.mask
        for row in (
            spark.range(0, 4, 1, 2)
            .select(udf(lambda _: str(sorted(os.sched_getaffinity(0))), useArrow=False)("id").alias("mask"))
            .collect()
        )
    } == {str(ALL)}
    words = ["-c", "grep Cpus_allowed_list /proc/self/status > {outputs.seen}"]
    done = sparkgap.mpi.run("/bin/sh", words, outputs={"seen": "name string, mask string"}, formats={"seen": "tsv"})
    assert [cpus(row.mask) for row in done.seen.collect()] == [ALL]
    (held,) = claimed_cpus.holders(folder)
    assert sorted(held.cpus) == sorted(cpus(mask)[0] for mask in masks)
    words = " ".join(map(str, held.cpus))
    assert f"affinity: pu: {words}" in {f"{row.check}: {row.detail}" for row in spark.sql(DOCTOR).collect()}
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    (line,) = [check.detail for check in sparkgap.doctor().checks if check.name == "affinity"]
    assert line == f"{','.join(map(str, held.cpus))}: driver (process {held.pid}) ({folder})"
    # Ranks that are to be bound share the processors of the task threads.
    spark.conf.set("spark.sparkgap.launch.affinity", "core")
    done = sparkgap.mpi.run(
        "/bin/sh",
        ["-c", "grep Cpus_allowed_list /proc/self/status > {outputs.seen}/{rank}.tsv"],
        outputs={"seen": "name string, mask string"},
        formats={"seen": "tsv"},
        ranks=2,
        threads=1,
    )
    assert sorted(row.mask for row in done.seen.collect()) == sorted(masks) and claimed_cpus.holders(folder) == [held]
    assert sparkgap.mpi.run("true", ranks=3, threads=1).sparkgap.rank_cpus == [], "and have no others"
    spark.stop()
    assert claimed_cpus.holders(folder) == []


# Another application beside: what it gets for one rank, for as many as there are processors, and a job that it is
# killed in.
BESIDE = """
import json, sys, sparkgap

spark = sparkgap.session("local[1]", conf=json.loads(sys.argv[1]))
edges = sparkgap.graph.rmat(scale=5, edge_factor=4, ranks=1, threads=1, spark=spark, progress=False)
print(json.dumps(edges.sparkgap.rank_cpus), flush=True)
print(
    json.dumps(sparkgap.graph.degree(edges, ranks=1, threads=int(sys.argv[2]), progress=False).sparkgap.rank_cpus),
    flush=True,
)
sparkgap.graph.pagerank(edges, max_iterations=2_000_000_000, ranks=1, threads=1, progress=False)
"""


def of_threads(pid):
    """The masks of all threads of a process."""
    files = (thread / "status" for thread in Path(f"/proc/{pid}/task").iterdir())
    return [tuple(cpus(re.search(r"Cpus_allowed_list:\s*(\S+)", file.read_text()).group(1))) for file in files]


def test_ranks_have_processors_of_their_own(own, store, tmp_path):
    folder, caught = tmp_path / "cpus", []
    settings = {
        **CONF,
        "spark.sparkgap.store.dir": str(store.path),
        "spark.sparkgap.topology.lockDir": str(folder),
        "spark.sparkgap.launch.affinity": "pu",
    }
    spark = sparkgap.session("local[2]", conf=settings)
    edges = sparkgap.graph.rmat(scale=14, edge_factor=4, spark=spark, progress=False)  # large enough for threads

    @contextlib.contextmanager
    def forever(ranks, threads=1):
        """The ranks of a job that does not end by itself, once they compute."""

        def call():
            try:
                sparkgap.graph.pagerank(
                    edges, max_iterations=2_000_000_000, ranks=ranks, threads=threads, progress=False
                )
            except LaunchError as e:
                caught.append(e.signal)

        thread = threading.Thread(target=call)
        thread.start()
        try:
            wait_for("progress", lambda: any(f.stat().st_size for f in store.path.glob("*/jobs/*/progress.jsonl")))
            yield ranks_of()
        finally:
            for rank in ranks_of():
                os.kill(rank.pid, signal.SIGKILL)
            thread.join(60)
        assert caught.pop() == signal.SIGKILL

    with forever(2) as alive:
        found = [set(of_threads(rank.pid)) for rank in alive]
        assert sorted(map(len, found)) == [1, 1], "all threads of a rank, MPI's too"
        assert sorted(found, key=sorted) == [{(cpu,)} for holder in claimed_cpus.holders(folder) for cpu in holder.cpus]
        if len(ALL) == 2:
            plain = sparkgap.graph.degree(edges, ranks=2, threads=1, progress=False)
            assert plain.sparkgap.rank_cpus == [] and plain.count() > 0, (
                "none is left for a second job, which runs all the same"
            )
    assert claimed_cpus.holders(folder) == [], "given back"

    program = sparkgap.mpi.run(
        "/bin/sh",
        ["-c", "grep Cpus_allowed_list /proc/self/status > {outputs.seen}/{rank}.tsv"],
        outputs={"seen": "name string, mask string"},
        formats={"seen": "tsv"},
        ranks=2,
        threads=1,
    )
    said = [row.mask for row in program.seen.collect()]
    assert said == [rank["cpus"] for rank in program.sparkgap.rank_cpus] and len(set(said)) == 2
    with forever(1, 2) as (rank,):
        # A thread begins where the one that starts it is, and goes to its place when it is first run.
        found = wait_for(
            "two threads apart",
            lambda: len(set(seen := of_threads(rank.pid))) == 2 and seen,
            found=lambda: of_threads(rank.pid),
        )
        assert len(found) == 2 and all(len(mask) == 1 for mask in found), "each of OpenMP's threads has a place"

    settings |= {"spark.driver.memory": "1g", "spark.log.level": "WARN"}
    beside = [sys.executable, "-c", BESIDE, json.dumps(settings), str(len(ALL))]
    with (
        forever(1) as (first,),
        subprocess.Popen(beside, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as other,
    ):
        (ours,) = (holder.pid for holder in claimed_cpus.holders(folder))
        try:
            (theirs,), none = (json.loads(other.stdout.readline()) for _ in range(2))
            second = wait_for(
                "its last job", lambda: [rank for rank in ranks_of(other.pid) if rank.name.startswith("sparkgap-pager")]
            )[0]
            its = tuple(cpus(theirs["cpus"]))
            wait_for("its place", lambda: set(of_threads(second.pid)) == {its}, found=lambda: of_threads(second.pid))
            assert none == [] and its not in of_threads(first.pid)
            (jvm,) = (p.pid for p in processes.tree(other.pid) if p.name == "java")
            os.kill(jvm, signal.SIGKILL)
            wait_for(
                "its processor to be free",
                lambda: [h.pid for h in claimed_cpus.holders(folder)] == [ours],
                found=lambda: claimed_cpus.holders(folder),
            )
            wait_for(
                "its rank to end", lambda: second.pid not in {p.pid for p in processes.everyone() if p.state != "Z"}
            )
        finally:
            other.kill()
            lines = [line for line in other.stderr.read().splitlines() if "affinity" in line]
        heir = sparkgap.graph.degree(edges, ranks=1, threads=1, progress=False).sparkgap
        assert cpus(heir.rank_cpus[0]["cpus"]) == list(its)
    assert (
        len(lines) == 1
        and f"affinity of degree: expected processors for 1 x {len(ALL)} threads at level pu, found " in lines[0]
    ), lines
    assert lines[0].endswith("free. Do ask for fewer, or wait for other jobs to end. Its ranks stay unpinned.")
    spark.conf.set("spark.sparkgap.launch.ranks", "numa")
    each = sparkgap.mpi.run("true").sparkgap
    nodes = [node for node in NODES if node & set(ALL)]
    assert (each.ranks, each.threads) == (min(2, len(nodes)), 2 // min(2, len(nodes)))
    assert (
        len({frozenset(node) for rank in each.rank_cpus for node in nodes if node & set(cpus(rank["cpus"]))})
        == each.ranks
    )
    spark.conf.unset("spark.sparkgap.launch.ranks")
    spark.conf.set("spark.sparkgap.launch.affinity", "none")
    assert sparkgap.graph.degree(edges, ranks=2, threads=1, progress=False).sparkgap.rank_cpus == []
    assert claimed_cpus.holders(folder) == []
