# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Every example in the package's docstrings runs as it stands, on a real session; so do the examples of examples/."""

import doctest
import importlib
import pkgutil
import runpy
import sys

import pytest
from conftest import ROOT

import sparkgap

MODULES = sorted(
    m.name for m in pkgutil.walk_packages(sparkgap.__path__, "sparkgap.") if not m.name.endswith("__main__")
)


@pytest.mark.parametrize("name", ["sparkgap", *MODULES])
@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_docstrings(spark, name):
    module = importlib.import_module(name)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for test in doctest.DocTestFinder().find(module, extraglobs={"spark": spark}):
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def test_ten_lines(own, capfd):
    runpy.run_path(str(ROOT / "examples" / "pagerank.py"), run_name="__main__")
    out = capfd.readouterr().out
    assert "ann" in out and "compute" in out


@pytest.mark.parametrize("words", [["--scale", "9"], ["--input", "edges.csv", "--ranks", "2"]], ids=["rmat", "file"])
def test_demo_on_a_small_graph(own, tmp_path, monkeypatch, capfd, words):
    edges = tmp_path / "edges.csv"
    edges.write_text("src,dst\n" + "".join(f"{i},{(i * i + 1) % 97}\n" for i in range(97)))
    monkeypatch.setattr(sys, "argv", ["demo.py", *(str(edges) if word == "edges.csv" else word for word in words)])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(ROOT / "examples" / "demo.py"), run_name="__main__")
    out, err = capfd.readouterr()
    assert end.value.code == 0, out[-2000:] + err[-2000:]
    for word in ("vertices agree", "GraphX", "ratio", "compute", "readback"):
        assert word in out
