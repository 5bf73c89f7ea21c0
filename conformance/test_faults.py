# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What dies, and what happens then: one exception, no process left, no file left, and the session goes on."""

import contextlib
import os
import pty
import re
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from conftest import CONF, PATIENCE, ranks_of, wait_for

import sparkgap
from sparkgap import LaunchError, processes, spec
from sparkgap.call import run_sql

FOREVER = 2_000_000_000
FORM = re.compile(r"[^:]+: expected .*, found .*\. .+")

# A driver that runs pagerank for ever, as a program of its own.
DRIVER = (
    "import sys, sparkgap\n"
    f"s = sparkgap.session('local[2]', conf={{**{CONF!r}, 'spark.sparkgap.store.dir': sys.argv[1]}})\n"
    "e = sparkgap.graph.rmat(scale=6, spark=s, progress=False)\n"
    "print('ready', flush=True)\n"
    f"sparkgap.graph.pagerank(e, max_iterations={FOREVER}, ranks=int(sys.argv[2]), threads=1)\n"
)


@pytest.fixture
def small(spark):
    return sparkgap.graph.rmat(scale=6, edge_factor=4, spark=spark, progress=False).cache()


@pytest.mark.parametrize("ranks", [1, 2])
def test_kill_of_a_rank(spark, store, small, ranks):
    small.count()
    before = store.files()
    caught = []

    def call():
        try:
            sparkgap.graph.pagerank(small, max_iterations=FOREVER, ranks=ranks, threads=1)
        except Exception as e:
            caught.append(e)

    thread = threading.Thread(target=call)
    thread.start()
    alive = wait_for(f"{ranks} ranks", lambda: len(ranks_of()) == ranks and ranks_of())
    wait_for("progress", lambda: any(f.stat().st_size for f in store.path.glob("*/jobs/*/progress.jsonl")))
    os.kill(alive[-1].pid, signal.SIGKILL)
    thread.join(60 * PATIENCE)
    assert not thread.is_alive()
    error = caught[0]
    assert isinstance(error, LaunchError), repr(error)
    assert (error.signal, error.code) == (9, 5)
    assert error.rank in range(ranks)
    assert error.host
    assert FORM.fullmatch(str(error).splitlines()[0])
    wait_for("no rank left", lambda: not ranks_of())
    wait_for("no mpiexec left", lambda: not [p for p in processes.tree() if "mpiexec" in p.name or "hydra" in p.name])
    assert store.files() == before
    assert sparkgap.graph.pagerank(small, ranks=ranks).count() > 0


@pytest.mark.parametrize("ranks", [1, 2])
def test_the_error_names_the_ranks_logs(spark, store, small, tmp_path, ranks):
    """All that they have printed, until the session ends; the error itself has the last lines."""
    before = store.files()
    program = tmp_path / "sparkgap-wordy"
    real = spec.NATIVE / "sparkgap-degree"
    program.write_text(f'#!/bin/sh\n[ "$1" != --describe ] || exec {real} --describe\nseq 1000\nkill -SEGV $$\n')
    program.chmod(0o700)
    small.createOrReplaceTempView("wordy")
    with pytest.raises(LaunchError) as caught:
        run_sql(spark, f"CALL sparkgap.graph.run(program => '{program}', edges => 'wordy', ranks => {ranks})")
    error = caught.value
    assert f" The ranks' logs are in {error.logs}." in str(error).splitlines()[0]
    assert error.log.splitlines() == [str(i) for i in range(981, 1001)]
    text = "".join(f"{i}\n" for i in range(1, 1001))
    # A rank that was about to start when another ended has none.
    assert text in [log.read_text() for log in Path(error.logs).glob("rank-*.log")]
    assert Path(error.logs).stat().st_mode & 0o777 == 0o700
    assert store.files() == before


@pytest.mark.parametrize("ranks", [1, 2])
def test_deadline(spark, store, small, ranks):
    small.count()
    before = store.files()
    with pytest.raises(LaunchError) as caught:
        sparkgap.graph.pagerank(small, max_iterations=FOREVER, ranks=ranks, threads=1, timeout_s=1)
    assert FORM.fullmatch(str(caught.value).splitlines()[0])
    wait_for("no rank left", lambda: not ranks_of())
    assert store.files() == before
    assert sparkgap.graph.pagerank(small, ranks=ranks).count() > 0


def start(store, ranks, **options):
    child = subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(store.path), str(ranks)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        **options,
    )
    try:
        wait_for("the driver", lambda: select.select([child.stdout], [], [], 1)[0], timeout_s=90)
        assert child.stdout.readline() == "ready\n"
        wait_for("its ranks", lambda: len(ranks_of(child.pid)) == ranks)
    except BaseException:
        end(child)
        raise
    return child


