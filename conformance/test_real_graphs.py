# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Two crawls of the web: counts that NetworKit 11.2.2 and igraph 1.0.0 give too, and levels by a plain search."""

import numpy as np
import pyarrow.parquet as pq
import pytest

import sparkgap

# (file, vertices, weakly connected components, triangles), the last two by NetworKit and by igraph.
GRAPHS = [("web-NotreDame", 325_729, 1, 8_910_005), ("cnr-2000", 325_557, 1, 20_977_629)]


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


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
@pytest.mark.parametrize(("name", "vertices", "components", "triangles"), GRAPHS)
def test_counts(spark, data, name, vertices, components, triangles):
    path = data / "graphs" / f"{name}.parquet"
    table = pq.read_table(path)
    src, dst = (table[column].to_numpy() for column in ("src", "dst"))
    expected = levels(src, dst, vertices, int(src[0]))
    with sparkgap.graph.build(spark.read.parquet(str(path))) as g:
        assert g.n_vertices == vertices
        assert g.components().select("component").distinct().count() == components
        assert g.triangles().agg({"count": "sum"}).first()[0] == 3 * triangles
        for ranks in (1, 2):
            found = g.bfs(int(src[0]), ranks=ranks, threads=1).toArrow().sort_by("id")
            assert np.array_equal(found["level"].fill_null(-1).to_numpy(), expected)
