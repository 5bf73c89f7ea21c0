# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys

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
