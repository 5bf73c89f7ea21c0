# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Task threads on processors of their own: what they start has all of them, executors of a host share them, and the dead hold none."""

import os
import re
import signal
import time
from collections import defaultdict
from pathlib import Path

import pyspark
from conftest import CONF, wait_for
from pyspark.sql.functions import udf

import sparkgap
from sparkgap import processors

ALL = sorted(os.sched_getaffinity(0))
MASK = "reflect('org.sparkgap.spark.Affinity', 'ofThisThread')"
COMMAND = "reflect('java.lang.System', 'getProperty', 'sun.java.command')"
DOCTOR = "CALL sparkgap.launch.doctor()"


def cpus(mask):
    """A mask in the kernel's form, as a sorted list."""
    ends = [[int(end) for end in part.split("-")] for part in mask.split(",")]
    return [cpu for part in ends for cpu in range(part[0], part[-1] + 1)]


def executors_are_disjoint(spark, folder):
    """Of three executors here, as many as there are processors have one each, the others have said that there is none left; what one had that is killed the next has."""
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
    assert before == {re.search("executor ([^ ]+)", str(holder)).group(1): holder.cpus for holder in processors.holders(folder)}
    left = {"0", "1", "2"} - set(before)
    for executor in left:
        (log,) = (Path(pyspark.__file__).parent / "work" / spark.sparkContext.applicationId / executor).glob("stderr")
        lines = [line for line in log.read_text().splitlines() if "affinity" in line]
        assert len(lines) == 1 and "Task threads stay unpinned" in lines[0], lines
    victim, mask = next(iter(before.items()))
    (pid,) = [holder.pid for holder in processors.holders(folder) if holder.cpus == mask]
    os.kill(pid, signal.SIGKILL)
    wait_for("another to hold its processor", lambda: any(h.cpus == mask and h.pid != pid for h in processors.holders(folder)))
    (heir,) = [str(holder) for holder in processors.holders(folder) if holder.cpus == mask]
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
    assert {row.mask for row in spark.range(0, 4, 1, 2).select(udf(lambda _: str(sorted(os.sched_getaffinity(0))), useArrow=False)("id").alias("mask")).collect()} == {str(ALL)}
    words = ["-c", "grep Cpus_allowed_list /proc/self/status > {outputs.seen}"]
    done = sparkgap.mpi.run("/bin/sh", words, outputs={"seen": "name string, mask string"}, formats={"seen": "tsv"})
    assert [cpus(row.mask) for row in done.seen.collect()] == [ALL]
    (held,) = processors.holders(folder)
    assert sorted(held.cpus) == sorted(cpus(mask)[0] for mask in masks)
    words = " ".join(map(str, held.cpus))
    assert (f"affinity: pu: {words}" in {f"{row.check}: {row.detail}" for row in spark.sql(DOCTOR).collect()})
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    (line,) = [check.detail for check in sparkgap.doctor().checks if check.name == "affinity"]
    assert line == f"{','.join(map(str, held.cpus))}: driver (process {held.pid}) ({folder})"
    spark.stop()
    assert processors.holders(folder) == []
