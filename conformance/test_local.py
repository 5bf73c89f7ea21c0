# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Kernels without Spark: the results of oracles, every kind of rows, what is refused, and nothing left behind."""

import gzip
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import oracle
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import ROOT
from match import compare
from test_engines import KERNELS, Drawn

import sparkgap
from sparkgap import environment, local, spec

EDGES = {"src": ["ann", "bob", "cho", "dee"], "dst": ["bob", "cho", "ann", "ann"], "w": [1.0, 2.0, 0.5, 4.0]}


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A store of the test's own, with nothing in it at its end but the home."""
    store = tmp_path / "store"
    monkeypatch.setattr(sparkgap.environment, "store_dir", lambda: store)
    yield store
    if store.is_dir():
        assert [f for f in store.rglob("*") if f.is_file() and f.name not in (".lock", "lock")] == []


def ranked(table):
    return dict(zip(table["id"].to_pylist(), table["pagerank"].to_pylist(), strict=True))


@pytest.mark.parametrize("kind", ["bigint", "string"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_graph_kernels_by_oracles(kernel, kind):
    drawn = Drawn(kind)
    edges = {"src": [u for u, _ in drawn.edges], "dst": [v for _, v in drawn.edges], "w": drawn.weights}
    for directed, ranks in ((True, 1), (False, 2)):
        given = drawn.arguments(kernel) | {"directed": directed, "vertices": {"id": drawn.vertices}, "ranks": ranks}
        found = getattr(local, kernel)(edges, threads=1, **given)
        match = compare(found, drawn.answer(kernel, directed), rule=spec.load(kernel).match["rule"], epsilon=1e-6)
        assert match.ok, (directed, ranks, match.why)
        assert (sparkgap.last_call().ranks, sparkgap.last_call().rows_in) == (ranks, len(drawn.edges))


@pytest.mark.parametrize("kernel", KERNELS)
def test_graph_kernels_from_a_graph_that_was_built(kernel):
    drawn = Drawn("string")
    edges = {"src": [u for u, _ in drawn.edges], "dst": [v for _, v in drawn.edges], "w": drawn.weights}
    for directed, ranks in ((True, 2), (False, 1)):
        with local.build(
            edges, weight="w", vertices={"id": drawn.vertices}, directed=directed, ranks=ranks, threads=1
        ) as graph:
            found = getattr(graph, kernel)(ranks=3 - ranks, threads=1, **drawn.arguments(kernel))
            assert (sparkgap.last_call().bytes_copied, sparkgap.last_call().rows_in) == (0, len(drawn.edges))
        match = compare(found, drawn.answer(kernel, directed), rule=spec.load(kernel).match["rule"], epsilon=1e-6)
        assert match.ok, (directed, ranks, match.why)


def test_a_graph_and_its_handle(place):
    graph = local.build(EDGES, weight="w")
    assert repr(graph) == "Graph(n_vertices=4, n_edges=4, directed=True, weight='w')"
    assert graph.vertices.column_names == ["id", "in_degree", "out_degree", "out_weight"]
    for wrong, words in (
        ({"src": "dst"}, "src: expected nothing beside a graph, found 'dst'."),
        ({"directed": False}, "directed: expected what the graph was built with, True, found False."),
        ({"weight": "x"}, "weight: expected 'w', as it was built, found 'x'."),
    ):
        with pytest.raises(sparkgap.ArgumentError) as said:
            local.pagerank(graph, **wrong)
        assert str(said.value).startswith(words)
    graph.drop()
    graph.drop()
    with pytest.raises(sparkgap.ArgumentError, match=r"^graph: expected a graph that was built, found one that was"):
        graph.degree()
    assert graph.vertices.num_rows == 4, "which is mapped"
    kept = local.build(EDGES)
    assert list(place.glob("*/segments/build_*"))
    del kept
    assert not list(place.glob("*/segments/build_*")), "the files go with the handle"


def test_learners_and_tensors():
    """Of what they find there is one right answer here: a plane, two heaps, classes far apart, a tensor of rank 1."""
    random = np.random.default_rng(5)
    x = random.normal(size=(200, 2)) + 20.0 * (np.arange(200) % 2)[:, None]
    rows = {"features": list(x), "label": x @ [2.0, -1.0] + 3.0, "class": (np.arange(200) % 2).astype(float)}
    assert local.linreg(rows)["value"].to_pylist() == pytest.approx([3.0, 2.0, -1.0], abs=1e-6)
    centers = np.array(local.kmeans(rows, k=2, seed=1)["value"]).reshape(2, 2)
    assert sorted(centers[:, 0]) == pytest.approx(sorted([x[::2, 0].mean(), x[1::2, 0].mean()]), abs=1e-9)
    assert local.logreg(rows, label="class", reg_param=0.1).num_rows > 0
    counts = {"features": [[3.0, 0.0], [0.0, 4.0], [2.0, 0.0], [0.0, 1.0]], "label": [0.0, 1.0, 0.0, 1.0]}
    assert local.naivebayes(counts).num_rows > 0
    assert local.lda(counts, features="features", k=2, max_iter=3).num_rows > 0
    a, b = np.arange(1.0, 5.0), np.arange(2.0, 7.0)
    i, j = (axis.ravel() for axis in np.indices((4, 5)))
    found = local.cpd({"a": i, "b": j, "value": np.outer(a, b).ravel()}, modes=["a", "b"], rank=1, max_iter=20)
    assert found.num_rows == 9
    assert local.rmat(scale=6).num_rows == 16 << 6


def given(kind, folder):
    table = pa.table(EDGES)
    if kind == "pandas":
        return pd.DataFrame(EDGES)
    if kind == "pandas of categories":
        return pd.DataFrame(EDGES).astype({"src": "category"})
    if kind == "polars":
        return pl.DataFrame(EDGES)
    if kind == "polars of categories":
        return pl.DataFrame(EDGES).with_columns(pl.col("dst").cast(pl.Categorical))
    if kind == "batches":
        return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=1))
    if kind == "chunks":
        return pa.concat_tables([table.slice(0, 1), table.slice(1, 0), table.slice(1)])
    if kind == "columns of numpy":
        return {name: np.array(column) for name, column in EDGES.items()}
    path = folder / kind
    if kind == "edges.parquet":
        pq.write_table(table, path)
    elif kind == "edges.csv":
        path.write_text("src,dst,w\n" + "".join(f"{a},{b},{w}\n" for a, b, w in zip(*EDGES.values(), strict=True)))
    else:
        options = pa.ipc.IpcWriteOptions(compression="zstd" if "zstd" in kind else None)
        make = pa.ipc.new_stream if kind.endswith("s") else pa.ipc.new_file
        with pa.OSFile(str(path), "wb") as sink, make(sink, table.schema, options=options) as out:
            out.write_table(table)
    return path


