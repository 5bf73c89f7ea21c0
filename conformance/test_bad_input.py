# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Bad input: one line of one form, the right class and exit status, nothing left behind, and the session goes on."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from conftest import CONF

import sparkgap
from sparkgap import ArgumentError, DataError, LaunchError, ResourceError, cli, spec

FORM = re.compile(r"[^:]+: expected .*, found .*\. .+")
GOOD = [(1, 2), (2, 3)]
NAN = float("nan")


def pagerank(spark, rows, schema="src bigint, dst bigint", **options):
    return sparkgap.graph.pagerank(spark.createDataFrame(rows, schema), **options)


CASES = {
    "missing src": (DataError, "edges.src", lambda s: pagerank(s, GOOD, "a bigint, dst bigint")),
    "missing weight": (DataError, "edges.w", lambda s: pagerank(s, GOOD, weight="w")),
    "missing id": (
        DataError,
        "vertices.id",
        lambda s: pagerank(s, GOOD, vertices=s.createDataFrame([(1,)], "v bigint")),
    ),
    "double ids": (DataError, "edges.src", lambda s: pagerank(s, [(1.0, 2)], "src double, dst bigint")),
    "mixed ids": (DataError, "edges.", lambda s: pagerank(s, [("a", 2)], "src string, dst bigint")),
    "vertices of strings": (
        DataError,
        "vertices.id",
        lambda s: pagerank(s, GOOD, vertices=s.createDataFrame([("a",)], "id string")),
    ),
    "string weight": (
        DataError,
        "edges.w",
        lambda s: pagerank(s, [(1, 2, "x")], "src bigint, dst bigint, w string", weight="w"),
    ),
    "null src": (DataError, "edges.src", lambda s: pagerank(s, [(None, 2), (1, 2)])),
    "null dst of strings": (DataError, "edges.dst", lambda s: pagerank(s, [("a", None)], "src string, dst string")),
    "null vertex": (
        DataError,
        "vertices.id",
        lambda s: pagerank(s, GOOD, vertices=s.createDataFrame([(None,)], "id bigint")),
    ),
    "null weight": (
        DataError,
        "edges.w",
        lambda s: pagerank(s, [(1, 2, None)], "src bigint, dst bigint, w double", weight="w"),
    ),
    "nan weight": (
        DataError,
        "edges.w",
        lambda s: pagerank(s, [(1, 2, NAN)], "src bigint, dst bigint, w double", weight="w"),
    ),
    "inf weight": (
        DataError,
        "edges.w",
        lambda s: pagerank(s, [(1, 2, float("inf"))], "src bigint, dst bigint, w float", weight="w"),
    ),
    "negative weight": (
        DataError,
        "edges.w",
        lambda s: pagerank(s, [(1, 2, -1)], "src bigint, dst bigint, w int", weight="w"),
    ),
    "empty": (DataError, "edges", lambda s: pagerank(s, [])),
    "unknown source": (DataError, "source_ids", lambda s: pagerank(s, GOOD, source_ids=[99])),
    "source not a number": (DataError, "source_ids", lambda s: pagerank(s, GOOD, source_ids=["ann"])),
    "damping": (ArgumentError, "damping", lambda s: pagerank(s, GOOD, damping=-0.5)),
    "damping text": (ArgumentError, "damping", lambda s: pagerank(s, GOOD, damping="x")),
    "max_iterations": (ArgumentError, "max_iterations", lambda s: pagerank(s, GOOD, max_iterations=-1)),
    "tolerance": (ArgumentError, "tolerance", lambda s: pagerank(s, GOOD, tolerance=0)),
    "variant": (ArgumentError, "variant", lambda s: pagerank(s, GOOD, variant="nx")),
    "engine": (ArgumentError, "engine", lambda s: pagerank(s, GOOD, engine="gpu")),
    "ranks": (ArgumentError, "ranks", lambda s: pagerank(s, GOOD, ranks=3)),
    "ranks 0": (ArgumentError, "ranks", lambda s: pagerank(s, GOOD, ranks=0)),
    "timeout": (ArgumentError, "timeout_s", lambda s: pagerank(s, GOOD, timeout_s=-1)),
    "result": (ArgumentError, "table '../x'", lambda s: pagerank(s, GOOD, result="../x")),
    "rmat": (ArgumentError, "scale", lambda s: sparkgap.graph.rmat(scale=0, spark=s)),
}


@pytest.mark.parametrize("case", CASES)
def test_python(spark, store, case):
    cls, where, act = CASES[case]
    before, views = store.files(), spark.catalog.listTables()
    with pytest.raises(cls) as caught:
        act(spark)
    text = str(caught.value)
    assert FORM.fullmatch(text), text
    assert text.startswith(where), text
    assert caught.value.__suppress_context__ or caught.value.__context__ is None, "a traceback of one exception"
    assert store.files() == before
    assert spark.catalog.listTables() == views
    assert pagerank(spark, GOOD).count() == 3