def end(child):
    """A test that fails must not leave ranks that run for ever."""
    for p in processes.tree(child.pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(p.pid, signal.SIGKILL)
    child.wait()


def test_kill_of_the_driver(own, store):
    assert store.homes() == []
    child = start(store, 2)
    family = processes.tree(child.pid)
    pids = {p.pid for p in family}
    assert ranks_of(child.pid)
    java = [p for p in family if p.name == "java"]
    before = set(store.homes())
    assert len(before) == 1
    for p in (*java, family[0]):
        os.kill(p.pid, signal.SIGKILL)
    child.wait(30 * PATIENCE)
    wait_for("its processes to end", lambda: not [p for p in processes.everyone() if p.pid in pids and p.state != "Z"])
    assert set(store.homes()) == before, "who is killed takes nothing with him"
    sparkgap.session("local[2]", conf={**CONF, "spark.sparkgap.store.dir": str(store.path)})
    left = set(store.homes())
    assert not left & before, "the next start removes it"
    assert len(left) == 1, "only the home of this test's own session"


def test_end_of_python_alone(store):
    """The JVM ends when its Python is gone, and takes the ranks and the files with it."""
    before = store.homes()
    child = start(store, 1)
    pids = {p.pid for p in processes.tree(child.pid)}
    os.kill(child.pid, signal.SIGKILL)
    child.wait(30 * PATIENCE)
    wait_for(
        "its processes to end",
        lambda: not [p for p in processes.everyone() if p.pid in pids and p.state != "Z"],
        timeout_s=60,
    )
    assert store.homes() == before


def run_cli(store, tmp_path, *words):
    (tmp_path / "e.txt").write_text("".join(f"{i} {(i * 7 + 1) % 50}\n" for i in range(50)))
    return [
        sys.executable,
        "-m",
        "sparkgap",
        "run",
        "pagerank",
        str(tmp_path / "e.txt"),
        "--out",
        str(tmp_path / "o.csv"),
        "--store",
        str(store.path),
        *words,
    ]


@pytest.mark.parametrize("way", [[], ["--spark"]], ids=["here", "through Spark"])
def test_interrupt_of_the_command(store, tmp_path, way):
    before = store.homes()
    child = subprocess.Popen(
        run_cli(store, tmp_path, "--max-iterations", str(FOREVER), *way),
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        wait_for("its rank", lambda: ranks_of(child.pid), timeout_s=90)
        pids = {p.pid for p in processes.tree(child.pid)}
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60 * PATIENCE)
    except BaseException:
        end(child)
        raise
    assert (child.returncode, out) == (130, "")
    assert len(err.splitlines()) == 1, err
    wait_for("its processes to end", lambda: not [p for p in processes.everyone() if p.pid in pids and p.state != "Z"])
    assert [p.name for p in tmp_path.iterdir()] == ["e.txt"]
    wait_for("its files to go", lambda: store.homes() == before)


@pytest.mark.parametrize("way", [[], ["--spark"]], ids=["here", "through Spark"])
def test_progress_on_a_terminal(store, tmp_path, way):
    """A bar with phase, iteration and residual where stderr is a terminal (test_kernels.py has the pipe), until the
    rank is killed.
    """
    ours, theirs = pty.openpty()
    words = run_cli(store, tmp_path, "--max-iterations", str(FOREVER), *way)
    child = subprocess.Popen(
        words,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(theirs)
    seen, text, victims = b"", "", []
    try:
        deadline = time.monotonic() + 90 * PATIENCE
        while time.monotonic() < deadline and child.poll() is None:
            if select.select([ours], [], [], 0.5)[0]:
                try:
                    seen += os.read(ours, 65536)
                except OSError:
                    break
            text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", seen.decode(errors="replace"))
            if not victims and re.search(rf"iteration \d+/{FOREVER}  residual \d", text):
                victims = ranks_of(child.pid)
                os.kill(victims[0].pid, signal.SIGKILL)
        child.wait(30 * PATIENCE)
    finally:
        child.kill()
        os.close(ours)
    assert victims, text[-2000:]
    assert child.returncode == 5
    assert FORM.search(text), text[-2000:]
    assert "found signal 9" in text, text[-2000:]
    assert [p.name for p in tmp_path.iterdir()] == ["e.txt"]
    assert ("starting Spark" in text) == bool(way)
    assert "pagerank compute" in text, text[-2000:]
