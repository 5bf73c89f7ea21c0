# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Graphs that are built once: the same answers as from tables, nothing exported again, nothing left behind."""

import math
import random

import oracle
import pyarrow as pa
import pytest
from match import compare

import sparkgap
from sparkgap import spec
from sparkgap.errors import ArgumentError, DataError

only_classic = pytest.mark.parametrize("spark", ["classic"], indirect=True)
KERNELS = [n for n in spec.names() if any(i.stored_graph for i in spec.load(n).inputs)]
ROWS = [
    (1, 2, 1.5),
    (2, 3, 0.0),
    (3, 1, 2.0),
    (4, 1, 1.0),
    (4, 4, 3.0),
    (1, 2, 0.5),
    (-(2**63), 4, 7.0),
    (6, 2**63 - 1, 1.0),
]
EDGES = [(u, v) for u, v, _ in ROWS]
ISOLATED = [1, 77]


@pytest.fixture
def tables(spark):
    return spark.createDataFrame(ROWS, "src bigint, dst bigint, w double"), spark.createDataFrame(
        [(v,) for v in ISOLATED], "id bigint"
    )


def needed(kernel, source):
    """The arguments that must be given beside a graph."""
    return {p.name: source for p in spec.load(kernel).parameters if p.required}


def agree(kernel, found, expected):
    match = compare(found, expected, **spec.load(kernel).match)
    assert match.ok, (kernel, match.why)


def test_there_are_kernels():
    assert len(KERNELS) >= 10


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("kernel", KERNELS)
@only_classic
def test_handle_name_and_method_give_what_tables_give(spark, tables, kernel, directed):
    edges, vertices = tables
    run, given = getattr(sparkgap.graph, kernel), needed(kernel, 4)
    expected = run(edges, vertices=vertices, directed=directed, threads=1, **given).toArrow()
    assert expected.num_rows == 8
    with sparkgap.graph.build(edges, vertices=vertices, directed=directed, name=f"g_{kernel}_{directed}") as g:
        for found in (run(g, **given), run(g.name, **given), getattr(g, kernel)(ranks=2, threads=1, **given)):
            agree(kernel, found, expected)
            figures = found.sparkgap
            assert (figures.bytes_copied, figures.rows_in, figures.rows_out) == (0, len(ROWS), 8)


@pytest.mark.parametrize("kernel", KERNELS)
@only_classic
def test_string_ids_on_ranks(spark, kernel):
    rng = random.Random(5)
    names = ["", "ann", "été", "it's", "b" * 300, *(f"v{i}" for i in range(20))]
    rows = [(rng.choice(names), rng.choice(names)) for _ in range(120)]
    edges = spark.createDataFrame(rows, "src string, dst string")
    run, given = getattr(sparkgap.graph, kernel), needed(kernel, "ann")
    given |= {"variant": "ldbc"} if kernel == "labelprop" else {}
    expected = run(edges, threads=1, **given).toArrow()
    for built_on, used_on in ((1, 2), (2, 1)):
        with sparkgap.graph.build(edges, ranks=built_on, threads=1) as g:
            agree(kernel, run(g, ranks=used_on, threads=1, **given), expected)


def test_handle_and_figures(spark, tables, store):
    edges, vertices = tables
    before = store.files()
    g = sparkgap.graph.build(edges, vertices=vertices, weight="w", name="roads")
    assert (g.name, g.n_vertices, g.n_edges, g.directed, g.weight) == ("roads", 8, len(ROWS), True, "w")
    assert (g.call.kernel, g.call.rows_in, g.call.rows_out) == ("build", len(ROWS), 8)
    assert repr(g) == "Graph('roads', n_vertices=8, n_edges=8, directed=True, weight='w')"
    again = sparkgap.graph.load("sparkgap.store.roads")
    assert (repr(again), again.call) == (repr(g), None)
    assert g.vertices.dtypes == [
        ("id", "bigint"),
        ("in_degree", "bigint"),
        ("out_degree", "bigint"),
        ("out_weight", "double"),
    ]
    degrees = oracle.degree(EDGES, vertices=ISOLATED)
    assert {r[0]: (r[1], r[2], r[1] + r[2]) for r in g.vertices.collect()} == degrees
    result = again.degree()
    g.drop()
    g.drop()
    assert {r["id"]: tuple(r)[1:] for r in result.collect()} == degrees, "results outlive the graph"
    spark.sql(f"DROP TABLE {result.sparkgap.table}")
    assert store.files() == before


def test_weights_are_those_of_the_build(spark, tables):
    edges, _ = tables
    weights = [w for _, _, w in ROWS]
    far = oracle.sssp(EDGES, weights, 4)
    with sparkgap.graph.build(edges, weight="w") as g:
        for found in (g.sssp(4), g.sssp(4, weight="w")):
            assert {r["id"]: r["distance"] for r in found.collect()} == far
        assert math.inf in far.values()
        ranks = oracle.pagerank(EDGES, weights=weights)
        match = compare(
            g.pagerank(weight="w"),
            pa.table({"id": list(ranks), "pagerank": list(ranks.values())}),
            rule="epsilon",
            epsilon=1e-9,
        )
        assert match.ok, match.why
        with pytest.raises(ArgumentError, match=r"^weight: "):
            g.sssp(4, weight="other")
    with sparkgap.graph.build(edges) as plain:
        assert {r["id"]: r["distance"] for r in plain.sssp(4).collect()} == {
            i: math.inf if hops is None else hops for i, hops in oracle.bfs(EDGES, 4).items()
        }
        with pytest.raises(ArgumentError, match=r"^weight: "):
            plain.sssp(4, weight="w")


def test_refusals(spark, tables):
    edges, _ = tables
    with pytest.raises(ArgumentError, match=r"^graph: expected a graph 'nowhere'"):
        sparkgap.graph.degree("nowhere")
    with pytest.raises(ArgumentError, match=r"^name: expected a stored graph 'nowhere'"):
        sparkgap.graph.load("nowhere")
    table = sparkgap.graph.degree(edges).sparkgap.table
    with pytest.raises(ArgumentError, match="expected a stored graph"):
        sparkgap.graph.load(table)
    with sparkgap.graph.build(edges, name="taken") as g:
        with pytest.raises(ArgumentError, match="'taken'"):
            sparkgap.graph.build(edges, name="taken")
        with pytest.raises(ArgumentError, match=r"^vertices: expected nothing beside a graph, found DataFrame"):
            g.degree(vertices=edges)
        with pytest.raises(ArgumentError, match="directed"):
            g.degree(directed=False)
        with pytest.raises(ArgumentError, match="engine"):
            g.degree(engine="spark")
        with pytest.raises(DataError, match="source"):
            g.bfs(source=12345)
    with pytest.raises(ArgumentError, match=r"^graph: expected a graph 'taken'"):
        g.degree()
    with pytest.raises(ArgumentError, match="name"):
        sparkgap.graph.build(edges, name="not a name!")


@only_classic
def test_a_graph_is_shared_by_threads(spark, tables):
    from concurrent.futures import ThreadPoolExecutor

    edges, vertices = tables
    with sparkgap.graph.build(edges, vertices=vertices) as g, ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: sorted(map(tuple, g.degree(threads=1).collect())), range(8)):
            assert found == sorted((i, *d) for i, d in oracle.degree(EDGES, vertices=ISOLATED).items())
