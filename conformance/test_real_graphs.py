# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Two crawls of the web: counts that NetworKit 11.2.2 and igraph 1.0.0 give too; levels, distances and labels by plain
numpy.
"""

import numpy as np
import pyarrow.parquet as pq
import pytest

import sparkgap

# (file, vertices, weakly connected components, triangles, strongly connected components and vertices of the largest),
# from the third on by NetworKit and by igraph.
GRAPHS = [
    ("web-NotreDame", 325_729, 1, 8_910_005, 203_609, 53_968),
    ("cnr-2000", 325_557, 1, 20_977_629, 100_977, 112_023),
]

# (file, largest core number, sum of core numbers), by NetworKit and by igraph.
CORES = [("web-NotreDame", 155, 1_408_285), ("cnr-2000", 83, 3_022_174)]


def levels(src, dst, n, source):
    """Hops from the source, round by round over all edges that leave the last round's vertices."""
    order = np.argsort(src, kind="stable")
    starts, ends = np.searchsorted(src[order], np.arange(n + 1)), dst[order]
    found = np.full(n, -1)
    frontier, depth = np.array([source]), 0
    while len(frontier):
        found[frontier] = depth
        reached = np.unique(np.concatenate([ends[starts[v] : starts[v + 1]] for v in frontier]))
        frontier, depth = reached[found[reached] < 0], depth + 1
    return found


def groups(keys):
    """Of sorted keys: where each one's entries begin, and the keys without repeats."""
    starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    return starts, keys[starts]


def distances(src, dst, weight, n, source):
    """Each round every vertex asks all that have an edge to it, until nobody hears of a shorter way."""
    order = np.argsort(dst, kind="stable")
    starts, asking = groups(dst[order])
    src, weight = src[order], weight[order]
    found = np.full(n, np.inf)
    found[source] = 0
    while True:
        nearer = np.minimum(found[asking], np.minimum.reduceat(found[src] + weight, starts))
        if np.array_equal(nearer, found[asking]):
            return found
        found[asking] = nearer


def labels(src, dst, n, iterations):
    """All votes as one sorted list of (vertex, label): both ends of every edge vote, the smallest of the most frequent
    wins.
    """
    to, by = np.concatenate([src, dst]), np.concatenate([dst, src])
    found = np.arange(n)
    for _ in range(iterations):
        ballots, counts = np.unique(to * n + found[by], return_counts=True)
        starts, voters = groups(ballots // n)
        most = np.repeat(np.maximum.reduceat(counts, starts), np.diff(np.r_[starts, len(ballots)]))
        first, voters = groups((ballots // n)[counts == most])
        found[voters] = (ballots % n)[counts == most][first]
    return found


def read(path):
    table = pq.read_table(path)
    return (table[column].to_numpy() for column in ("src", "dst"))


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
@pytest.mark.parametrize(("name", "vertices", "components", "triangles", "strong", "largest"), GRAPHS)
def test_counts(spark, data, name, vertices, components, triangles, strong, largest):
    path = data / "graphs" / f"{name}.parquet"
    src, dst = read(path)
    expected = levels(src, dst, vertices, int(src[0]))
    with sparkgap.graph.build(spark.read.parquet(str(path))) as g:
        assert g.n_vertices == vertices
        assert g.components().select("component").distinct().count() == components
        assert g.triangles().agg({"count": "sum"}).first()[0] == 3 * triangles
        for ranks in (1, 2):
            sizes = g.scc(ranks=ranks, threads=1).groupBy("component").count()
            assert (sizes.count(), sizes.agg({"count": "max"}).first()[0]) == (strong, largest)
            found = g.bfs(int(src[0]), ranks=ranks, threads=1).toArrow().sort_by("id")
            assert np.array_equal(found["level"].fill_null(-1).to_numpy(), expected)


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
@pytest.mark.parametrize(("name", "largest", "total"), CORES)
def test_cores(spark, data, name, largest, total):
    with sparkgap.graph.build(spark.read.parquet(str(data / "graphs" / f"{name}.parquet"))) as g:
        for ranks in (1, 2):
            found = g.kcore(ranks=ranks, threads=1).selectExpr("max(core)", "sum(core)").first()
            assert tuple(found) == (largest, total)


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
@pytest.mark.parametrize(("name", "vertices"), [graph[:2] for graph in GRAPHS])
def test_shortest_paths_from_a_cached_table(spark, data, name, vertices):
    path = data / "graphs" / f"{name}.parquet"
    src, dst = read(path)
    expected = distances(src, dst, 1 + (src * 7919 + dst * 104729) % 255, vertices, int(src[0]))
    edges = spark.read.parquet(str(path)).selectExpr("*", "1 + (src * 7919 + dst * 104729) % 255 weight").cache()
    for ranks in (1, 2):
        found = sparkgap.graph.sssp(edges, int(src[0]), weight="weight", ranks=ranks, threads=1).toArrow().sort_by("id")
        assert np.array_equal(found["distance"].to_numpy(), expected)
    edges.unpersist()


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
@pytest.mark.parametrize(("name", "vertices"), [graph[:2] for graph in GRAPHS])
def test_communities(spark, data, name, vertices):
    path = data / "graphs" / f"{name}.parquet"
    expected = labels(*read(path), vertices, iterations=5)
    with sparkgap.graph.build(spark.read.parquet(str(path))) as g:
        for ranks in (1, 2):
            found = g.labelprop(max_iterations=5, variant="ldbc", ranks=ranks, threads=1).toArrow().sort_by("id")
            assert np.array_equal(found["label"].to_numpy(), expected)
