# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What listens while ranks run, on one host and on several, and what a stranger comes to who connects to it: the tables
of SECURITY.md and docs/cluster.md.
"""

import os
import re
import socket
import struct
import subprocess
import sys
import threading
from contextlib import ExitStack, contextmanager

import pytest
from conftest import CONF, wait_for
from faults import Scene

import sparkgap
from sparkgap import processes

FOREVER = 2_000_000_000
VERTICES = 1000
WORKER_PAGE = 8081
SOCKET = re.compile(r"^(tcp|udp)\s+\S+\s+\d+\s+\d+\s+(\S+):(\d+)\s+\S+\s+users:(.*)$", re.MULTILINE)
USER = re.compile(r'\("([^"]+)",pid=(\d+)')
LOOK = ["ss", "-Htulnp"]


def edges_on(spark):
    return spark.range(0, 3 * VERTICES, 1, 6).selectExpr(f"id % {VERTICES} src", f"id * 7919 % {VERTICES} dst")


def sockets(text, mine=None):
    """(protocol, address, port, program) of each socket that listens, of all processes or of `mine`."""
    found = [(m.group(1), m.group(2), int(m.group(3)), USER.findall(m.group(4))) for m in SOCKET.finditer(text)]
    return {
        (kind, at, port, users[0][0])
        for kind, at, port, users in found
        if mine is None or mine & {int(pid) for _, pid in users}
    }


def listening(cluster):
    """By host; the driver's side is this process and all below it. Spark's Python workers, where a test before had
    some, listen at their host's loopback.
    """
    here = sockets(
        subprocess.run(LOOK, capture_output=True, text=True, check=True).stdout, {p.pid for p in processes.tree()}
    )
    return {
        "driver": here,
        **{h.name: {s for s in sockets(h.run(LOOK)) if not s[3].startswith("python")} for h in cluster.hosts},
    }


@contextmanager
def running(spark, ranks, **words):
    """While the body runs, so do the ranks of a pagerank; then it is ended, and what it ended with is in the list."""
    ends = []

    def call():
        try:
            ends.append(
                sparkgap.graph.pagerank(
                    edges_on(spark), max_iterations=FOREVER, ranks=ranks, threads=1, progress=False, **words
                ).count()
            )
        except Exception as e:
            ends.append(e)

    thread = threading.Thread(target=call)
    thread.start()
    try:
        wait_for(
            "iterations",
            lambda: ends or any(job.iteration > 0 for job in spark.sql("CALL sparkgap.launch.jobs()").collect()),
            120,
        )
        assert not ends, ends
        yield ends
    finally:
        if not ends:
            spark.sparkContext.cancelAllJobs()
        thread.join(60)
    assert ends


def control_port():
    """That of the one mpiexec below this process."""
    (port,) = {
        port
        for _, _, port, name in sockets(
            subprocess.run(LOOK, capture_output=True, text=True, check=True).stdout, {p.pid for p in processes.tree()}
        )
        if name == "mpiexec"
    }
    return port


def own_sockets():
    return sockets(
        subprocess.run(LOOK, capture_output=True, text=True, check=True).stdout, {p.pid for p in processes.tree()}
    )


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_what_listens_on_one_host(spark):
    before = own_sockets()
    with running(spark, 1):
        assert own_sockets() == before
    with running(spark, 2):
        assert {(kind, at, program) for kind, at, _, program in own_sockets() - before} == {
            ("tcp", "0.0.0.0", "mpiexec")
        }
    wait_for("it to close", lambda: own_sockets() == before, found=own_sockets)


def test_a_server_of_ones_own_is_at_the_loopback_address(own, store):
    """And asks for a token."""
    spark = sparkgap.session(remote="local[2]", conf={**CONF, "spark.sparkgap.store.dir": str(store.path)})
    sparkgap.graph.pagerank(edges_on(spark), ranks=2, threads=1, progress=False)
    assert {at for _, at, _, _ in own_sockets()} <= {"127.0.0.1", "[::ffff:127.0.0.1]", "[::1]"}
    port = spark.conf.get("spark.connect.grpc.binding.port")
    environ = {k: v for k, v in os.environ.items() if "CONNECT" not in k and "REMOTE" not in k}
    code = (
        "from pyspark.sql import"
        f" SparkSession\nprint(SparkSession.builder.remote('sc://localhost:{port}').getOrCreate().range(1).count())"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, timeout=100)
    assert done.returncode != 0 and "UNAUTHENTICATED" in done.stderr, done.stderr[-2000:]


def test_what_listens(hosts, cluster):
    kept = sparkgap.graph.degree(edges_on(hosts), ranks=3, threads=1, progress=False)  # for which executors serve

    def served():
        return all(
            len([s for s in at if s[3] == "java"]) == 4 for name, at in listening(cluster).items() if name != "driver"
        )

    wait_for("the executors to serve their segments", served, found=lambda: listening(cluster))
    before = listening(cluster)
    with running(hosts, 6):
        during = listening(cluster)
    new = {name: sorted((kind, at, program) for kind, at, _, program in during[name] - before[name]) for name in before}
    assert new == {
        "driver": [("tcp", "0.0.0.0", "mpiexec")],
        **{h.name: [("tcp", h.address, "sparkgap-pagera")] * 2 for h in cluster.hosts},
    }
    wait_for("it to close", lambda: listening(cluster) == before, found=lambda: listening(cluster))
    for host in cluster.hosts:
        at = {at for _, at, port, _ in before[host.name] if port != WORKER_PAGE}
        assert at <= {host.address, f"[::ffff:{host.address}]"}, (
            "all else, Spark's and the segments', is at the host's own address"
        )
    assert kept.count() == VERTICES


def unread(port):
    """The lines of `ss` on connections to a port here where bytes wait for who reads there."""
    return [
        line
        for line in subprocess.run(
            ["ss", "-Htn", "sport", "=", f":{port}"], capture_output=True, text=True, check=True
        ).stdout.splitlines()
        if line.split()[1] != "0"
    ]


def test_strangers_who_say_nothing_sensible(hosts, cluster, store):
    """They are sent away, or ignored, and the job ends well."""
    result = []
    thread = threading.Thread(
        target=lambda: result.append(
            sparkgap.graph.pagerank(
                edges_on(hosts), max_iterations=20_000, ranks=3, threads=1, timeout_s=300, progress=False
            )
        )
    )
    thread.start()
    words = [b"", b"GET / HTTP/1.1\r\n\r\n" + os.urandom(4096), b"\xff" * 65536]
    scene = Scene(cluster, hosts, store.path)
    wait_for("iterations", scene.computes)
    with ExitStack() as lines:
        with scene.held():  # so the job is not over before the strangers have been heard
            for word in words:
                line = lines.enter_context(socket.create_connection((cluster.driver, control_port()), timeout=5))
                line.sendall(word)
            wait_for(
                "mpiexec to have read it all, or sent them away",
                lambda: not unread(control_port()),
                found=lambda: unread(control_port()),
            )
            assert not result
        thread.join(300)
    assert result, "no result"
    assert result[0].count() == VERTICES
    assert abs(result[0].selectExpr("sum(pagerank)").first()[0] / VERTICES - 1) < 1e-9


def everything(line):
    """What comes until the other side closes the connection, or says no more."""
    heard = b""
    try:
        while part := line.recv(65536):
            heard += part
    except OSError:
        pass
    return heard


def test_a_stranger_who_says_that_he_is_a_proxy(hosts, cluster, store):
    """Where he is faster than the host's own, mpiexec believes him, and tells him the path of the guard. The job fails;
    what he wants to be started is not.
    """
    mark = "/tmp/sparkgap-stranger-was-here"
    lines = [
        "mcmd=spawn",
        "nprocs=1",
        "execname=/usr/bin/touch",
        "totspawns=1",
        "spawnssofar=1",
        f"arg1={mark}",
        "argcnt=1",
        "preput_num=0",
        "info_num=0",
        "endcmd",
        "",
    ]
    spawn = "\n".join(lines).encode()
    message = struct.pack("=4sii", b"HYD\0", 0, 0) + struct.pack("=iiiiii", 7, len(spawn), 0, 0, 1, 0) + spawn
    heard = []

    def intrude(over):
        while not over.is_set():
            for log in store.path.glob("*/jobs/*/launcher.log"):
                found = re.search(r"--control-port \S+:(\d+)", log.read_text())
                if found:
                    with socket.create_connection((cluster.driver, int(found.group(1))), timeout=2) as line:
                        line.sendall(message)
                        heard.append(everything(line))
                    return

    edges, ends = edges_on(hosts), []
    while not any(heard) and len(heard) < 10:
        over = threading.Event()
        thread = threading.Thread(target=intrude, args=[over])
        thread.start()
        with pytest.raises(sparkgap.LaunchError) as caught:
            sparkgap.graph.pagerank(edges, max_iterations=FOREVER, ranks=3, threads=1, progress=False, timeout_s=30)
        ends.append(str(caught.value))
        over.set()
        thread.join(10)
    assert any(b"sparkgap-rank" in words for words in heard), (heard, ends)
    told = {name for words in heard for name in re.findall(rb"'([A-Za-z_]+)=", words)}
    assert told <= {
        b"SPARKGAP_JOB",
        b"TMPDIR",
        b"HWLOC_XMLFILE",
        b"GFORTRAN_UNBUFFERED_PRECONNECTED",
        b"PMI_SPAWNED",
    }, told
    assert "timeout_s" not in "".join(ends)
    assert not os.path.exists(mark)
    assert [h.name for h in cluster.hosts if mark in h.files("/tmp")] == []
    wait_for("nothing left", lambda: not any(h.pids("sparkgap-|hydra") for h in cluster.hosts))
    assert sparkgap.graph.degree(edges, threads=1, progress=False).count() == VERTICES, "the session goes on"
