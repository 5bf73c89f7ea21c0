# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What pagerank means, against a dense power iteration and against Spark's own library."""

import random

import oracle
import pyarrow as pa
import pytest
from match import compare

import sparkgap

CLOSE = 1e-9
SMALL = [(1, 2), (2, 3), (3, 1), (4, 1), (4, 4), (1, 2), (5, 6), (-7, 1), (9_000_000_000_000_000_000, -7)]
only_classic = pytest.mark.parametrize("spark", ["classic"], indirect=True)


def table(answer):
    return pa.table({"id": list(answer), "pagerank": list(answer.values())})


def agrees(result, answer, epsilon=CLOSE):
    match = compare(result, table(answer), rule="epsilon", epsilon=epsilon)
    assert match.ok, match.why


def frame(spark, edges, kind="bigint"):
    return spark.createDataFrame(edges, f"src {kind}, dst {kind}")


@pytest.fixture(scope="module")
def random_edges():
    rng = random.Random(3)
    ids = [rng.randrange(-(2**63), 2**63) for _ in range(60)]
    return [(rng.choice(ids[:40]), rng.choice(ids)) for _ in range(300)]


@pytest.mark.parametrize("variant", ["graphx", "ldbc"])
@pytest.mark.parametrize("directed", [True, False])
def test_sparse_ids_sinks_loops_and_repeated_edges(spark, variant, directed):
    result = sparkgap.graph.pagerank(frame(spark, SMALL), variant=variant, directed=directed)
    agrees(result, oracle.pagerank(SMALL, variant=variant, directed=directed))
    call = result.sparkgap
    assert (call.rows_in, call.rows_out, call.iterations, call.converged) == (len(SMALL), 8, 20, None)
    assert {"export_s", "memory_s", "launch_s", "build_s", "compute_s", "write_s"} <= set(call.phases)


@only_classic
@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("variant", ["graphx", "ldbc"])
def test_random_graph_on_ranks(spark, random_edges, ranks, variant):
    result = sparkgap.graph.pagerank(
        frame(spark, random_edges), variant=variant, ranks=ranks, threads=2 if ranks == 1 else 1
    )
    agrees(result, oracle.pagerank(random_edges, variant=variant))


@only_classic
def test_ranks_and_threads_change_nothing(spark):
    edges = sparkgap.graph.rmat(scale=10, edge_factor=8, seed=5, spark=spark)
    one = sparkgap.graph.pagerank(edges, ranks=1, threads=1).toArrow()
    for ranks, threads in ((1, 2), (2, 1), (4, 1)):
        match = compare(
            sparkgap.graph.pagerank(edges, ranks=ranks, threads=threads), one, rule="epsilon", epsilon=1e-12
        )
        assert match.ok, (ranks, threads, match.why)


@pytest.mark.parametrize("kind", ["tinyint", "smallint", "int", "bigint"])
def test_integer_types(spark, kind):
    edges = [(1, 2), (2, 3), (3, 1), (-4, 1)]
    result = sparkgap.graph.pagerank(frame(spark, edges, kind))
    assert dict(result.dtypes) == {"id": "bigint", "pagerank": "double"}
    agrees(result, oracle.pagerank(edges))


@pytest.mark.parametrize("ranks", [1, 2])
def test_string_ids(spark, ranks):
    edges = [
        ("ann", "bob"),
        ("bob", "cho"),
        ("cho", "ann"),
        ("", "ann"),
        ("été", "bob"),
        ("a" * 300, "été"),
        ("it's", 'a "b" \\'),
    ]
    result = sparkgap.graph.pagerank(frame(spark, edges, "string"), ranks=ranks, threads=1)
    assert dict(result.dtypes)["id"] == "string"
    agrees(result, oracle.pagerank(edges))


@pytest.mark.parametrize("variant", ["graphx", "ldbc"])
@pytest.mark.parametrize("kind", ["double", "float", "int"])
def test_weights(spark, variant, kind):
    cast = int if kind == "int" else float
    rows = [(1, 2, cast(3)), (1, 3, cast(1)), (2, 1, cast(2)), (3, 2, cast(0)), (4, 1, cast(5)), (1, 2, cast(1))]
    edges, weights = [(u, v) for u, v, _ in rows], [w for _, _, w in rows]
    frame = spark.createDataFrame(rows, f"src bigint, dst bigint, w {kind}")
    answer = oracle.pagerank(edges, weights=weights, variant=variant)
    agrees(sparkgap.graph.pagerank(frame, weight="w", variant=variant), answer)
    assert max(answer.values()) != pytest.approx(max(oracle.pagerank(edges, variant=variant).values()))