SQL = {
    "damping": (2, "damping", "edges => 'good', damping => -1"),
    "type": (2, "damping", "edges => 'good', damping => 'x'"),
    "max_iterations": (2, "max_iterations", "edges => 'good', max_iterations => -1"),
    "no edges": (2, "edges", ""),
    "no table": (2, "edges", "edges => 'nowhere'"),
    "ranks": (2, "ranks", "edges => 'good', ranks => 99"),
    "column": (3, "edges.nope", "edges => 'good', src => 'nope'"),
}


@pytest.mark.parametrize("case", SQL)
def test_sql(spark, store, case):
    code, where, arguments = SQL[case]
    spark.createDataFrame(GOOD, "src bigint, dst bigint").createOrReplaceTempView("good")
    before = store.files()
    with pytest.raises(Exception) as caught:
        spark.sql(f"CALL sparkgap.graph.pagerank({arguments})").collect()
    ours = sparkgap.errors.translate(caught.value)
    spark.catalog.dropTempView("good")
    if ours is None:  # Spark's own check of a call's arguments names them itself
        assert where in str(caught.value)
    else:
        assert (ours.code, str(ours).startswith(where)) == (code, True), str(ours)
        assert FORM.fullmatch(str(ours).splitlines()[0])
    assert store.files() == before


def outside(p):
    """Values of a parameter just out of its range."""
    step = 1 if p.kind == "int" else 0.5
    below = [] if p.min is None or abs(p.min) > 2**62 else [p.min if p.min_exclusive else p.min - step]
    above = [] if p.max is None or abs(p.max) > 2**62 else [p.max if p.max_exclusive else p.max + step]
    return below + above


@pytest.mark.parametrize("kernel", spec.names())
@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_a_range_is_said_in_the_same_words_everywhere(spark, tmp_path, kernel):
    its = spec.load(kernel)
    edges = tmp_path / "edges.arrow"
    table = pa.table({"src": [1, 2], "dst": [2, 1], "weight": [1.0, 2.0], "id": [1, 2]})
    with pa.ipc.new_file(edges, table.schema) as file:
        file.write_table(table)
    program = [spec.NATIVE / f"sparkgap-{kernel}", *([edges] if its.inputs else []), "--out", tmp_path / "out"]
    for p in its.parameters:
        for value in outside(p):
            with pytest.raises(ArgumentError) as caught:
                p.check(value)
            said = str(caught.value).split(", found")[0]
            assert said == f"{p.name}: expected {p.expected}"
            literal = int(value) if p.kind == "int" else f"double('{value}')"
            main = "".join(f"{i.name} => 'nowhere', " for i in its.inputs[:1])
            main += "".join(f"{other.name} => '1', " for other in its.parameters if other.required)
            with pytest.raises(Exception) as caught:
                spark.sql(f"CALL sparkgap.{its.family}.{kernel}({main}{p.name} => {literal})").collect()
            assert str(sparkgap.errors.translate(caught.value)).split(", found")[0] == said
            if its.family == "graph":
                words = [*program, f"--{p.name.replace('_', '-')}", int(value) if p.kind == "int" else value]
                words += [word for other in its.parameters if other.required for word in (f"--{other.name}", 1)]
                ran = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=60)
                assert (ran.returncode, ran.stderr.split(", found")[0]) == (2, said), ran.stderr


def test_master_and_remote():
    with pytest.raises(ArgumentError, match="either master or remote"):
        sparkgap.session("local[2]", remote="local[2]")


MPIEXEC = "spark.sparkgap.launch.mpiexec"

FILES = {
    "missing column": (3, "edges.src: ", "a,b\n1,2\n", []),
    "text among ids": (3, "edges.src: expected bigint values", "src,dst\n" + "1,2\n" * 1500 + "x,3\n", []),
    "short line": (3, "edges.dst: ", "src,dst\n" + "1,2\n" * 1500 + "7\n", []),
    "empty": (3, "edges: expected at least one row", "", []),
    "header only": (3, "edges: expected at least one row", "src,dst\n", []),
    "nan": (3, "edges.w: ", "src,dst,w\n1,2,0.5\n1,2,nan\n", ["--weight", "w"]),
    "ranks": (2, "ranks: ", "src,dst\n1,2\n", ["--ranks", "2"]),
    "deadline": (
        5,
        "timeout_s of pagerank: expected the job to end within 1.0 s",
        "src,dst\n1,2\n",
        ["--timeout", "1", "--max-iterations", "2000000000"],
    ),
    "mpiexec of a session": (2, "spark.sparkgap.launch.mpiexec: expected '", "src,dst\n1,2\n2,3\n", ["--ranks", "2"]),
}


