# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""One algorithm by NetworKit or igraph in a process of its own: prints {algorithm: figures} as one JSON line.

Only the call itself is timed, on a graph that is ready; the build of that graph is a figure of its own. Where an
algorithm wants no direction, the graph is made simple beforehand and nobody's time. Ids are vertex numbers: they should
be dense.

NetworKit's toUndirected() is not used: on a graph with loops or arcs both ways it leaves a wrong edge count behind
(11.2.2), edge ids then run past the end of the arrays that are sized by it, and clustering and triangles end in a
segmentation fault or a double free.
"""

import argparse
import functools
import json
import signal
import sys
from pathlib import Path

import numpy as np
import pyarrow.csv
import pyarrow.parquet as pq
from graph_engines import timed, weights

from sparkgap import processes


class Edges:
    """A table of edges as peers want it, of a Parquet or CSV file."""

    def __init__(self, path):
        self._table = (pyarrow.csv.read_csv if Path(path).suffix == ".csv" else pq.read_table)(path)
        self.src, self.dst = (self._table[name].to_numpy() for name in ("src", "dst"))
        self.n = int(max(self.src.max(), self.dst.max())) + 1

    @functools.cached_property
    def weight(self):
        given = "weight" in self._table.column_names
        return (self._table["weight"].to_numpy() if given else weights(self.src, self.dst)).astype(np.float64)

    @functools.cached_property
    def source(self):
        return int(np.bincount(self.src, minlength=self.n).argmax())

    @functools.cached_property
    def touched(self):
        """Whether it has an edge: a vertex number without any is none of our vertices."""
        found = np.zeros(self.n, dtype=bool)
        found[self.src] = found[self.dst] = True
        return found

    def simple(self):
        """Each pair that an edge joins once, without loops: (smaller ends, larger ends)."""
        ends = np.minimum(self.src, self.dst) * self.n + np.maximum(self.src, self.dst)
        ends = np.unique(ends[self.src != self.dst])
        return ends // self.n, ends % self.n


def missing(library, name):
    """Ends the process, whose last words the table shows."""
    sys.exit(f"{library} has no {name}")


def networkit(name, edges, threads):
    """(what to time, seconds of the build, its values by vertex)."""
    import networkit as nk

    nk.setNumberOfThreads(threads)
    graphs = []  # an algorithm does not keep the graph that it works on

    def graph(src, dst, weight=None, directed=True):
        ids = (src.astype(np.uint64, copy=False), dst.astype(np.uint64, copy=False))
        graphs.append(
            nk.graph.GraphFromCoo(
                ids if weight is None else (weight, ids), n=edges.n, weighted=weight is not None, directed=directed
            )
        )
        return graphs[-1]

    def simple():
        made = graph(*edges.simple(), directed=False)
        made.indexEdges()
        return made

    def pagerank():
        rank = nk.centrality.PageRank(directed, damp=0.85, tol=0.0)
        rank.maxIterations = 20
        return rank

    directed, built = timed(graph, edges.src, edges.dst, edges.weight if name == "sssp" else None)
    make, read = {
        "pagerank": (pagerank, lambda run: run.scores()),
        "bfs": (
            lambda: nk.distance.BFS(directed, edges.source, storePaths=False),
            lambda run: run.getDistances(asarray=True),
        ),
        "sssp": (
            lambda: nk.distance.Dijkstra(directed, edges.source, storePaths=False),
            lambda run: run.getDistances(asarray=True),
        ),
        "components": (
            lambda: nk.components.WeaklyConnectedComponents(directed),
            lambda run: run.getPartition().getVector(),
        ),
        "scc": (
            lambda: nk.components.StronglyConnectedComponents(directed),
            lambda run: run.getPartition().getVector(),
        ),
        "kcore": (lambda: nk.centrality.CoreDecomposition(simple()), lambda run: run.scores()),
        "labelprop": (lambda: nk.community.PLP(simple(), maxIterations=10), lambda run: run.getPartition().getVector()),
        "lcc": (lambda: nk.centrality.LocalClusteringCoefficient(simple(), turbo=True), lambda run: run.scores()),
        # Each triangle at its three edges, as ours at its three corners.
        "triangles": (lambda: nk.sparsification.TriangleEdgeScore(simple()), lambda run: [sum(run.scores())]),
    }.get(name) or missing("NetworKit", name)
    run = make()
    return run.run, built["wall_s"], lambda _, graphs=graphs: read(run)


def igraph(name, edges, threads):
    """As networkit(); igraph computes on one thread."""
    import igraph as ig

    def graph(src, dst, directed=True):
        made = ig.Graph(n=edges.n, directed=directed)
        made.add_edges(np.column_stack([src, dst]))  # in half the time that the constructor takes
        return made

    made, built = timed(graph, edges.src, edges.dst)
    weight = edges.weight.tolist() if name == "sssp" else None
    if name in ("kcore", "labelprop", "lcc", "triangles"):
        made = graph(*edges.simple(), directed=False)
    run = {
        "pagerank": lambda: made.pagerank(damping=0.85),
        "bfs": lambda: made.distances(source=[edges.source], mode="out"),
        "sssp": lambda: made.distances(source=[edges.source], weights=weight, mode="out"),
        "components": lambda: made.connected_components(mode="weak"),
        "scc": lambda: made.connected_components(mode="strong"),
        "kcore": lambda: made.coreness(),
        "labelprop": lambda: made.community_label_propagation(),
        "lcc": lambda: made.transitivity_local_undirected(mode="zero"),
        "triangles": lambda: made.transitivity_local_undirected(
            mode="zero"
        ),  # it has no count by vertex; this contains one
    }.get(name) or missing("igraph", name)

    def read(result):
        if name in ("bfs", "sssp"):
            return result[0]
        if name in ("components", "scc", "labelprop"):
            return result.membership
        if name == "triangles":
            degree = np.array(made.degree(), dtype=np.float64)
            return np.rint(np.array(result) * degree * (degree - 1) / 2)
        return result

    return run, built["wall_s"], read


def digest(name, values):
    """A few numbers that two right results share, None where definitions differ too much. Integers or one relative
    share.
    """
    values = np.asarray(values)
    if name in ("bfs", "sssp"):
        reached = values[(values >= 0) & (values < 1e300)]
        return [len(reached), float(reached.sum())]
    if name in ("components", "scc"):
        return [len(np.unique(values))]
    if name == "kcore":
        return [int(values.max()), int(values.sum())]
    if name == "triangles":
        return [int(values.sum()) // 3]
    if name == "pagerank":
        return [float(values.max() / values.sum())]
    return None


def once(engine, name, edges, threads):
    prepared, build_s, read = {"networkit": networkit, "igraph": igraph}[engine](name, edges, threads)
    result, figures = timed(prepared)
    values = np.asarray(read(result))
    # igraph's PageRank is the limit, ours and NetworKit's what 20 iterations give.
    comparable = (engine, name) != ("igraph", "pagerank")
    found = digest(name, values[edges.touched] if len(values) == edges.n else values) if comparable else None
    return {**figures, "build_s": build_s, "digest": found, "peak_rss_bytes": processes.peak_rss_bytes()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("engine", choices=("networkit", "igraph"))
    parser.add_argument("--graph", type=Path, required=True)
    parser.add_argument("--warm", type=Path, required=True)
    parser.add_argument("--algorithms", required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--timeout", type=int, required=True, help="seconds for build and algorithm")
    args = parser.parse_args()
    once(args.engine, args.algorithms, Edges(args.warm), args.threads)
    edges = Edges(args.graph)
    signal.alarm(args.timeout)  # ends the process even within a call that never looks at Python
    figures = once(args.engine, args.algorithms, edges, args.threads)
    signal.alarm(0)
    print(json.dumps({args.algorithms: figures}), flush=True)


if __name__ == "__main__":
    main()
