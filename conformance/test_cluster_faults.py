# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What dies while ranks run on three hosts: the right result or one exception that says who, and nothing left on any host."""

import re
import threading

import pytest
from conftest import wait_for

import sparkgap
from sparkgap.errors import LaunchError

ROWS = 20011
LONG, SHORT = 200_000, 300  # iterations: minutes, a second or two
RANK = r"bin/sparkgap-pagerank"


@pytest.fixture
def edges(hosts, cluster):
    yield hosts.range(0, 3 * ROWS, 1, 6).selectExpr(f"id % {ROWS} src", f"id * 7919 % {ROWS} dst")
    wait_for("ranks to go", lambda: not any(h.pids("sparkgap-|hydra|mpiexec") for h in cluster.hosts))
    cluster.repair()
    cluster.wait_for_executors(hosts, 3)


def once_running(cluster, deed):
    """Calls deed(number of a host) half a second after a rank was seen there: Spark may leave a host without rows, and so without ranks."""

    def there():
        return next((i for i, h in enumerate(cluster.hosts, 1) if h.pids(RANK)), None)

    def watch():
        wait_for("ranks", lambda: there() is not None)
        threading.Event().wait(0.5)
        deed(there())

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


@pytest.mark.parametrize(
    ("pattern", "says"),
    [(RANK, r"^rank \d on host host\d: expected exit 0, found signal 9 "), (r"^\S*hydra_pmi_proxy", r"^MPI's proxy on host 10\.\S+: expected .* found signal 9 ")],
    ids=["rank", "proxy"],
)
def test_killed(edges, cluster, pattern, says):
    thread = once_running(cluster, lambda i: cluster.host(i).kill(cluster.host(i).pids(pattern)[-1]))
    with pytest.raises(LaunchError) as caught:
        sparkgap.graph.pagerank(edges, max_iterations=LONG, threads=1)
    thread.join()
    assert re.match(says, str(caught.value)), caught.value
    assert sparkgap.graph.pagerank(edges, threads=1).count() == ROWS, "the session goes on"


def test_executor_killed(edges, cluster):
    """The job is tried again on the executors that are left."""
    thread = once_running(cluster, lambda i: cluster.host(i).kill(cluster.executor_pid(i)))
    found = sparkgap.graph.pagerank(edges, max_iterations=20 * SHORT, threads=1)
    thread.join()
    assert found.count() == ROWS
    assert abs(found.selectExpr("sum(pagerank)").first()[0] / ROWS - 1) < 1e-9
