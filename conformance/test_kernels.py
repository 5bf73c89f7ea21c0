# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Every kernel through every surface: SQL, Python, command line; and degree and rmat by what they mean."""

import json
import subprocess
import sys

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import oracle
import sparkgap
from sparkgap import spec
from sparkgap.match import compare

ROWS = [(1, 2), (2, 3), (3, 1), (4, 1), (4, 4), (1, 2)]
CLI_TIMEOUT_S = 120
COLUMNS = {
    "table", "kernel", "engine", "rows_in", "rows_out", "iterations", "converged", "residual", "ranks", "threads", "total_s",
    "phases", "bytes_copied", "peak_rss_bytes",
}  # fmt: skip
JSON_KEYS = COLUMNS - {"table", "residual", "ranks", "threads"}
PHASES = {"read_s", "export_s", "launch_s", "build_s", "compute_s", "write_s", "readback_s"}


def command(*words, store, check=True):
    done = subprocess.run(
        [sys.executable, "-m", "sparkgap", *map(str, words), *(["--store", str(store.path)] if words[0] == "run" else [])],
        capture_output=True, text=True, timeout=CLI_TIMEOUT_S,
    )  # fmt: skip
    assert not check or done.returncode == 0, done.stderr
    return done


def arguments(kernel):
    """The inputs and parameters of a small call of any kernel."""
    return {"scale": 5} if not kernel.inputs else {}


@pytest.mark.parametrize("name", spec.names())
def test_sql_and_python_give_the_same(spark, name):
    kernel = spec.load(name)
    frame = spark.createDataFrame(ROWS, "src bigint, dst bigint")
    frame.createOrReplaceTempView("edges of 'mine'")
    inputs = {"edges": frame} if kernel.inputs else {"spark": spark}
    python = getattr(sparkgap.graph, name)(**inputs, **arguments(kernel))
    words = (["edges => :edges"] if kernel.inputs else []) + [f"{k} => {v}" for k, v in arguments(kernel).items()]
    query = f"CALL sparkgap.{kernel.family}.{name}({', '.join(words)})"
    rows = (
        spark.sql(query, args={"edges": "`edges of 'mine'`"}).collect() if kernel.inputs else spark.sql(query).collect()
    )
    spark.catalog.dropTempView("edges of 'mine'")
    assert len(rows) == 1
    row = rows[0].asDict(recursive=True)
    assert set(row) == COLUMNS
    assert (row["kernel"], row["engine"], row["rows_in"]) == (name, "native", len(ROWS) if kernel.inputs else 0)
    for way in (spark.table(row["table"]), spark.read.format("sparkgap").load(row["table"])):
        assert [n for n, _ in way.dtypes] == [n for n, _ in kernel.output]
        if kernel.inputs:
            match = compare(way, python, rule=kernel.match["rule"], epsilon=kernel.match["epsilon"])
            assert match.ok, match.why
        else:
            assert way.toArrow() == python.toArrow()
        assert way.count() == row["rows_out"]