KINDS = ["pandas", "pandas of categories", "polars", "polars of categories", "batches", "chunks", "columns of numpy"]
FILES = ["edges.parquet", "edges.csv", "edges.arrow", "edges.zstd.arrow", "edges.arrows"]


@pytest.mark.parametrize("kind", KINDS + FILES)
def test_rows_of_every_kind(kind, tmp_path):
    rows = given(kind, tmp_path)
    expected = oracle.pagerank(list(zip(EDGES["src"], EDGES["dst"], strict=True)))
    assert ranked(local.pagerank(rows)) == pytest.approx(expected, abs=2e-9)
    assert (sparkgap.last_call().bytes_copied == 0) == (kind == "edges.arrow"), "read where it lies"


def test_files_are_read_by_the_one_rule(tmp_path):
    """docs/files.md has it, and python/tests/test_inputs.py the tests."""
    (tmp_path / "e.csv").write_text("src,dst\n007,7x\n7,8x\n")
    assert sorted(local.degree(str(tmp_path / "e.csv"))["id"].to_pylist()) == ["007", "7", "7x", "8x"]
    (tmp_path / "roads.txt.gz").write_bytes(gzip.compress(b"# from, to\n1 2 0.5\n2 3 1.5\n"))
    found = local.sssp(tmp_path / "roads.txt.gz", 1, weight="km")
    assert dict(zip(found["id"].to_pylist(), found["distance"].to_pylist(), strict=True)) == {1: 0, 2: 0.5, 3: 2}
    (tmp_path / "e.csv").write_text("ann,bob\nbob,cho\n")
    with pytest.raises(sparkgap.ArgumentError, match=r"header=False if they are the first row .*local\.read takes the"):
        local.degree(tmp_path / "e.csv")
    rows = local.read(tmp_path / "e.csv", header=False, columns=["src", "dst"])
    assert local.degree(rows).num_rows == 3
    (tmp_path / "folder").mkdir()
    for part in range(2):
        pq.write_table(pa.table({"src": [part], "dst": [part + 1]}), tmp_path / "folder" / f"{part}.parquet")
    assert local.degree(tmp_path / "folder").num_rows == 3
    (tmp_path / "edges").write_text("1 2\n")
    with pytest.raises(
        sparkgap.ArgumentError, match=r"^edges: expected a Parquet file or folder, or another name that"
    ):
        local.degree(tmp_path / "edges")


