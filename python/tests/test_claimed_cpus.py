# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Who holds which processor, as the kernel's locks of another process say."""

import os
import subprocess
import sys

from sparkgap import claimed_cpus

HOLD = """
import fcntl, os, sys
kept = [os.open(name, os.O_RDWR | os.O_CREAT) for name in sys.argv[1:]]
[fcntl.lockf(file, fcntl.LOCK_EX) for file in kept]
print("held", flush=True)
sys.stdin.read()
"""


def test_who_holds_what(tmp_path):
    assert claimed_cpus.holders(tmp_path / "none") == []
    names = ["cpu-10.lock", "cpu-2.lock", "claim.lock"]
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, *(tmp_path / name for name in names)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert child.stdout.readline() == b"held\n"
        (tmp_path / "cpu-3.lock").touch()
        (tmp_path / "cpu-4.lock").symlink_to(tmp_path / "cpu-2.lock")
        (tmp_path / "cpu-5.lock").mkdir()
        os.mkfifo(tmp_path / "cpu-6.lock")
        for _ in range(2):  # looking takes nothing
            (found,) = claimed_cpus.holders(tmp_path)
            assert (found.pid, found.cpus) == (child.pid, (2, 10))
        assert str(found) == f"2,10: driver (process {child.pid})"
    finally:
        child.kill()
        child.wait()
    assert claimed_cpus.holders(tmp_path) == []
