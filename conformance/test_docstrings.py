# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Every example in the package's docstrings runs as it stands, on a real session; so do the examples of examples/."""

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest
from conftest import ROOT

import sparkgap

MODULES = sorted(m.name for m in pkgutil.walk_packages(sparkgap.__path__, "sparkgap.") if not m.name.endswith("__main__"))


@pytest.mark.parametrize("name", ["sparkgap", *MODULES])
@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_docstrings(spark, name):
    module = importlib.import_module(name)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for test in doctest.DocTestFinder().find(module, extraglobs={"spark": spark}):
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def test_ten_lines():
    done = subprocess.run([sys.executable, ROOT / "examples" / "pagerank.py"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "ann" in done.stdout and "compute" in done.stdout


def test_demo_on_a_small_graph(tmp_path):
    edges = tmp_path / "edges.csv"
    edges.write_text("src,dst\n" + "".join(f"{i},{(i * i + 1) % 97}\n" for i in range(97)))
    for words in (["--scale", "9"], ["--input", str(edges), "--ranks", "2"]):
        done = subprocess.run([sys.executable, ROOT / "examples" / "demo.py", *words], capture_output=True, text=True, timeout=200)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        for word in ("vertices agree", "GraphX", "ratio", "compute", "readback"):
            assert word in done.stdout
