# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""GraphFrame's methods by what they mean, and how long its native graphs live."""

import gc
import math
import random
from collections import Counter

import oracle
import pytest
from conftest import wait_for
from pyspark import StorageLevel
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, LongType, MapType, StringType

import sparkgap
from sparkgap.errors import ArgumentError
from sparkgap.graph import GraphFrame

only_classic = pytest.mark.parametrize("spark", ["classic"], indirect=True)
# GraphFrames' own example: friends and followers; and one who knows nobody.
PEOPLE = [
    ("a", "Alice", 34),
    ("b", "Bob", 36),
    ("c", "Charlie", 30),
    ("d", "David", 29),
    ("e", "Esther", 32),
    ("f", "Fanny", 36),
    ("g", "Gabby", 60),
]
TIES = [
    ("a", "b", "friend", 1.0), ("b", "c", "follow", 2.0), ("c", "b", "follow", 0.5), ("f", "c", "follow", 1.0),
    ("e", "f", "follow", 4.0), ("e", "d", "friend", 0.25), ("d", "a", "friend", 1.0), ("a", "e", "friend", 1.0),
]  # fmt: skip
EDGES = [(u, v) for u, v, _, _ in TIES]
WEIGHTS = [w for *_, w in TIES]
IDS = [p[0] for p in PEOPLE]
LEVEL = StorageLevel.MEMORY_AND_DISK_DESER


@pytest.fixture
def g(spark):
    v = spark.createDataFrame(PEOPLE, ["id", "name", "age"])
    return GraphFrame(v, spark.createDataFrame(TIES, ["src", "dst", "relationship", "km"]))


def numbered(spark, edges, ids=()):
    """A GraphFrame with int ids and one attribute whose name has a dot."""
    every = sorted({i for e in edges for i in e} | set(ids))
    v = spark.createDataFrame([(i, f"n{i}") for i in every], "id int, `the.name` string")
    return GraphFrame(v, spark.createDataFrame(edges, "src int, dst int"))


def by_id(frame, column):
    """{id: value}; the vertices' own columns must have come along."""
    rows = {r["id"]: r for r in frame.collect()}
    assert all(r["name"] == name and r["age"] == age for i, name, age in PEOPLE for r in [rows[i]])
    assert frame.columns == ["id", "name", "age", column]
    return {i: r[column] for i, r in rows.items()}


def test_pagerank(g):
    found = g.pageRank(resetProbability=0.15, maxIter=10)
    expected = oracle.pagerank(EDGES, vertices=IDS, max_iterations=10)
    assert by_id(found.vertices, "pagerank") == pytest.approx(expected)
    assert sum(expected.values()) == pytest.approx(len(IDS))
    out = Counter(u for u, _ in EDGES)
    assert found.edges.columns == ["src", "dst", "relationship", "km", "weight"]
    assert {(r.src, r.dst): r.weight for r in found.edges.collect()} == {(u, v): 1 / out[u] for u, v in EDGES}
    until = g.pageRank(tol=1e-9)
    assert by_id(until.vertices, "pagerank") == pytest.approx(
        oracle.pagerank(EDGES, vertices=IDS, max_iterations=300), rel=1e-6
    )
    assert sparkgap.last_call().converged
    near = g.pageRank(sourceId="e", maxIter=10, resetProbability=0.3)
    expected = oracle.pagerank(EDGES, vertices=IDS, source_ids=["e"], damping=0.7, max_iterations=10)
    assert by_id(near.vertices, "pagerank") == pytest.approx(expected)
    again = until.pageRank(maxIter=10)
    assert (again.vertices.columns, again.edges.columns) == (found.vertices.columns, found.edges.columns), (
        "replaced, not doubled"
    )


def test_parallel_personalized_pagerank(g):
    sources = ["e", "g", "a"]
    found = g.parallelPersonalizedPageRank(sourceIds=sources, maxIter=10)
    vectors = by_id(found.vertices, "pageranks")
    for at, source in enumerate(sources):
        expected = oracle.pagerank(EDGES, vertices=IDS, source_ids=[source], max_iterations=10)
        assert {i: v[at] for i, v in vectors.items()} == pytest.approx(expected)
    assert "weight" in found.edges.columns


def test_connected_components(g, spark):
    expected = oracle.components(EDGES, vertices=IDS)
    labels = by_id(g.connectedComponents(useLabelsAsComponents=True), "component")
    assert labels == expected
    numbers = g.connectedComponents()
    assert numbers.schema["component"].dataType == LongType()
    assert by_id(numbers, "component") == {i: 0 if name == "a" else 1 for i, name in expected.items()}
    for algorithm in ("two_phase", "randomized_contraction", "graphx", "native"):
        assert by_id(g.connectedComponents(algorithm, useLabelsAsComponents=True), "component") == expected
    edges = [(7, 3), (3, 5), (20, 11)]
    found = numbered(spark, edges).connectedComponents()
    assert [f.dataType for f in found.schema] == [IntegerType(), StringType(), LongType()]
    assert {r["id"]: r["component"] for r in found.collect()} == oracle.components(edges)