@pytest.mark.parametrize("variant", ["graphx", "ldbc"])
@pytest.mark.parametrize("sources", [[1], [1, 4], [5]])
def test_personalised(spark, variant, sources):
    result = sparkgap.graph.pagerank(frame(spark, SMALL), source_ids=sources, variant=variant)
    answer = oracle.pagerank(SMALL, source_ids=sources, variant=variant)
    agrees(result, answer)
    assert sum(answer.values()) == pytest.approx(1)


@pytest.mark.parametrize("variant", ["graphx", "ldbc"])
def test_vertices_without_edges_are_kept(spark, variant):
    vertices = [1, 2, 77, 78, 77]
    result = sparkgap.graph.pagerank(
        frame(spark, SMALL), vertices=spark.createDataFrame([(v,) for v in vertices], "id int"), variant=variant
    )
    answer = oracle.pagerank(SMALL, vertices=vertices, variant=variant)
    assert {77, 78} <= set(answer)
    agrees(result, answer)


@pytest.mark.parametrize(("damping", "iterations"), [(0.0, 20), (1.0, 5), (0.85, 0), (0.85, 1), (0.5, 100)])
def test_edges_of_the_parameters(spark, damping, iterations):
    result = sparkgap.graph.pagerank(frame(spark, SMALL), damping=damping, max_iterations=iterations)
    assert result.sparkgap.iterations == iterations
    agrees(result, oracle.pagerank(SMALL, damping=damping, max_iterations=iterations))


def test_tolerance(spark):
    loose = sparkgap.graph.pagerank(frame(spark, SMALL), tolerance=1e-3, max_iterations=500).sparkgap
    tight = sparkgap.graph.pagerank(frame(spark, SMALL), tolerance=1e-10, max_iterations=500)
    assert 0 < loose.iterations < tight.sparkgap.iterations < 500
    assert loose.converged and loose.residual <= 1e-3
    agrees(tight, oracle.pagerank(SMALL, max_iterations=500), epsilon=1e-8)
    never = sparkgap.graph.pagerank(frame(spark, SMALL), tolerance=1e-10, max_iterations=2).sparkgap
    assert (never.converged, never.iterations) == (False, 2)


@pytest.mark.parametrize("ranks", [1, 2])
def test_native_and_graphx_agree(spark, ranks):
    edges = sparkgap.graph.rmat(scale=10, edge_factor=16, seed=2, spark=spark)
    native = sparkgap.graph.pagerank(edges, max_iterations=10, ranks=ranks, threads=1)
    theirs = sparkgap.graph.pagerank(edges, max_iterations=10, engine="spark")
    assert (native.sparkgap.engine, theirs.sparkgap.engine) == ("native", "spark")
    match = compare(native, theirs, rule="epsilon", epsilon=1e-6)
    assert match.ok, match.why


@only_classic
@pytest.mark.parametrize("options", [{"source_ids": [1]}, {"directed": False}, {"max_iterations": 3}])
def test_native_and_graphx_agree_with(spark, options):
    options = {"max_iterations": 15, **options}
    native = sparkgap.graph.pagerank(frame(spark, SMALL), **options)
    match = compare(
        native, sparkgap.graph.pagerank(frame(spark, SMALL), engine="spark", **options), rule="epsilon", epsilon=1e-6
    )
    assert match.ok, match.why


@only_classic
@pytest.mark.parametrize("name", ["web-NotreDame", "cnr-2000"])
def test_real_graphs_on_ranks(spark, data, name):
    edges = spark.read.parquet(str(data / "graphs" / f"{name}.parquet"))
    one = sparkgap.graph.pagerank(edges, ranks=1)
    two = sparkgap.graph.pagerank(edges, ranks=2)
    match = compare(two, one, rule="epsilon", epsilon=1e-12)
    assert match.ok, match.why
    assert match.rows == {"web-NotreDame": 325_729, "cnr-2000": 325_557}[name]
    total = sum(one.toArrow()["pagerank"].to_pylist())
    assert total == pytest.approx(match.rows, rel=1e-9)
