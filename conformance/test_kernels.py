# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Every kernel on graphs through every surface: SQL, Python, command line; and degree and rmat by what they mean."""

import json
import subprocess
import sys

import oracle
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from match import compare

import sparkgap
from sparkgap import cli, spec

ROWS = [(1, 2), (2, 3), (3, 1), (4, 1), (4, 4), (1, 2)]
CLI_TIMEOUT_S = 120
NAMES = [n for n in spec.names() if spec.load(n).family == "graph"]
COLUMNS = {
    "table",
    "kernel",
    "engine",
    "rows_in",
    "rows_out",
    "iterations",
    "converged",
    "residual",
    "ranks",
    "threads",
    "total_s",
    "phases",
    "bytes_copied",
    "peak_rss_bytes",
    "memory_bytes",
    "memory_from",
    "figures",
    "rank_cpus",
}
JSON_KEYS = COLUMNS - {"table", "residual", "ranks", "threads"}
PHASES = {"read_s", "export_s", "memory_s", "launch_s", "build_s", "compute_s", "write_s", "readback_s"}


def as_process(*words):
    command = [sys.executable, "-m", "sparkgap", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=CLI_TIMEOUT_S)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def arguments(kernel):
    """The parameters of a small call of any kernel."""
    return {"scale": 5} if not kernel.inputs else {p.name: 4 for p in kernel.parameters if p.required}


def table_of(result):
    """A kernel's result, where that is a graph the table of its vertices."""
    return result.vertices if isinstance(result, sparkgap.graph.Graph) else result


@pytest.mark.parametrize("name", NAMES)
def test_sql_and_python_give_the_same(spark, name):
    kernel = spec.load(name)
    frame = spark.createDataFrame(ROWS, "src bigint, dst bigint")
    frame.createOrReplaceTempView("`edges of 'mine'`")
    inputs = {"edges": frame} if kernel.inputs else {"spark": spark}
    python = table_of(getattr(sparkgap.graph, name)(**inputs, **arguments(kernel)))
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


@pytest.mark.parametrize("way", [[], ["--spark"]], ids=["here", "through Spark"])
@pytest.mark.parametrize("name", [n for n in NAMES if not spec.load(n).makes_graph])
@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_command_line_gives_the_same(spark, store, tmp_path, capfd, name, way):
    kernel = spec.load(name)
    out, given = tmp_path / "out.parquet", []
    if kernel.inputs:
        given = [tmp_path / "edges.txt"]
        given[0].write_text("# a comment\r\n" + "".join(f"{u}\t {v}\r\n" for u, v in ROWS))
    options = [f"--{k.replace('_', '-')}={v}" for k, v in arguments(kernel).items()]
    words = ["run", name, *given, "--out", out, "--json", *options, *way]
    if name == "pagerank":
        homes = store.homes()
        out_text, err_text = as_process(*words, "--store", store.path)
        assert store.homes() == homes, "the process took its own home with it"
    else:  # the same in this process, on the session that runs
        assert cli.main([str(w) for w in words]) == 0
        out_text, err_text = capfd.readouterr()
    lines = out_text.splitlines()
    assert (len(lines), err_text) == (1, ""), out_text + err_text
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
def test_command_line_for_people(spark, store, tmp_path, capfd):
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
    assert cli.main([str(w) for w in words]) == 0
    out, err = capfd.readouterr()
    assert "compute" in err and "readback" in err
    assert "top 5 of 5" in out
    assert "\x1b" not in out + err, "no colours and no bar where nobody looks"
    found = pyarrow.csv.read_csv(tmp_path / "r.csv")
    answer = oracle.pagerank(
        ROWS, weights=[u + v for u, v in ROWS], vertices=[1, 99], directed=False, source_ids=[1, 2]
    )
    match = compare(
        found, pa.table({"id": list(answer), "pagerank": list(answer.values())}), rule="epsilon", epsilon=1e-9
    )
    assert match.ok, match.why
    assert cli.main([str(w) for w in words]) == 2
    assert "--overwrite" in capfd.readouterr().err
    assert cli.main([str(w) for w in [*words, "--overwrite"]]) == 0
    folder = ["run", "pagerank", csv, "--out", tmp_path / "folder", "--src=from", "--dst=to", "--engine=spark"]
    assert cli.main([str(w) for w in folder]) == 0
    assert "engine spark" in capfd.readouterr().err
    assert pq.read_table(tmp_path / "folder").num_rows == 4
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder", "my edges [1].csv", "r.csv", "v.v"]


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