def test_strongly_connected_components(g, spark):
    names = oracle.scc(EDGES, vertices=IDS)
    assert len(set(names.values())) == 4 and names["d"] == "a"
    found = g.stronglyConnectedComponents(maxIter=1)
    assert found.schema["component"].dataType == LongType()
    assert by_id(found, "component") == {i: "abfg".index(name) for i, name in names.items()}
    edges = [(7, 3), (3, 7), (3, 5), (20, 11)]
    found = numbered(spark, edges).stronglyConnectedComponents(10)
    assert [f.dataType for f in found.schema] == [IntegerType(), StringType(), LongType()]
    assert {r["id"]: r["component"] for r in found.collect()} == oracle.scc(edges)
    with pytest.raises(
        ArgumentError,
        match=r"^GraphFrame.stronglyConnectedComponents.maxIter: expected a whole number of at least 1, found 0",
    ):
        g.stronglyConnectedComponents(0)


def test_label_propagation(g):
    assert by_id(g.labelPropagation(maxIter=3), "label") == oracle.labelprop(EDGES, vertices=IDS, max_iterations=3)
    assert by_id(g.labelPropagation(0, algorithm="graphframes"), "label") == {i: i for i in IDS}


def test_shortest_paths_lead_to_the_landmarks(g, spark):
    marks = ["a", "d", "g", "a"]
    back = [(v, u) for u, v in EDGES]
    for directed in (True, False):
        hops = {m: oracle.bfs(back, m, vertices=IDS, directed=directed) for m in marks}
        found = by_id(g.shortestPaths(marks, is_directed=directed), "distances")
        assert found == {i: {m: hops[m][i] for m in hops if hops[m][i] is not None} for i in IDS}
    assert by_id(g.shortestPaths(["d"]), "distances")["b"] == {}
    found = numbered(spark, [(1, 2), (2, 3)]).shortestPaths([3])
    assert found.schema["distances"].dataType == MapType(IntegerType(), IntegerType(), True)
    assert {r["id"]: r["distances"] for r in found.collect()} == {1: {3: 2}, 2: {3: 1}, 3: {3: 0}}


def test_triangles_levels_distances_and_clustering(g):
    assert by_id(g.triangleCount(LEVEL), "count") == oracle.triangles(EDGES, vertices=IDS)
    assert by_id(g.triangleCount(LEVEL, "approx", 4), "count")["a"] == 1
    assert by_id(g.k_core(), "kcore") == by_id(g.k_core(4, True, LEVEL), "kcore") == oracle.kcore(EDGES, vertices=IDS)
    assert by_id(g.bfs_levels("a"), "level") == oracle.bfs(EDGES, "a", vertices=IDS)
    assert by_id(g.sssp("a", "km"), "distance") == oracle.sssp(EDGES, WEIGHTS, "a", vertices=IDS)
    assert by_id(g.sssp("a", "km"), "distance")["g"] == math.inf
    assert by_id(g.localClusteringCoefficient(), "lcc") == pytest.approx(oracle.lcc(EDGES, vertices=IDS))


def every_path(edges, starts, ends, most):
    """All paths with the fewest edges, as tuples of edge numbers, by trying all; and the vertices of one with none."""
    if starts & ends:
        return 0, Counter((v,) for v in starts & ends)
    walks = [((), v, {v}) for v in starts]
    for length in range(1, most + 1):
        walks = [
            ((*way, n), v, seen | {v})
            for way, at, seen in walks
            for n, (u, v) in enumerate(edges)
            if u == at and v not in seen
        ]
        found = Counter(way for way, at, _ in walks if at in ends)
        if found:
            return length, found
    return None, Counter()


@only_classic
@pytest.mark.parametrize("seed", range(3))
def test_bfs_gives_all_shortest_paths(spark, seed):
    rng = random.Random(seed)
    edges = [(rng.randrange(9), rng.randrange(9)) for _ in range(14)]
    g = numbered(spark, edges, range(9))
    g = GraphFrame(
        g.vertices, spark.createDataFrame([(u, v, n) for n, (u, v) in enumerate(edges)], "src int, dst int, n int")
    )
    for starts, ends, most, keep in (({0}, {8}, 10, None), ({1, 2}, {7, 8}, 10, None), ({3}, {5}, 2, 7)):
        condition = None if keep is None else f"n != {keep}"
        kept = [e if n != keep else (-1, -1) for n, e in enumerate(edges)]
        length, expected = every_path(kept, starts, ends, most)
        found = g.bfs(
            f"id in ({str(starts)[1:-1]})", f"id in ({str(ends)[1:-1]})", edgeFilter=condition, maxPathLength=most
        )
        if length is None:
            assert (found.columns, found.count()) == (["id", "the.name"], 0)
            continue
        between = [name for i in range(1, length) for name in (f"v{i}", f"e{i}")]
        assert found.columns == ["from", "e0", *between, "to"]
        rows = found.collect()
        assert Counter(tuple(r[f"e{i}"].n for i in range(length)) for r in rows) == expected
        for r in rows:
            stops = [r["from"], *(r[f"v{i}"] for i in range(1, length)), r["to"]]
            ways = [r[f"e{i}"] for i in range(length)]
            assert all(
                (a["id"], b["id"]) == (e.src, e.dst) for a, b, e in zip(stops[:-1], stops[1:], ways, strict=True)
            )
            assert stops[0]["the.name"] == f"n{stops[0]['id']}"