def test_results_are_mapped_and_outlive_their_files():
    found = local.pagerank(EDGES)
    before = pa.total_allocated_bytes()
    assert pl.DataFrame(found).sort("id")["id"].to_list() == ["ann", "bob", "cho", "dee"]
    del found
    assert pa.total_allocated_bytes() <= before + 4096


WRONG = {
    "no rows": (lambda: local.degree({"src": [], "dst": []}), "DataError", "edges.src: expected an integer"),
    "typed, no rows": (
        lambda: local.degree(pa.table({"src": pa.array([], pa.int64()), "dst": pa.array([], pa.int64())})),
        "DataError",
        "edges: expected at least one row, found none.",
    ),
    "no column": (lambda: local.degree({"a": [1]}), "DataError", "edges.src: expected a column named 'src', found"),
    "two columns": (lambda: local.degree({"SRC": [1], "Src": [2], "dst": [3]}), "DataError", "edges.src: expected one"),
    "nulls": (lambda: local.degree({"src": [1, None], "dst": [2, 3]}), "DataError", "edges.src: expected no nulls"),
    "decimals": (lambda: local.degree({"src": [1.5], "dst": [2.0]}), "DataError", "edges.src: expected an integer or"),
    "two kinds": (lambda: local.degree({"src": [1], "dst": ["a"]}), "DataError", "edges.dst: expected ids of one kind"),
    "too large": (
        lambda: local.degree({"src": np.array([2**63 + 5], np.uint64), "dst": [1]}),
        "DataError",
        "edges.src: expected integers up to 9223372036854775807, found 9223372036854775813.",
    ),
    "objects": (
        lambda: local.degree(pd.DataFrame({"src": [1, "a"], "dst": [1, 2]})),
        "DataError",
        "edges: expected rows that Arrow can hold",
    ),
    "no rows at all": (lambda: local.degree(7), "ArgumentError", "edges: expected rows (pyarrow"),
    "no file": (
        lambda: local.degree("/nowhere.csv"),
        "ArgumentError",
        "edges: expected a file or folder that exists, found",
    ),
    "out of range": (lambda: local.pagerank(EDGES, damping=7), "ArgumentError", "damping: expected a number in [0, 1]"),
    "ranks": (lambda: local.pagerank(EDGES, ranks=9), "ArgumentError", "ranks: expected at most 4, the rows of edges"),
    "source": (lambda: local.bfs(EDGES, "zoe"), "DataError", "source: expected an id that occurs"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_refused(what):
    call, kind, words = WRONG[what]
    with pytest.raises(sparkgap.SparkGapError) as said:
        call()
    assert (type(said.value).__name__, str(said.value)[: len(words)]) == (kind, words)
    assert ranked(local.pagerank(EDGES))["dee"] == pytest.approx(0.15), "and the next call works"


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_deadline_ends_everything(ranks):
    begin = time.monotonic()
    with pytest.raises(sparkgap.LaunchError, match=r"^timeout_s of pagerank: expected the job to end within 0\.5 s"):
        local.pagerank(EDGES, max_iterations=2_000_000_000, ranks=ranks, threads=1, timeout_s=0.5)
    assert time.monotonic() - begin < 20
    assert [p for p in sparkgap.processes.tree() if p.name.startswith(("sparkgap-", "mpiexec", "hydra"))] == []


ENDLESS = """
import sys
from pathlib import Path
from sparkgap import environment, local
environment.store_dir = lambda: Path(sys.argv[1])
local.pagerank({"src": [1, 2], "dst": [2, 1]}, max_iterations=2_000_000_000, ranks=int(sys.argv[2]), threads=1)
"""


def endless(store, ranks, **pipes):
    """A process whose ranks compute for ever, and these."""
    words = [sys.executable, "-c", ENDLESS, store, str(ranks)]
    child = subprocess.Popen(words, env={**os.environ, "PYTHONPATH": str(ROOT / "python")}, text=True, **pipes)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        found = [p.pid for p in sparkgap.processes.tree(child.pid) if p.name == "sparkgap-pagera"]
        if len(found) == ranks and list(store.glob("*/jobs/*/progress.jsonl")):
            return child, found
        time.sleep(0.01)
    child.kill()
    raise AssertionError("no ranks came")


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_killed_process_leaves_nothing(place, ranks):
    child, pids = endless(place, ranks)
    child.send_signal(signal.SIGKILL)
    child.wait()
    end = time.monotonic() + 20
    while any(Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < end:
        time.sleep(0.01)
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
    assert len(list(place.glob("python_*"))) == 1
    local.degree(EDGES)  # whoever makes a home next removes those of the dead
    assert [home.name for home in place.glob("python_*")] == [f"python_{os.getpid()}.local"]


def test_a_killed_rank_is_named(place):
    child, found = endless(place, 2, stderr=subprocess.PIPE)
    os.kill(found[-1], signal.SIGKILL)
    _, said = child.communicate(timeout=60)
    assert "LaunchError: rank " in said and " of pagerank: expected exit 0, found signal 9 (SIGKILL)." in said, said
    assert not list(place.glob("python_*")), "its home went with it"


def test_a_fork_leaves_its_parents_home(place):
    local.degree(EDGES)
    mine = place / f"python_{os.getpid()}.local"
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if local.degree(EDGES).num_rows == 4 else 1
            sparkgap.local.home._close_all()
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert mine.is_dir() and sparkgap.store_files.locks.is_held(mine / "lock")
    assert local.degree(EDGES).num_rows == 4


@pytest.mark.parametrize("kernel", ["sssp", "pagerank"])
def test_a_graph_on_disk_that_memory_cannot_keep(monkeypatch, kernel):
    """It is said, and the result is the same. A number stands for what is free; make bench-beyond takes the memory."""
    monkeypatch.setattr(environment, "huge_pages", lambda folder: None)  # wherever the folder of tests lies
    random = np.random.default_rng(5)
    src, dst = random.integers(0, 3000, (2, 60_000))
    graph = local.build(pa.table({"src": src, "dst": dst, "w": random.random(60_000)}), weight="w")
    options = {"sssp": {"source": int(src[0])}, "pagerank": {"max_iterations": 20}}[kernel]
    expected = getattr(graph, kernel)(**options)
    free = sparkgap.last_call().memory_bytes + 100_000
    monkeypatch.setattr(environment, "available_bytes", lambda: free)
    said = rf"memory of {kernel}: its graph has \d+ bytes on disk, and \d+ are free beside its ranks\."
    with pytest.warns(UserWarning, match=said):
        found = getattr(graph, kernel)(**options)
    assert np.allclose(*(each.sort_by("id")[1].to_numpy() for each in (expected, found)), rtol=1e-12)


def test_neither_spark_nor_a_jvm_is_needed():
    code = (
        "import sys; from sparkgap import local, processes; local.pagerank({'src': [1], 'dst': [2]});"
        "print('pyspark' in sys.modules, [p.name for p in processes.tree() if p.name == 'java'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT / "python")}, capture_output=True,
        text=True, timeout=60,
    )  # fmt: skip
    assert done.stdout == "False []\n", done.stderr
