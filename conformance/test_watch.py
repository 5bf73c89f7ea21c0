# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Spark's pages say how far a call is, and after a cancel, in any of Spark's ways, there is no rank of it a second
later.
"""

import os
import re
import signal
import threading
import time
from contextlib import contextmanager

import pytest
from conftest import ranks_of, wait_for

import sparkgap
from sparkgap import processes

FOREVER = 2_000_000_000
MOST_S = 30.0  # a second is what is promised, and recorded; a machine that is busy with other things gets more
TAG = "somebodys"


def interrupt(_):
    """As a terminal's Ctrl-C does."""
    os.kill(os.getpid(), signal.SIGINT)


CLASSIC = {
    "cancelJobGroup": lambda spark: spark.sparkContext.cancelJobGroup(TAG),
    "cancelJobsWithTag": lambda spark: spark.sparkContext.cancelJobsWithTag(TAG),
    "interruptAll": lambda spark: spark.interruptAll(),
    "Ctrl-C": interrupt,
}
CONNECT = {"interruptTag": lambda spark: spark.interruptTag(TAG), "Ctrl-C": interrupt}


def seconds_to_no_rank(spark, edges, deed, alive, **words):
    """Calls pagerank for ever, does the deed once its ranks compute, and returns how long after that the last one was
    gone.
    """
    took = []

    def strike():
        wait_for(
            "ranks that compute",
            lambda: alive() and any(j.iteration > 0 for j in spark.sql("CALL sparkgap.launch.jobs()").collect()),
        )
        assert alive(), "they are there to be ended"
        start = time.monotonic()
        deed(spark)
        wait_for("the ranks' end", lambda: not alive(), MOST_S)
        took.append(time.monotonic() - start)

    thread = threading.Thread(target=strike)
    thread.start()
    try:
        with pytest.raises((Exception, KeyboardInterrupt)) as caught:
            sparkgap.graph.pagerank(edges, max_iterations=FOREVER, threads=1, timeout_s=60, progress=False, **words)
    finally:
        thread.join(60)
    assert took, "the deed failed"
    return took[0], caught.value


def says(error, how):
    if how == "Ctrl-C":
        assert isinstance(error, KeyboardInterrupt)
    else:
        assert re.search(
            r"expected to run to its end, found that it was cancelled\. Do run it"
            r" again\.|OPERATION_CANCELED|INTERRUPTED|[Ii]nterrupted",
            str(error),
        ), error


@pytest.fixture
def small(spark):
    return sparkgap.graph.rmat(scale=6, edge_factor=4, spark=spark, progress=False)


@contextmanager
def tagged(spark):
    """Jobs of the body have a job group and a tag."""
    context = spark.sparkContext
    context.setJobGroup(TAG, "a job that is cancelled")
    context.addJobTag(TAG)
    try:
        yield
    finally:
        context.removeJobTag(TAG)
        for key in ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel"):
            context.setLocalProperty(key, None)


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
@pytest.mark.parametrize("how", CLASSIC)
def test_on_one_host(spark, store, small, how, record_property):
    before = store.files()
    ranks = 1 if how == "cancelJobGroup" else 2
    with tagged(spark):
        took, error = seconds_to_no_rank(spark, small, CLASSIC[how], ranks_of, ranks=ranks)
    record_property("seconds", took)
    says(error, how)
    wait_for(
        "no mpiexec left",
        lambda: (
            not [p for p in processes.tree() if "mpiexec" in p.name or "hydra" in p.name or p.name == "sparkgap-rank"]
        ),
    )
    wait_for("its files to go", lambda: store.files() == before)
    assert sparkgap.graph.degree(small, ranks=2, progress=False).count() > 0, "the session goes on"


@pytest.mark.parametrize("spark", ["connect"], indirect=True)
@pytest.mark.parametrize("how", CONNECT)
def test_through_connect(spark, store, small, how, record_property):
    before = store.files()
    spark.addTag(TAG)
    try:
        took, error = seconds_to_no_rank(spark, small, CONNECT[how], ranks_of, ranks=2)
    finally:
        spark.removeTag(TAG)
    record_property("seconds", took)
    says(error, how)
    wait_for("its files to go", lambda: store.files() == before)
    assert sparkgap.graph.degree(small, ranks=2, progress=False).count() > 0, "the session goes on"


@pytest.fixture
def far(hosts, cluster):
    """A table whose rows lie on three hosts, and how to see the ranks there."""
    edges = hosts.range(0, 3000, 1, 6).selectExpr("id % 1000 src", "id * 7919 % 1000 dst")
    yield edges, lambda: [p for h in cluster.hosts for p in h.pids("bin/sparkgap-pagerank")]
    wait_for(
        "nothing left of it",
        lambda: (
            not any(h.pids("sparkgap-|hydra") for h in cluster.hosts)
            and not [p for p in processes.tree() if "mpiexec" in p.name]
        ),
    )
    assert sparkgap.graph.degree(edges, ranks=3, threads=1, progress=False).count() == 1000, "the session goes on"


@pytest.mark.parametrize("how", ["cancelJobGroup", "Ctrl-C"])
def test_on_three_hosts(hosts, far, how, record_property):
    edges, ranks = far
    with tagged(hosts):
        took, error = seconds_to_no_rank(hosts, edges, CLASSIC[how], ranks, ranks=3)
    record_property("seconds", took)
    says(error, how)


def test_the_pages_say_how_far_it_is(hosts, far):
    """As the pages of Spark get to see it, without the pages."""
    edges, ranks = far
    seen = {}

    def look(spark):
        state = spark._jsparkSession.sharedState().statusStore()

        def queries():
            found = state.executionsList()
            return [
                found.apply(i).description() for i in range(found.size()) if found.apply(i).completionTime().isEmpty()
            ]

        shown = re.compile(rf"pagerank: compute, iteration \d+ of {FOREVER}, 3 ranks on 3 hosts")
        wait_for("progress", lambda: any(shown.fullmatch(d) for d in queries()), found=queries)
        stages = spark._jsc.sc().statusStore().activeStages()
        seen["stages"] = [stages.apply(i).description().get() for i in range(stages.size())]
        spark.interruptAll()

    _, error = seconds_to_no_rank(hosts, edges, look, ranks, ranks=3)
    says(error, "interruptAll")
    assert seen == {"stages": ["pagerank: 3 ranks on 3 hosts"]}