def test_bfs_as_graphframes_documents_it(g):
    row = g.bfs("name = 'Esther'", "age < 32", edgeFilter="relationship != 'friend'").collect()
    assert [(r["from"].id, r.e0.dst, r.v1.name, r.e1.dst, r["to"].id) for r in row] == [("e", "f", "Fanny", "c", "c")]
    found = g.bfs(F.col("name") == "Esther", F.col("age") < 32)
    assert [(r["from"].id, r["to"].id) for r in found.collect()] == [("e", "d")]
    here = g.bfs("age > 33", "name = 'Bob'")
    assert (here.columns, [r["to"].id for r in here.collect()]) == (["from", "to"], ["b"])
    for nothing in (
        g.bfs("id = 'g'", "id = 'a'"),
        g.bfs("id = 'x'", "id = 'a'"),
        g.bfs("id = 'a'", "id = 'c'", maxPathLength=1),
    ):
        assert (nothing.columns, nothing.count()) == (["id", "name", "age"], 0)


def test_degrees_and_tables(g):
    degrees = oracle.degree([*EDGES])
    assert {tuple(r) for r in g.inDegrees.collect()} == {(i, d[0]) for i, d in degrees.items() if d[0]}
    assert {tuple(r) for r in g.outDegrees.collect()} == {(i, d[1]) for i, d in degrees.items() if d[1]}
    assert {tuple(r) for r in g.degrees.collect()} == {(i, d[2]) for i, d in degrees.items()}
    assert [f.columns for f in (g.inDegrees, g.outDegrees, g.degrees)] == [
        ["id", "inDegree"],
        ["id", "outDegree"],
        ["id", "degree"],
    ]
    rows = g.triplets.collect()
    assert {(r.src.name, r.edge.relationship, r.dst.age) for r in rows} >= {
        ("Alice", "friend", 36),
        ("David", "friend", 34),
    }
    assert len(rows) == len(TIES)
    young = g.filterVertices("age < 35")
    assert {r.id for r in young.vertices.collect()} == {"a", "c", "d", "e"}
    assert young.edges.columns == g.edges.columns
    assert {(r.src, r.dst) for r in young.edges.collect()} == {("e", "d"), ("d", "a"), ("a", "e")}
    assert g.filterEdges(F.col("relationship") == "friend").edges.count() == 4
    assert {r.id for r in g.dropIsolatedVertices().vertices.collect()} == set("abcdef")
    assert {(r.src, r.dst, r.km) for r in g.as_reversed().edges.collect()} == {(v, u, w) for u, v, _, w in TIES}
    assert g.as_undirected().edges.count() == 2 * len(TIES)
    assert GraphFrame(g).vertices is g.vertices


def test_ids_that_only_edges_have_are_vertices(spark):
    v = spark.createDataFrame([(1, "one"), (5, "five")], "id bigint, name string")
    found = GraphFrame(v, spark.createDataFrame([(1, 2)], "src bigint, dst bigint")).connectedComponents()
    assert sorted(map(tuple, found.collect())) == [(1, "one", 1), (2, None, 1), (5, "five", 5)]


def graphs(spark):
    """This application's graphs: published ones come and go as other applications please."""
    names = [r["name"] for r in spark.sql("CALL sparkgap.graph.graphs()").collect()]
    return [name for name in names if not name.startswith("published.")]


def test_the_native_graph_lives_as_long_as_it_is_needed(spark, g):
    before = graphs(spark)
    assert g.cache() is g and g.persist(LEVEL) is g
    assert graphs(spark) == before, "nothing is built before it is asked for"
    ranks = g.pageRank(maxIter=2)
    g.connectedComponents(useLabelsAsComponents=True)
    g.bfs_levels("a")
    assert len(graphs(spark)) == len(before) + 1, "built once"
    g.shortestPaths(["a"])
    assert len(graphs(spark)) == len(before) + 2, "and once the other way round"
    assert g.unpersist() is g
    assert graphs(spark) == before
    assert not g.vertices.storageLevel.useMemory
    assert ranks.vertices.count() == len(IDS), "results outlive the graph"
    levels = g.bfs_levels("a")
    assert len(graphs(spark)) == len(before) + 1, "built anew"
    other = GraphFrame(g.vertices, g.edges)
    other.bfs_levels("a")
    del other
    gc.collect()
    wait_for("the graph of a GraphFrame that is gone to be dropped", lambda: len(graphs(spark)) == len(before) + 1)
    assert levels.count() == len(IDS)
    g.unpersist()
    assert graphs(spark) == before
