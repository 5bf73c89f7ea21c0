# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The command line as far as it goes without Spark: every bad word ends in one line and its exit status."""

import json
import os
import re
import subprocess
import sys
import textwrap

import pytest

from sparkgap import cli, spec
from sparkgap.cli import app, run_spark, spark
from sparkgap.cli.run_request import Request
from sparkgap.errors import ArgumentError

FORM = re.compile(r"[^:]+: expected .+, found .*\. .+\n")


def fails(capsys, *words):
    status = cli.main(list(words))
    out, err = capsys.readouterr()
    assert out == ""
    assert FORM.fullmatch(err), err
    return status, err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["run", "pagerank", "none.parquet", "--out", "x.csv"],
            "INPUT: expected a file or folder that exists, found none.parquet",
        ),
        (
            ["run", "pagerank", "e.txt", "--out", "x.csv", "--damping", "-1"],
            "--damping: expected a number in [0, 1], found '-1'",
        ),
        (["run", "pagerank", "e.txt", "--out", "x.csv", "--damping", "nan"], "--damping: expected"),
        (
            ["run", "pagerank", "e.txt", "--out", "x.csv", "--max-iterations", "1.5"],
            "--max-iterations: expected a whole number",
        ),
        (["run", "pagerank", "e.txt", "--out", "x.csv", "--variant", "x"], "--variant: expected one of graphx, ldbc"),
        (["run", "pagerank", "e.txt", "--out", "x.csv", "--directed", "maybe"], "command line: "),
        (["run", "pagerank", "e.txt", "--out", "x.csv", "--ranks", "0"], "--ranks: expected a whole number"),
        (["run", "pagerank", "e.txt", "--out", "x.csv", "--timeout", "soon"], "--timeout: expected a number"),
        (["run", "pagerank", "e.txt", "--out", "x.csv", "--engine", "gpu"], "--engine: expected one of native, spark"),
        (["run", "pagerank", "e.txt", "--out", "x.csv", "--conf", "nope"], "--conf: expected KEY=VALUE"),
        (
            ["run", "pagerank", "e.txt", "--out", "x.json"],
            "--out: expected a name that ends with .parquet, .csv, .tsv, .arrow, or a folder",
        ),
        (
            ["run", "kmeans", "e.txt", "--out", "model.parquet", "--spark"],
            "--out: expected the name of a folder, which a model is",
        ),
        (["run", "kmeans", "e.txt", "--top", "3"], "--out: expected a place for the result, found none"),
        (["run", "pagerank", "e.txt", "--top", "-1"], "--top: expected a whole number from 0 on, found -1"),
        (["run", "pagerank", "e.txt", "--sort", "rank"], "--sort: expected a column of the result (id, pagerank)"),
        (["run", "pagerank", "e.txt", "--out", "-", "--json"], "--json: expected a file as --out"),
        (["run", "pagerank", "-", "--out", "x.csv", "--vertices", "-"], "vertices: expected stdin for one input"),
        (["completion", "tcsh"], "completion: expected one of bash, zsh, fish, found 'tcsh'"),
        (["run", "pagerank", "hdfs://host/e.txt", "--out", "x.csv"], "INPUT: expected a file of this machine"),
        (
            ["run", "pagerank", "e.txt", "--out", "x.csv", "--delimiter", ";;"],
            "--delimiter: expected one ASCII character, tab or blank, found ';;'. Pass for example --delimiter ';'.",
        ),
        (
            ["run", "pagerank", "e.txt", "--out", "x.csv", "--types", "src=int"],
            "--types: expected COLUMN=TYPE with one of bigint, double, string",
        ),
        (
            ["run", "pagerank", "e.parquet", "--out", "x.csv", "--header"],
            "--header or --no-header: expected a file of text to which it applies",
        ),
        (["run", "pagerank", "e.txt", "--out", "no/x.csv"], "--out: expected a path in a folder that exists"),
        (["run", "pagerank", "e.txt"], "--out: expected a place for the result, found none. Add it, or --top to see"),
        (["run", "pagerank"], "command line: "),
        (["run", "pagerank", "e.txt", "--out", "x.csv", "--nope"], "command line: "),
        (["run", "bfs", "e.txt", "--out", "x.csv"], "--source"),
        (["run", "bfs", "e.txt", "--out", "x.csv", "--source", "1", "--graph", "g"], "command line: "),
        (["run", "nope", "e.txt"], "kernel: expected one of"),
        (["run", "build", "e.txt", "--out", "x.csv"], "command line: "),
        (["describe", "nope"], "kernel: expected one of"),
        (["nope"], "command line: "),
    ],
)
def test_bad_words(tmp_path, monkeypatch, capsys, words, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "e.txt").write_text("1 2\n")
    (tmp_path / "e.parquet").touch()
    status, err = fails(capsys, *words)
    assert status == 2
    assert says in err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["e.parquet", "e.txt"]


def test_out_is_not_overwritten(tmp_path, capsys):
    (tmp_path / "e.txt").write_text("1 2\n")
    out = tmp_path / "x.csv"
    out.write_text("precious")
    status, err = fails(capsys, "run", "degree", str(tmp_path / "e.txt"), "--out", str(out))
    assert (status, out.read_text()) == (2, "precious")
    assert "--overwrite" in err


