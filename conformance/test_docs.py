# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""Every Python example of README, docs and the kernels' pages runs; every `sparkgap` command line of the README and of
docs/topology.md ends with status 0.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "kernels" / "README.md",
    *sorted((ROOT / "kernels").glob("*/*.md")),
]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page, language):
    return [body for found, body in FENCE.findall(page.read_text()) if found == language]


PYTHON_PAGES = [page for page in PAGES if blocks(page, "python")]


def test_pages_with_examples_are_found():
    assert {"README.md", "graphframe.md", "build.md"} <= {page.name for page in PYTHON_PAGES}


def test_python_examples(own, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for page in PYTHON_PAGES:
        for body in blocks(page, "python"):
            exec(compile(body, str(page), "exec"), {})


COMMANDS = dict.fromkeys(
    line
    for page in (ROOT / "README.md", ROOT / "docs" / "topology.md")
    for body in blocks(page, "")
    for line in body.splitlines()
    if line.startswith("sparkgap ")
)


@pytest.mark.parametrize("command", COMMANDS)
def test_command_lines(command, tmp_path):
    pq.write_table(pa.table({"src": [1, 2, 3, 1], "dst": [2, 3, 1, 3]}), tmp_path / "edges.parquet")
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    ran = subprocess.run(
        shlex.split(command), cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert "\x1b" not in ran.stdout + ran.stderr, "no colours and no bar where nobody looks"
    if command.startswith("sparkgap run"):
        assert "compute" in ran.stderr and "readback" in ran.stderr
        assert "top 3 of 3" in ran.stdout