@pytest.mark.parametrize("name", spec.names())
@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_command_line_gives_the_same(spark, store, tmp_path, name):
    kernel = spec.load(name)
    out, given = tmp_path / "out.parquet", []
    if kernel.inputs:
        given = [tmp_path / "edges.txt"]
        given[0].write_text("# a comment\r\n" + "".join(f"{u}\t {v}\r\n" for u, v in ROWS))
    options = [f"--{k.replace('_', '-')}={v}" for k, v in arguments(kernel).items()]
    done = command("run", name, *given, "--out", out, "--json", *options, store=store)
    lines = done.stdout.splitlines()
    assert len(lines) == 1, done.stdout
    assert done.stderr == ""
    figures = json.loads(lines[0])
    assert set(figures) >= JSON_KEYS
    assert set(figures["phases"]) >= (PHASES if kernel.inputs else PHASES - {"export_s"})
    assert all(s >= 0 for s in figures["phases"].values())
    assert figures["total_s"] >= max(figures["phases"].values())
    inputs = {"edges": spark.createDataFrame(ROWS, "src bigint, dst bigint")} if kernel.inputs else {"spark": spark}
    expected = getattr(sparkgap.graph, name)(**inputs, **arguments(kernel)).toArrow()
    found = pq.read_table(out)
    assert figures["rows_out"] == found.num_rows == expected.num_rows
    if kernel.inputs:
        match = compare(found, expected, rule=kernel.match["rule"], epsilon=kernel.match["epsilon"])
        assert match.ok, match.why
    else:
        assert found.equals(expected)


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_command_line_for_people(spark, store, tmp_path):
    csv = tmp_path / "my edges [1].csv"
    csv.write_text("from;to;how much\n" + "".join(f"{u};{v};{u + v}\n" for u, v in ROWS))
    (tmp_path / "v.v").write_text("1\n99\n")
    words = [
        "run",
        "pagerank",
        csv,
        "--out",
        tmp_path / "r.csv",
        "--src",
        "from",
        "--dst",
        "to",
        "--weight",
        "how much",
    ]
    words += ["--vertices", tmp_path / "v.v", "--undirected", "--ranks", "2", "--threads", "1", "--source-ids", "1,2"]
    done = command(*words, store=store)
    assert "compute" in done.stderr and "readback" in done.stderr
    assert "top 5 of 5" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr, "no colours and no bar where nobody looks"
    found = pyarrow.csv.read_csv(tmp_path / "r.csv")
    answer = oracle.pagerank(ROWS, weights=[u + v for u, v in ROWS], vertices=[1, 99], directed=False, sources=[1, 2])
    match = compare(
        found, pa.table({"id": list(answer), "pagerank": list(answer.values())}), rule="epsilon", epsilon=1e-9
    )
    assert match.ok, match.why
    again = command(*words, store=store, check=False)
    assert again.returncode == 2 and "--overwrite" in again.stderr
    folder = command(*words[:4], tmp_path / "folder", "--src=from", "--dst=to", "--engine=spark", store=store)
    assert "engine spark" in folder.stderr
    assert pq.read_table(tmp_path / "folder").num_rows == 4
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder", "my edges [1].csv", "r.csv", "v.v"]
    assert store.homes() == [h for h in store.homes() if not h.startswith("part")]


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_degree(spark, ranks, directed):
    vertices = spark.createDataFrame([(1,), (50,)], "id bigint")
    frame = spark.createDataFrame(ROWS, "src bigint, dst bigint")
    found = sparkgap.graph.degree(frame, vertices=vertices, directed=directed, ranks=ranks, threads=1)
    expected = oracle.degree(ROWS, vertices=[1, 50], directed=directed)
    assert {r["id"]: tuple(r)[1:] for r in found.collect()} == expected


def test_degree_of_strings(spark):
    rows = [("a", "b"), ("b", "b"), ("ü", "a")]
    found = sparkgap.graph.degree(spark.createDataFrame(rows, "src string, dst string"))
    assert {r["id"]: tuple(r)[1:] for r in found.collect()} == oracle.degree(rows)


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_rmat_is_the_same_for_all_ranks_and_threads(spark):
    def rows(**options):
        return sparkgap.graph.rmat(scale=9, edge_factor=8, spark=spark, **options).toArrow()

    one = rows(seed=3, threads=1)
    assert one.num_rows == 8 << 9
    for ranks, threads in ((1, 2), (2, 1), (4, 1)):
        assert rows(seed=3, ranks=ranks, threads=threads).equals(one)
    assert not rows(seed=4).equals(one)
    ids = set(one["src"].to_pylist()) | set(one["dst"].to_pylist())
    assert min(ids) >= 0 and max(ids) < 1 << 9


@pytest.mark.parametrize("engine", ["native", "spark"])
@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_degree_by_both_engines(spark, edges, engine):
    found = sparkgap.graph.degree(edges, engine=engine)
    assert {r["id"]: tuple(r)[1:] for r in found.collect()} == oracle.degree(ROWS)