def test_version(capsys):
    assert cli.main(["--version"]) == 0
    assert re.fullmatch(r"sparkgap \d+\S*\n", capsys.readouterr().out)


@pytest.mark.parametrize("name", spec.names())
def test_describe(capsys, name):
    assert cli.main(["describe", name, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(spec.describe(name))
    assert cli.main(["describe", name]) == 0
    assert spec.load(name).summary in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("name", [n for n in spec.names() if not spec.load(n).makes_graph])
def test_help_names_every_flag(capsys, name):
    assert cli.main(["run", name, "--help"]) == 0
    out = capsys.readouterr().out
    for parameter in spec.load(name).parameters:
        assert "--" + parameter.name.replace("_", "-") in out


@pytest.mark.parametrize(
    ("words", "same"),
    [
        (["--undirected"], ["--directed", "false"]),
        (["--directed"], ["--directed", "true"]),
        (["--directed", "--json"], ["--directed", "true", "--json"]),
        (["--directed", "FALSE"], ["--directed", "FALSE"]),
    ],
)
def test_spellings_of_directed(words, same):
    assert app._words(words) == same


def test_doctor(capsys):
    assert cli.main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["ok"]
    assert {"python", "java", "pyspark", "jar", "kernels", "mpiexec", "store", "cores", "memory"} <= {
        c["name"] for c in found["checks"]
    }
    assert cli.main(["doctor"]) == 0


@pytest.mark.parametrize(("option", "ok"), [("never", "False"), ("within_size", "True")])
def test_huge_pages_of_the_store(tmp_path, option, ok):
    place = tmp_path / "a store"
    place.mkdir()
    look = """
        import sys, sparkgap
        (found,) = [c for c in sparkgap.doctor(store=sys.argv[1] + "/not/made yet").checks if c.name == "huge pages"]
        print(found.ok, found.detail, found.fix, sep="; ")"""
    mount = f'mount -t tmpfs -o size=4m,huge={option} none "$0" && exec "$@"'
    namespace = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    command = [
        "unshare",
        *namespace,
        "--mount",
        "sh",
        "-c",
        mount,
        str(place),
        sys.executable,
        "-c",
        textwrap.dedent(look),
        str(place),
    ]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert said.stdout.split("; ")[:2] == [ok, f"{option} at {place}"], said.stderr
    assert said.stdout.endswith(f"mount -o remount,huge=within_size {place}\n")


@pytest.mark.parametrize(
    ("java", "says"),
    [
        (None, "JAVA_HOME: expected a folder with bin/java"),
        ("echo 'openjdk version \"11.0.2\"'", "java: expected Java 17 to 25, found Java 11"),
        ("echo 'java version \"1.8.0_202\"'", "java: expected Java 17 to 25, found Java 8"),
        ("echo hello", "java: expected '"),
    ],
)
def test_no_java_or_a_wrong_one(tmp_path, monkeypatch, capsys, java, says):
    if java is not None:
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin" / "java").write_text(f"#!/bin/sh\n{java}\n")
        (tmp_path / "bin" / "java").chmod(0o755)
    (tmp_path / "e.txt").write_text("1 2\n")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    words = ["run", "degree", str(tmp_path / "e.txt"), "--out", str(tmp_path / "x.csv")]
    status, err = fails(capsys, *words, "--spark")
    assert status == 5
    assert says in err
    assert cli.main(words) == 0, "which takes no Java"
    capsys.readouterr()
    assert cli.main(["doctor"]) == 5
    assert "openjdk-17" in capsys.readouterr().out


def test_no_java_anywhere(tmp_path, monkeypatch, capsys):
    (tmp_path / "e.txt").write_text("1 2\n")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    status, err = fails(capsys, "run", "degree", str(tmp_path / "e.txt"), "--out", str(tmp_path / "x.csv"), "--spark")
    assert (status, err.startswith("java: expected Java 17 to 25 in JAVA_HOME or on PATH, found none")) == (5, True)


def test_wrong_pyspark(tmp_path, monkeypatch, capsys):
    import pyspark

    (tmp_path / "e.txt").write_text("1 2\n")
    monkeypatch.setattr(pyspark, "__version__", "3.5.1")
    status, err = fails(capsys, "run", "degree", str(tmp_path / "e.txt"), "--out", str(tmp_path / "x.csv"), "--spark")
    assert status == 5
    assert "pyspark: expected pyspark 4.x, found 3.5.1. Run: pip install" in err


def test_settings_of_a_request(tmp_path):
    request = Request(
        spec.load("degree"),
        {},
        {},
        tmp_path / "x",
        ranks=2,
        threads=3,
        store=tmp_path,
        conf={"spark.ui.enabled": "true"},
    )
    assert run_spark.master(request) == "local[6]"
    assert run_spark.settings(request)["spark.ui.enabled"] == "true"
    assert run_spark.settings(request)["spark.sparkgap.store.dir"] == str(tmp_path)


def test_conf_pairs():
    with pytest.raises(ArgumentError):
        spark.parse_conf(["=x"])
