# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""df.cache() in the store, as people use it: straight to kernels, without a second copy, and gone when its owner is,
however that ends.
"""

import json
import os
import random
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import sparkgap

START = """
import json, os, sys, time, sparkgap, sparkgap.processes
from pathlib import Path

memory, disk = sys.argv[1:3]


def session(master="local[2]", **conf):
    return sparkgap.session(
        master,
        conf={
            "spark.ui.enabled": "false",
            "spark.driver.host": "localhost",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.sparkgap.store.dir": memory,
            "spark.sparkgap.store.diskDir": disk,
            "spark.sql.shuffle.partitions": "2",
            **conf,
        },
    )


def executors():
    tree = [p.pid for p in sparkgap.processes.tree() if p.name == "java"]
    return [pid for pid in tree if b"CoarseGrainedExecutorBackend" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def files(*places):
    return [
        os.path.join(top, name)
        for place in places or (memory, disk)
        for top, _, names in os.walk(place)
        for name in names
        if ".arrow" in name
    ]


def within(seconds, holds):
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.1)
    return holds()
"""
ROUNDS = int(os.environ.get("SPARKGAP_KILL_ROUNDS", "1"))


def command(tmp_path, body):
    return [sys.executable, "-c", START + textwrap.dedent(body), str(tmp_path / "memory"), str(tmp_path / "disk")]


def application(tmp_path, body):
    """Its last line of output, read as JSON."""
    done = subprocess.run(command(tmp_path, body), capture_output=True, text=True, timeout=220)
    assert done.stdout, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("spark", ["classic", "connect"], indirect=True)
def test_kernels_read_a_cached_table_where_it_is(spark):
    edges = (
        spark.range(0, 30000, 1, 3)
        .selectExpr("id % 1009 src", "id * 7919 % 1009 dst", "1.5D w", "concat('n', id % 7) name")
        .cache()
    )
    names = edges.selectExpr("name src", "concat('n', dst % 7) dst").cache()
    try:
        for ranks in (None, 2):
            done = sparkgap.graph.pagerank(edges, weight="w", ranks=ranks)
            assert done.count() == 1009 and done.sparkgap.bytes_copied == 0, "computed and cached by the call itself"
        with sparkgap.graph.build(edges) as g:
            assert g.call.bytes_copied == 0
        assert sparkgap.graph.degree(names).sparkgap.bytes_copied == 0
        assert sparkgap.graph.degree(edges.select("dst", "src"), src="dst", dst="src").sparkgap.bytes_copied == 0
        assert sparkgap.graph.degree(edges.where("src > 5")).sparkgap.bytes_copied > 0, "a filter makes other rows"
        assert edges.where("src = 7").count() == 30
    finally:
        names.unpersist()
        edges.unpersist()


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_a_cached_table_is_found_without_a_job(spark):
    edges = spark.range(0, 3000, 1, 3).selectExpr("id src", "id * 7919 % 1009 dst").cache()
    context = spark.sparkContext

    def jobs(group):
        context.setJobGroup(group, group)
        try:
            assert sparkgap.graph.degree(edges).sparkgap.bytes_copied == 0
        finally:
            context.setJobGroup(None, None)
        return len(context.statusTracker().getJobIdsForGroup(group))

    try:
        assert jobs("computed") == 2, "one computes the rows, the other stands for the ranks"
        assert jobs("found") == 1
    finally:
        edges.unpersist()


def test_a_scan_allocates_nothing(tmp_path):
    """The bytes of a table stand once in memory, in its files: while they are read the JVM's own memory does not grow
    by them.
    """
    said = application(
        tmp_path,
        """
    # A heap that is resident from the start, so that what grows is not the heap.
    s = session(**{"spark.driver.memory": "512m", "spark.driver.extraJavaOptions": "-Xms512m -XX:+AlwaysPreTouch"})
    java = next(p.pid for p in sparkgap.processes.tree() if p.name == "java")

    def memory_of(kind):
        return (
            int(
                next(
                    line.split()[1]
                    for line in Path(f"/proc/{java}/status").read_text().splitlines()
                    if line.startswith(kind)
                )
            )
            << 10
        )

    heap = lambda: (
        s._jvm.System.gc(),
        s._jvm.java.lang.Runtime.getRuntime().totalMemory() - s._jvm.java.lang.Runtime.getRuntime().freeMemory(),
    )[1]
    small = s.range(100000).selectExpr("id", "id * 2 x").cache()  # what Spark itself allocates for its first queries
    [small.agg({"x": "sum"}).collect() for _ in range(10)]
    data = s.range(0, 16000000, 1, 4).selectExpr("id", "id * 2 x")
    before = heap()
    data.cache().count()
    said = {"bytes": sum(os.path.getsize(f) for f in files(memory)), "heap": heap() - before}
    mapped = lambda: memory_of("RssShmem") + memory_of("RssFile")
    anonymous, shared = memory_of("RssAnon"), mapped()
    said["sums"] = [data.agg({"x": "sum"}).first()[0] for _ in range(3)][-1]
    said |= {"anonymous": memory_of("RssAnon") - anonymous, "shared": mapped() - shared}
    data.unpersist()
    said["unmapped"] = within(15, lambda: mapped() - shared < 1 << 22)
    print(json.dumps(said))
    s.stop()
