# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""On YARN: every kernel, the cache, a program and faults on three NodeManagers, in a process with its own JVM."""

import json
import subprocess
import sys

import pytest
from conftest import ROOT, require_hosts
from managers.__main__ import BEYOND, FAULTS, NEXT_ATTEMPT
from test_cluster import KERNELS
from test_cluster_ml import GIVEN

ALL_S = 900
pytestmark = pytest.mark.hosts


@pytest.fixture(scope="module")
def lines():
    """What the process prints, by what it was."""
    require_hosts()
    done = subprocess.run(
        [sys.executable, ROOT / "conformance" / "managers", "yarn"], capture_output=True, text=True, timeout=ALL_S
    )
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-3000:]
    return {line["what"]: line["wrong"] for line in found}


ALONE = ["cache", "program", BEYOND, "HDFS", "durable", "logs", "cluster mode", "profile", "mapreduce"]
ALONE += ["chain", NEXT_ATTEMPT]


@pytest.mark.parametrize("what", [*KERNELS, *GIVEN, *ALONE, *(f"fault {fault.name}" for fault in FAULTS)])
def test_on_yarn(lines, what):
    assert lines[what] == ""
