# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A session with one executor in a JVM of its own, on another host where this machine can make one, whose own records
are short.
"""

import contextlib
import sys

from cluster import Cluster, missing

import sparkgap

# What Spark itself keeps of the past fills up in the first calls; what grows after is ours.
KEPT = {
    f"spark.{name}": 20
    for name in ("ui.retainedJobs", "ui.retainedStages", "sql.ui.retainedExecutions", "ui.retainedDeadExecutors")
}
# Its pools of threads grow to 1024 (result stages) and 128 (the others) before they use one again.
KEPT |= {
    f"spark.sql.{pool}.maxThreadThreshold": 8
    for pool in ("resultQueryStage", "subquery", "shuffleExchange", "broadcastExchange")
}
SETTINGS = {
    **KEPT,
    "spark.ui.retainedTasks": 200,
    "spark.ui.enabled": "false",
    "spark.default.parallelism": "2",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.codegen.cache.maxEntries": 50,
    "spark.cleaner.periodicGC.interval": "20s",
    "spark.sparkgap.store.memoryBytes": "8m",
}


@contextlib.contextmanager
def session(store, cluster=None):
    """(session, cluster or None). The executor is on the first host of a cluster, of one's own without one; on a
    machine that cannot make hosts, beside the driver.
    """
    settings = {
        **SETTINGS,
        "spark.sparkgap.store.dir": str(store / "memory"),
        "spark.sparkgap.store.diskDir": str(store / "disk"),
    }
    with contextlib.ExitStack() as stack:
        if cluster is None and missing() is None:
            cluster = stack.enter_context(Cluster(hosts=1))
        if cluster is not None:
            spark = cluster.session({**settings, "spark.cores.max": cluster.cores})
        else:
            print("soak: the executor is on the driver's host:", missing(), file=sys.stderr)
            here = {"spark.driver.host": "localhost", "spark.driver.bindAddress": "127.0.0.1"}
            spark = sparkgap.session(
                "local-cluster[1,2,512]", conf={**settings, **here, "spark.executor.memory": "512m"}
            )
        stack.callback(spark.stop)
        yield spark, cluster
