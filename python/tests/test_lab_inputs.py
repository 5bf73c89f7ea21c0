# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a study's runs are given: inputs, and a budget of memory."""

import subprocess
import sys

from sparkgap.lab import inputs
from sparkgap.lab.budget import budget


def test_inputs_are_the_same_each_time(tmp_path):
    for kind in inputs.KINDS:
        found = []
        for again in ("a", "b"):
            place = inputs.make(kind, 300_000, tmp_path / again)
            found.append({file.name: file.read_bytes() for file in place.iterdir()})
        assert found[0] == found[1] and len(found[0]) == 2
        size = sum(map(len, found[0].values()))
        assert 0.8 * 300_000 < size < 1.2 * 300_000, (kind, size)
    words = (tmp_path / "a" / "text-300000" / "part-00000").read_text().split()
    assert 0.05 < words.count("the") / len(words) < 0.15, "as Zipf's law says of 10,000 words"


def test_a_budget_is_held():
    """The kernel ends who takes more; what a process reads of files is within it."""
    with budget(64 << 20) as group:
        take = (
            "from pathlib import Path; import sys; from sparkgap.lab.budget import Budget\n"
            "Budget(Path(sys.argv[1]), sys.argv[2] == 'True').enter(); bytearray(256 << 20)"
        )
        words = [sys.executable, "-c", take, str(group.folder), str(group.is_unified)]
        assert subprocess.run(words, timeout=60).returncode == -9
        assert group.kills() == 1 and group.peak_bytes() <= 64 << 20
        with subprocess.Popen(["true"]) as ended:
            pass
        left = group.folder.with_name(f"sparkgap-lab-{ended.pid}-1")  # as a lab that is killed leaves one
        left.mkdir()
        with budget(64 << 20):
            assert not left.exists() and group.folder.exists()
    assert not group.folder.exists()
