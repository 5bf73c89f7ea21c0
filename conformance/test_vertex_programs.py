# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A program of the user's own, from its C++ file to a DataFrame."""

import os
import random
import shutil
import signal
import subprocess
import sys

import pytest
from conftest import ROOT

import sparkgap
from sparkgap.cli.cxx import compile_program
from sparkgap.errors import ArgumentError, DataError, LaunchError

SOURCE = ROOT / "examples" / "widest_path.cc"


@pytest.fixture(scope="session")
def widest(tmp_path_factory):
    """The example, compiled by the command that the page names."""
    program = tmp_path_factory.mktemp("program") / "widest"
    done = subprocess.run(
        [sys.executable, "-m", "sparkgap", "cxx", str(SOURCE), "-o", str(program)],
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(program)
    return program


def widths(rows, source, directed):
    """The widest ways, edge by edge until nothing changes."""
    width = {v: 0.0 for row in rows for v in row[:2]}
    width[source] = float("inf")
    arcs = rows + ([] if directed else [(v, u, w) for u, v, w in rows])
    changed = True
    while changed:
        changed = False
        for u, v, w in arcs:
            if min(width[u], w) > width[v]:
                width[v], changed = min(width[u], w), True
    return width


def found(frame):
    return {row.id: row.width for row in frame.collect()}


@pytest.mark.parametrize("directed", [True, False])
def test_gives_what_its_definition_says(spark, widest, directed):
    draw = random.Random(5)
    rows = [(draw.randrange(60), draw.randrange(60), float(draw.randrange(1, 30))) for _ in range(150)]
    edges = spark.createDataFrame(rows, "src bigint, dst bigint, km double")
    expected = widths(rows, rows[0][0], directed)
    options = {"parameters": {"source": rows[0][0]}}
    for ranks in (1, 2):
        result = sparkgap.graph.run(widest, edges, weight="km", directed=directed, ranks=ranks, threads=1, **options)
        assert found(result) == expected
    with sparkgap.graph.build(edges, weight="km", directed=directed) as g:
        result = sparkgap.graph.run(widest, g, **options)
        assert found(result) == expected
        assert result.sparkgap.bytes_copied == 0


def test_takes_string_ids_and_a_limit_of_rounds(spark, widest):
    edges = spark.createDataFrame(
        [("ann", "bob", 3), ("bob", "cho", 2), ("cho", "dee", 9)], "src string, dst string, w int"
    )
    options = {"weight": "w", "parameters": {"source": "ann"}}
    assert found(sparkgap.graph.run(widest, edges, **options)) == {"ann": float("inf"), "bob": 3, "cho": 2, "dee": 2}
    result = sparkgap.graph.run(widest, edges, max_iterations=1, **options)
    assert found(result) == {"ann": float("inf"), "bob": 3, "cho": 0, "dee": 0}
    assert result.sparkgap.iterations == 1 and not result.sparkgap.converged


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_refuses_what_is_no_program(spark, widest, edges, tmp_path):
    def refused(program, **options):
        with pytest.raises(ArgumentError) as caught:
            sparkgap.graph.run(program, edges, **options)
        return str(caught.value)

    assert "found nothing at" in refused(tmp_path / "none")
    assert refused("/bin/ls").startswith(
        "program: expected /bin/ls --describe to print what the program takes, found exit"
    )
    assert refused(widest) == "source: expected an id, found nothing. Do pass source='id'."
    assert "found 'sorce'" in refused(widest, parameters={"sorce": 1})
    assert "parameters: expected names as strings" in refused(widest, parameters={1: 2})


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_a_crash_is_an_exception_with_its_signal(spark, edges, store, tmp_path):
    text = SOURCE.read_text().replace("const double through =", "std::raise(SIGSEGV);\n    const double through =")
    (tmp_path / "bad.cc").write_text("#include <csignal>\n" + text)
    program = compile_program(tmp_path / "bad.cc", tmp_path / "bad")
    before = store.files()
    with pytest.raises(LaunchError) as caught:
        sparkgap.graph.run(program, edges, parameters={"source": 1})
    assert caught.value.signal == signal.SIGSEGV
    assert store.files() == before
    assert sparkgap.graph.degree(edges).count() == 4


def test_compiler_errors_are_named(tmp_path, capfd, monkeypatch):
    (tmp_path / "bad.cc").write_text("int main( {")
    with pytest.raises(DataError, match=r"cxx bad\.cc: expected a program that compiles, found exit 1 of the compiler"):
        compile_program(tmp_path / "bad.cc", tmp_path / "bad")
    assert "bad.cc:1" in capfd.readouterr().err
    assert os.listdir(tmp_path) == ["bad.cc"]
    with pytest.raises(ArgumentError, match="expected a C\\+\\+ file"):
        compile_program(tmp_path / "none.cc", tmp_path / "none")
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert shutil.which("no-such-compiler") is None
    with pytest.raises(LaunchError, match=r"C\+\+20 compiler"):
        compile_program(tmp_path / "bad.cc", tmp_path / "bad")


def test_the_compiler_writes_under_no_name_that_can_be_foreseen(tmp_path, monkeypatch):
    """In a shared folder another user may have put a link there; a linker that cannot remove it writes through
    it.
    """
    (tmp_path / "precious").write_text("x")
    (tmp_path / "program.part").symlink_to(tmp_path / "precious")
    compiler = tmp_path / "c++"
    compiler.write_text('#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\necho made > "$2"\n')
    compiler.chmod(0o700)
    monkeypatch.setenv("CXX", str(compiler))
    assert compile_program(SOURCE, tmp_path / "program").read_text() == "made\n"
    assert (tmp_path / "precious").read_text() == "x"
    assert sorted(os.listdir(tmp_path)) == ["c++", "precious", "program", "program.part"]
    with pytest.raises(
        ArgumentError, match=r"cxx: expected a folder that you may write to for the program, found /.*/none"
    ):
        compile_program(SOURCE, tmp_path / "none" / "program")
