# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What the ranks of one host are while they run: processes that talk through shared memory and open no port."""

import os
import signal
import threading
from pathlib import Path

import pytest
from conftest import ranks_of, wait_for

import sparkgap
from sparkgap import LaunchError, environment, processes

FOREVER = 2_000_000_000
LISTEN = "0A"


def listening(pid):
    """The sockets of a process that wait for TCP connections, by inode."""
    rows = [line.split() for f in ("tcp", "tcp6") for line in Path(f"/proc/{pid}/net/{f}").read_text().splitlines()[1:]]
    waiting = {f"socket:[{row[9]}]" for row in rows if row[3] == LISTEN}
    return waiting & {os.readlink(fd) for fd in Path(f"/proc/{pid}/fd").iterdir()}


def variables(pid):
    return dict(v.split("=", 1) for v in Path(f"/proc/{pid}/environ").read_text().split("\0") if "=" in v)


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_ranks_of_one_host_open_no_port(spark, store, ranks):
    edges = sparkgap.graph.rmat(scale=6, edge_factor=4, spark=spark, progress=False)
    caught = []

    def call():
        try:
            sparkgap.graph.pagerank(edges, max_iterations=FOREVER, ranks=ranks, threads=1)
        except LaunchError as e:
            caught.append(e)

    thread = threading.Thread(target=call)
    thread.start()
    try:
        # The first line of progress comes long after MPI has opened whatever it opens.
        wait_for("progress", lambda: any(f.stat().st_size for f in store.path.glob("*/jobs/*/progress.jsonl")))
        alive = ranks_of()
        (mpiexec,) = (p for p in processes.tree() if p.name == "mpiexec")
        inherited = listening(mpiexec.pid)
        assert len(alive) == ranks
        assert len(inherited) == 1, "mpiexec's own port for its proxy, which all below it inherit"
        for rank in alive:
            assert listening(rank.pid) <= inherited
        policy = "passive" if ranks > environment.cores() else None
        assert {variables(rank.pid).get("OMP_WAIT_POLICY") for rank in alive} == {
            os.environ.get("OMP_WAIT_POLICY", policy)
        }
    finally:
        for rank in ranks_of():
            os.kill(rank.pid, signal.SIGKILL)
        thread.join(60)
    assert caught[0].signal == signal.SIGKILL
