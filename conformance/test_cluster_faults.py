# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What dies while ranks run on three hosts: the right result or one exception that says who, and nothing left on any
host.

The fast ones of `make faults`, which runs all of the same list and writes docs/faults.md.
"""

import subprocess
import sys

import pytest
from cluster import ClusterError
from cluster.problem import PATIENCE
from conftest import wait_for
from faults import FAULTS, Scene, Work, named, struck
from faults.drivers import Driver
from faults.faults import SILENCE_S
from faults.scene import EXECUTOR, WORKER
from faults.work import SHORT

import sparkgap

FAST = ["rank", "proxy", "mpiexec", "rank-hang", "cancel", "full", "executor", "cut-and-rank", "result"]
ITERATIONS = 4000


@pytest.fixture
def scene(hosts, cluster, store):
    hosts.conf.set(
        "spark.sparkgap.launch.silence", f"{int(SILENCE_S * PATIENCE)}s"
    )  # whose tasks get no processor for long is not lost
    yield Scene(cluster, hosts, store.path)
    hosts.conf.unset("spark.sparkgap.launch.silence")


@pytest.mark.parametrize("name", FAST)
def test_fault(scene, name):
    work = Work(scene.spark)
    work.iterations["native"] = ITERATIONS
    outcome = struck(lambda: Scene(scene.cluster, scene.spark, scene.store), named(name), work)
    assert outcome.came == named(name).comes, str(outcome)
    assert outcome.problems == [], str(outcome)
    assert outcome.proof, outcome


def test_a_graph_that_lost_a_part_is_built_again(scene):
    work = Work(scene.spark)
    with sparkgap.graph.build(work.edges(), threads=1) as graph:
        scene.kill_and_hear(EXECUTOR)
        found = sparkgap.graph.pagerank(graph, max_iterations=SHORT, threads=1)
        assert work.wrong(found, SHORT) == ""
    scene.repair()
    scene.without_the_dead()


def test_a_table_in_the_place_of_a_result_is_not_taken_for_it(scene):
    """What you wrote yourself no call can make anew, though the name was a call's once."""
    spark, work = scene.spark, Work(scene.spark)
    sparkgap.graph.pagerank(work.edges(), max_iterations=SHORT, threads=1, result="ranks")
    spark.range(9, 99, 1, 6).selectExpr("id", "id / 2 AS pagerank").write.format("sparkgap").mode("overwrite").save(
        "ranks"
    )
    scene.kill_and_hear(EXECUTOR)
    with pytest.raises(Exception, match=r"its (executor|owner) has ended"):
        spark.table("sparkgap.store.ranks").selectExpr("sum(pagerank)").collect()
    spark.sql("DROP TABLE sparkgap.store.ranks")
    scene.repair()
    scene.without_the_dead()


def test_a_worker_is_brought_back_that_was_killed_just_now(scene):
    """It was once taken to live, as the master did not know yet; and three executors were waited for in vain."""
    scene.kill(WORKER)
    scene.repair()
    scene.without_the_dead()


def test_names():
    assert len({f.name for f in FAULTS}) == len(FAULTS)
    assert set(FAST) <= {f.name for f in FAULTS}


def test_driver(own, cluster, store):
    """With the driver goes all that runs on the hosts."""
    driver = Driver(cluster, store.path)
    try:
        driver.begin(SHORT)
        assert driver.said() == {"wrong": ""}
        driver.begin()
    finally:
        driver.kill()
    driver.without_ranks()
    driver.without_executors()
    with pytest.raises(ClusterError, match="its end, status -9"):
        driver.said()
    subprocess.run(
        [sys.executable, "-m", "sparkgap", "store", "sweep", "--store", str(store.path)],
        check=True,
        capture_output=True,
        timeout=60 * PATIENCE,
    )
    assert store.homes() == [], "what it leaves here goes with a sweep"


def test_what_the_dead_leave_goes_while_others_live(hosts, cluster, store):
    """As of an executor that hung, and was killed when its successor had long begun."""
    stores = [host.root / store.path.relative_to("/") for host in cluster.hosts]
    wait_for("the executors' homes", lambda: all(path.is_dir() for path in stores))
    left = []
    for host, folder in zip(cluster.hosts, stores, strict=True):
        home = folder / "app-0.77"
        (home / "segments" / "x").mkdir(parents=True)
        (home / "segments" / "x" / "part.arrow").write_bytes(b"0" * 4096)
        (home / "lock").touch()
        left += [home, host.root / "dev/shm" / "mpich_shm_sparkgap-test"]
        left[-1].write_bytes(b"0" * 4096)
    wait_for("it to go", lambda: not any(path.exists() for path in left), found=lambda: [p for p in left if p.exists()])
