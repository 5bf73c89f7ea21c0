# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A short form of `make soak`: nothing in driver, executor, store or messages only grows, and a curve that does is
seen.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import TEST_TIMEOUT_S, require_hosts
from soak import judge, table
from soak.sample import FIGURES

WORDS = ["--calls", "64", "--caches", "40", "--samples", "4"]


def test_a_session_that_is_used_for_long():
    """A process of its own: Spark's pools of threads are as large as the first session of a JVM says."""
    require_hosts()
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("soak"), *WORDS],
        capture_output=True,
        text=True,
        timeout=TEST_TIMEOUT_S - 10,
    )
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    assert "all is bounded" in done.stdout


FLAT = [dict.fromkeys(FIGURES, 1000) | {"calls": i, "caches": i} for i in range(8)]


@pytest.mark.parametrize("figure", FIGURES)
def test_what_only_grows_is_seen(figure):
    assert judge(FLAT) == []
    (wrong,) = judge([s | {figure: 1000 + i * (16 << 20)} for i, s in enumerate(FLAT)])
    assert wrong.startswith(f"{figure}: expected at most ")
    assert table(FLAT).row_count == len(FIGURES)