@pytest.mark.parametrize("way", [[], ["--spark"]], ids=["here", "through Spark"])
@pytest.mark.parametrize("case", FILES)
@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_command_line(spark, store, tmp_path, capfd, case, way):
    """The command in this process; the next test runs it as processes of its own."""
    if case == "mpiexec of a session" and not way:
        pytest.skip("it has none")
    code, where, text, options = FILES[case]
    (tmp_path / "edges.csv").write_text(text)
    before, mpiexec = store.files(), spark.conf.get(MPIEXEC)
    if case == "mpiexec of a session":
        spark.conf.set(MPIEXEC, "/nowhere/mpiexec")
    try:
        status = cli.main(
            ["run", "pagerank", str(tmp_path / "edges.csv"), "--out", str(tmp_path / "out.csv"), *options, *way]
        )
    finally:
        spark.conf.set(MPIEXEC, mpiexec)
    out, err = capfd.readouterr()
    assert (status, out) == (code, ""), err
    assert FORM.fullmatch(err.rstrip("\n")), err
    assert err.startswith(where), err
    assert [p.name for p in tmp_path.iterdir()] == ["edges.csv"]
    assert store.files() == before
    assert pagerank(spark, GOOD).count() == 3


# One process for each class that a user can cause: the exit status is what scripts look at.
PROCESSES = {
    2: ("--damping: expected", {}, ["--damping", "2"]),
    3: ("edges.w: expected", {}, ["--weight", "w"]),
    4: ("store /proc/nowhere: expected", {}, ["--store", "/proc/nowhere"]),
    5: ("JAVA_HOME: expected", {"JAVA_HOME": "/nowhere"}, ["--spark"]),
}


@pytest.mark.parametrize("code", PROCESSES)
def test_command_line_as_a_process(store, tmp_path, code):
    where, variables, options = PROCESSES[code]
    (tmp_path / "edges.csv").write_text("src,dst,w\n1,2,-1\n")
    words = ["run", "pagerank", tmp_path / "edges.csv", "--out", tmp_path / "out.csv", "--store", store.path, *options]
    done = subprocess.run(
        [sys.executable, "-m", "sparkgap", *words],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **variables},
    )
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert FORM.fullmatch(done.stderr.rstrip("\n")), done.stderr
    assert done.stderr.startswith(where), done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["edges.csv"]
    assert store.homes() == []


def test_store_that_cannot_be_written(own, tmp_path):
    """As root every folder can be written; a file in the way stops root too."""
    (tmp_path / "file").touch()
    spark = sparkgap.session("local[2]", conf={"spark.sparkgap.store.dir": str(tmp_path / "file" / "store")})
    edges = spark.createDataFrame(GOOD, "src bigint, dst bigint")
    for _ in range(2):
        with pytest.raises(ResourceError) as caught:
            sparkgap.graph.degree(edges)
        assert FORM.fullmatch(str(caught.value))
    assert spark.range(5).count() == 5


def test_store_without_room(tmp_path):
    """A file system of 1 MB under the store: needs root or user namespaces to mount one."""
    script = (
        'mount -t tmpfs -o size=1m,mode=700 none $0 && exec $1 -c "import sys, sparkgap\ns ='
        " sparkgap.session('local[1]', conf={'spark.ui.enabled': 'false', 'spark.sparkgap.store.dir':"
        " sys.argv[1]})\ntry: sparkgap.graph.rmat(scale=14, spark=s)\nexcept sparkgap.ResourceError as x:"
        " print(x)\ntry: sparkgap.graph.degree(s.range(500000).selectExpr('id as src', 'id as dst'))\nexcept"
        " sparkgap.ResourceError as x: print(x)\nprint(sparkgap.graph.rmat(scale=4, spark=s).count())\ns.stop()\nimport"
        ' os; print(sum(len(f) for _, _, f in os.walk(sys.argv[1])))" $0'
    )
    place = tmp_path / "small"
    place.mkdir(mode=0o700)
    unshare = (
        ["unshare", "--mount"]
        if Path("/proc/self").stat().st_uid == 0
        else ["unshare", "--user", "--map-root-user", "--mount"]
    )
    done = subprocess.run(
        [*unshare, "sh", "-c", script, str(place), sys.executable], capture_output=True, text=True, timeout=180
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 4, done.stdout + done.stderr
    assert all(FORM.fullmatch(line) for line in lines[:2])
    assert lines[2] == str(16 << 4)
    assert int(lines[3]) <= 1, "the store's own lock at most"


def test_missing_mpiexec(own, store):
    spark = sparkgap.session(
        "local[2]", conf={**CONF, "spark.sparkgap.store.dir": str(store.path), MPIEXEC: "/nowhere/mpiexec"}
    )
    with pytest.raises(
        LaunchError,
        match=r"^launch: expected a program at spark.sparkgap.launch.mpiexec, found no such program /nowhere/mpiexec",
    ) as caught:
        pagerank(spark, GOOD, ranks=2)
    assert FORM.fullmatch(str(caught.value).splitlines()[0])
    assert pagerank(spark, GOOD).count() == 3


def test_classes_are_the_public_ones():
    assert {c.code for c in (ArgumentError, DataError, ResourceError, LaunchError, sparkgap.InternalError)} == {
        2,
        3,
        4,
        5,
        70,
    }