""",
    )
    assert said["sums"] == 16000000 * 15999999
    assert said["bytes"] > 16000000 * 16
    assert said["heap"] < 10 << 20, "handles only"
    assert said["shared"] > 16000000 * 7, "the pages of the column that was read are mapped"
    assert said["anonymous"] < said["bytes"] / 4, "and not copied"
    assert said["unmapped"]


def test_an_executor_that_dies_takes_its_part_along(tmp_path):
    said = application(
        tmp_path,
        """
    s = session("local-cluster[2,1,1024]")
    rows = s.range(0, 400000, 1, 4).selectExpr("id", "id * 2 x").cache()
    said = {"count": rows.count(), "homes": len({p.split("/segments/")[0] for p in files()})}
    said["copied"] = sparkgap.graph.degree(rows, src="id", dst="x").sparkgap.bytes_copied
    of_spark = sparkgap.graph.degree(s.range(0, 1000, 1, 4).selectExpr("id src", "id + 1 dst"), engine="spark")
    kept = of_spark.where("id > 5").cache()
    degrees = lambda table: sorted(
        map(tuple, table.where("true").collect())
    )  # a query of its own each time: one that ran is not planned again
    before, kept_before = degrees(of_spark), degrees(kept)
    os.kill(executors()[0], 9)
    said["anew"] = (
        within(60, lambda: s.range(0, 8, 1, 8).count() == 8 and len(executors()) == 2) and degrees(of_spark) == before
    )
    said["sum"] = rows.agg({"x": "sum"}).first()[0]
    said["swept"] = within(30, lambda: sum(os.path.getsize(f) for f in files() if "/cache-" in f) < 400000 * 16 * 1.3)
    said["again"] = rows.agg({"x": "sum"}).first()[0]
    for each in executors():
        os.kill(each, 9)
    said["gone"] = within(30, lambda: not [f for f in files() if "/segments/degree" in f and ".driver/" not in f])
    said["kept"] = within(60, lambda: s.range(0, 8, 1, 8).count() == 8) and degrees(kept) == kept_before
    rows.unpersist()
    kept.unpersist()
    said["after_unpersist"] = within(15, lambda: not [f for f in files() if "/cache-" in f])
    s.stop()
    said["left"] = files()
    print(json.dumps(said))
""",
    )
    expected = {
        "count": 400000,
        "homes": 2,
        "copied": 0,
        "anew": True,
        "sum": 400000 * 399999,
        "swept": True,
        "again": 400000 * 399999,
        "gone": True,
        "kept": True,
        "after_unpersist": True,
        "left": [],
    }
    assert said == expected


WRITER = """
s = session(**{"spark.sparkgap.store.memoryBytes": "12m", "spark.sparkgap.store.segmentBytes": "1m"})
print("ready", flush=True)
while True:
    rows = s.range(0, 1000000, 1, 4).selectExpr("id", "id * 2 x").cache()
    total = rows.agg({"x": "sum"}).first()[0], rows.count()
    published = (
        sparkgap.store.publish(s.range(0, 20000, 1, 2).selectExpr("id", "id * 2 x"), "steady")
        .agg({"x": "sum"})
        .first()[0]
    )
    print(*total, published, flush=True)
    rows.unpersist()
"""
CHECK = """
s = session()
private = lambda: [f for f in files() if "/published/" not in f]
within(60, lambda: not private())
left = private()
steady = (
    s.table("sparkgap.published.steady").agg({"x": "sum"}).first()[0]
    if any(t["name"] == "published.steady" for t in sparkgap.store.ls())
    else None
)
sparkgap.store.sweep()
print(json.dumps([left, steady, [f for f in files() if f.endswith(".part")]]))
s.stop()
"""


def test_killed_at_any_moment(tmp_path):
    """The driver, which in local mode writes and reads too: no wrong sum before, no byte left after the next start, the
    published table whole.

    SPARKGAP_KILL_ROUNDS (1) says how often; a round takes about ten seconds, for which SPARKGAP_TEST_TIMEOUT_S must
    leave room.
    """
    moment = random.Random(7)
    for i in range(ROUNDS):
        with subprocess.Popen(
            command(tmp_path, WRITER),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        ) as writer:
            assert writer.stdout.readline() == "ready\n"
            time.sleep(moment.uniform(0.0, 6.0))
            assert writer.poll() is None, "it writes until it is killed"
            for child in Path(f"/proc/{writer.pid}/task/{writer.pid}/children").read_text().split():
                kill_tree(int(child))
            writer.kill()
            said = writer.stdout.read().splitlines()
        for line in said:
            if line.count(" ") == 2:
                assert line == f"{1000000 * 999999} 1000000 {20000 * 19999}", line
        left, steady, parts = application(tmp_path, CHECK)
        assert left == [] and parts == [], f"round {i}"
        assert steady in (None, 20000 * 19999), f"round {i}"


def kill_tree(pid):
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        kill_tree(int(child))
    os.kill(pid, 9)
