# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
import os
import signal
import subprocess
import sys
import time

import pytest

from sparkgap import processes

BURN = "import time; t = time.process_time()\nwhile time.process_time() - t < 0.3: pass"


def test_cpu_of_a_child_counts_after_it_ended():
    before = processes.cpu_s()
    subprocess.run([sys.executable, "-c", BURN], check=True)
    assert processes.cpu_s() - before >= 0.25


def test_tree_holds_children_with_odd_names(tmp_path):
    program = tmp_path / "a ) (b"
    program.symlink_to("/bin/sleep")
    child = subprocess.Popen([str(program), "30"])
    try:
        found = {p.pid: p for p in processes.tree()}
        assert found[child.pid].parent == os.getpid()
        assert found[child.pid].name == "a ) (b"
        assert found[child.pid].command().endswith("30")
    finally:
        child.kill()
        child.wait()
    assert child.pid not in {p.pid for p in processes.tree()}


DEAF = """
import signal, subprocess, sys, time
deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(600)"
with subprocess.Popen([sys.executable, "-c", deaf], stdout=subprocess.PIPE, text=True, **eval(sys.argv[1])) as child:
    child.stdout.readline()
    print(child.pid, flush=True)
    time.sleep(600)
"""


def started(more):
    """A process that ends when asked, and the number of one that it has started, which does not."""
    words = [sys.executable, "-c", DEAF, repr(more)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True)
    return process, int(process.stdout.readline())


@pytest.mark.parametrize(
    ("find", "more"),
    [(processes.below, {"start_new_session": True}), (lambda pid: lambda: processes.of_session(pid), {})],
    ids=["below", "session"],
)
def test_what_does_not_end_when_asked_is_killed(find, more):
    """The child has no parent that we know by then."""
    process, child = started(more)
    with process:
        begun = time.monotonic()
        assert processes.end(find(process.pid), 0.5) == []
        assert 0.5 <= time.monotonic() - begun < 5
    assert process.returncode == -signal.SIGTERM and processes.command(child) == ""


def test_what_stays_is_named(monkeypatch):
    """No signal ends a process that the kernel holds; this one is only said to be there."""
    monkeypatch.setattr(processes, "_KILLED_S", 0.1)
    with subprocess.Popen(["sleep", "600"]) as process:
        assert processes.end(lambda: [process.pid], 0) == [process.pid]
    assert process.returncode == -signal.SIGKILL


def test_a_number_that_was_given_anew_is_not_meant(monkeypatch):
    """Numbers cannot be made to come again at will, so the table of processes says it."""
    mine = processes.Process(1000, 1, "mine", "S", 0, 1000, 7)
    table = [mine]
    monkeypatch.setattr(processes, "everyone", lambda: table)
    find = processes.below(1000)
    assert find() == [1000]
    table[:] = [processes.Process(1000, 1, "other", "S", 0, 1, 9)]
    assert find() == []
