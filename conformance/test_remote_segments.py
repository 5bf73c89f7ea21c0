# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Segments that are read, or computed on, on another host than theirs: three hosts of a real Spark cluster whose
scheduler waits for none.
"""

import os
import re
import signal
import time
from collections import Counter
from contextlib import contextmanager, suppress

import pytest
from conftest import wait_for
from pyspark import InheritableThread

from sparkgap.errors import DataError, translate
from sparkgap.session import running

ROWS = 400_000
SUM = ROWS * (ROWS - 1) // 2
CONF = {
    "spark.locality.wait": "0s",
    "spark.default.parallelism": 6,
    "spark.sql.shuffle.partitions": 2,
    "spark.ui.enabled": "false",
}


@pytest.fixture(scope="module")
def impatient(cluster):
    """A session whose tasks go wherever there is room."""
    return lambda: running() or cluster.session(CONF)


@pytest.fixture
def spark(own, impatient):
    return impatient()


def files(cluster, part):
    """The segments whose path has that part, by host name."""
    return {
        h.name: found for h in cluster.hosts if (found := [f for f in h.files() if part in f and f.endswith(".arrow")])
    }


def where_read(table):
    """The host names at which a table's rows were read, with the rows of each, and the sum of all ids."""

    def count(rows):
        import socket

        n = total = 0
        for row in rows:
            n, total = n + 1, total + row.id
        return [(socket.gethostname(), n, total)]

    found = table.rdd.mapPartitions(count).collect()
    hosts = Counter()
    for host, n, _ in found:
        hosts[host] += n
    return hosts, sum(total for *_, total in found)


@contextmanager
def busy(spark, slots):
    """That number of the six cores is busy within the body."""
    context, group = spark.sparkContext, "a job that takes cores"

    def take():
        context.setJobGroup(group, group, interruptOnCancel=True)
        with suppress(Exception):
            context.parallelize(range(slots), slots).map(lambda _: time.sleep(3600)).count()

    thread, tracker = InheritableThread(target=take), context.statusTracker()
    thread.start()

    def taken():
        return [
            i
            for i in tracker.getActiveStageIds()
            if (stage := tracker.getStageInfo(i)) and stage.numActiveTasks == slots
        ]

    stages = wait_for("the tasks", taken)
    try:
        yield
        assert taken() == stages, "they were taken all the time"
    finally:
        context.cancelJobGroup(group)
        thread.join(60)
    assert not thread.is_alive()


def test_a_table_is_read_on_other_hosts(spark, cluster):
    spark.range(0, ROWS, 1, 1).write.format("sparkgap").save("one")
    (home,) = files(cluster, "/segments/one.")
    table = spark.read.format("sparkgap").load("one")
    hosts, total = where_read(table)
    assert (sum(hosts.values()), total) == (ROWS, SUM)
    assert set(hosts) > {home}, "tasks ran elsewhere too"
    copies = files(cluster, "/segments/fetched-")
    assert set(copies) == set(hosts) - {home}
    assert all(len(found) == 1 for found in copies.values()), "one segment, however many tasks read it"
    table.selectExpr("id", "id * 2 twice").write.format("sparkgap").save("two")
    assert spark.read.format("sparkgap").load("two").selectExpr("sum(twice)").first()[0] == 2 * SUM
    wait_for(
        "the copies to go",
        lambda: not files(cluster, "/segments/fetched-"),
        found=lambda: files(cluster, "/segments/fetched-"),
    )
    for name in ("one", "two"):
        spark.sql(f"DROP TABLE sparkgap.store.{name}")
    wait_for("the tables to go", lambda: not files(cluster, "/segments/"), found=lambda: files(cluster, "/segments/"))


def test_a_cached_table_is_fetched_and_not_computed_again(spark, cluster):
    computed = spark.sparkContext.accumulator(0)

    def count(row):
        computed.add(1)
        return row

    table = spark.createDataFrame(
        spark.sparkContext.parallelize([(i,) for i in range(6000)], 6).map(count), "id bigint"
    ).cache()
    assert table.count() == 6000
    assert computed.value == 6000
    with busy(spark, 4):
        assert table.selectExpr("sum(id)").first()[0] == 6000 * 5999 // 2
    assert files(cluster, "/segments/fetched-"), "four of six cores were busy"
    assert computed.value == 6000
    table.unpersist(blocking=True)
    wait_for("all to go", lambda: not files(cluster, "/segments/"), found=lambda: files(cluster, "/segments/"))


def test_what_is_served_needs_the_address_and_the_token(spark, cluster):
    """Each executor listens once more, at its own address, and sends nothing to a peer that only connects."""
    spark.range(0, 100, 1, 6).write.format("sparkgap").save("three")
    assert spark.read.format("sparkgap").load("three").count() == 100
    for host in cluster.hosts:
        listening = [line.split()[3] for line in host.run("ss -Hltn").splitlines()]
        assert listening
        assert all(host.address in address or "*:8081" in address for address in listening), listening
    spark.sql("DROP TABLE sparkgap.store.three")


def test_a_table_whose_executor_has_ended(spark, cluster):
    spark.range(0, ROWS, 1, 1).write.format("sparkgap").save("lost")
    (home,) = files(cluster, "/segments/lost.")
    number = next(i for i, h in enumerate(cluster.hosts, 1) if h.name == home)
    os.kill(cluster.executor_pid(number), signal.SIGKILL)
    with pytest.raises(Exception) as raised:
        spark.read.format("sparkgap").load("lost").selectExpr("sum(id)").collect()
    ours = translate(raised.value)
    assert isinstance(ours, DataError), raised.value
    assert re.search(r"expected .*(its executor has ended|its owner has ended).* Do make the table again", str(ours))
    cluster.wait_for_executors(spark)
    assert spark.range(10).count() == 10
    spark.sql("DROP TABLE sparkgap.store.lost")
