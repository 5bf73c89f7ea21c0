# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Graph algorithms by one engine in a process of its own: prints one JSON line {algorithm: figures}.

Every engine starts with the edges (src, dst, weight) in memory and counted and has run each algorithm once on a small graph.
Wall and CPU seconds end with the result in memory and counted, by original ids.
"""

import argparse
import json
import statistics
import time
from dataclasses import asdict
from pathlib import Path

import pyarrow.parquet as pq
from engines import KRYO

from sparkgap import processes

WEIGHT = "1 + (src * 7919 + dst * 104729) % 255"
OPTIONS = {"pagerank": {"max_iterations": 20}, "labelprop": {"max_iterations": 10, "variant": "ldbc"}}
ALGORITHMS = ("pagerank", "bfs", "sssp", "components", "labelprop", "lcc", "triangles")


def timed(body, *arguments, **more):
    """What a call gives, and its wall and CPU seconds."""
    cpu, start = processes.cpu_s(), time.monotonic()
    result = body(*arguments, **more)
    return result, {"wall_s": time.monotonic() - start, "cpu_s": processes.cpu_s() - cpu}


def spark_session(engine, threads):
    import sparkgap

    settings = {"spark.driver.memory": "4g"} if engine == "native" else {"spark.driver.memory": "12g", "spark.driver.extraJavaOptions": "-XX:+UseParallelGC", **KRYO}
    return sparkgap.session(f"local[{threads}]", conf={**settings, "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": str(threads)})


def cached_edges(spark, path, threads):
    from pyspark.sql.functions import expr

    edges = spark.read.parquet(str(path)).withColumn("weight", expr(WEIGHT)).coalesce(threads).cache()
    edges.count()
    return edges


def hub(edges):
    """The vertex that most edges leave: everything that can be reached is reached from it."""
    return edges.groupBy("src").count().orderBy("count", "src", ascending=[False, True]).first().src


def call(name, source, origin, weighted, **more):
    """One algorithm, its result cached and counted."""
    import sparkgap

    own = dict(OPTIONS.get(name, {}))
    if name in ("bfs", "sssp"):
        own["source"] = source
    if name == "sssp" and weighted:
        own["weight"] = "weight"
    result = getattr(sparkgap.graph, name)(origin, progress=False, **own, **more)
    result = result.cache()
    result.count()
    return result


def spark_run(engine, args):
    import sparkgap

    spark = spark_session(engine, args.threads)
    found = {}
    for path in (args.warm, args.graph):
        edges = cached_edges(spark, path, args.threads)
        source = hub(edges)
        for name in args.algorithms:
            result, figures = timed(call, name, source, edges, True, engine=engine)
            found[name] = {**figures, "call": asdict(sparkgap.last_call()), "rows": result.count()}
            keep(result, args, name)
            result.unpersist()
        if engine == "native":
            graph, figures = timed(sparkgap.graph.build, edges, weight="weight", progress=False)
            found["build"] = {**figures, "call": asdict(graph.call)}
            plain, figures = timed(sparkgap.graph.build, edges, progress=False)
            found["build"] |= {"plain": {**figures, "call": asdict(plain.call)}}
            plain.drop()
            for name in args.algorithms:
                runs = []
                for _ in range(3):
                    result, figures = timed(call, name, source, graph, False)
                    result.unpersist()
                    runs.append({**figures, **asdict(sparkgap.last_call())["phases"]})
                found[name]["on_graph"] = {k: statistics.median(r[k] for r in runs) for k in runs[0]}
            graph.drop()
        edges.unpersist()
    spark.stop()
    return found


def networkit_run(args):
    import networkit as nk

    nk.setNumberOfThreads(args.threads)
    networkit_once(args.warm, args.algorithms)
    return networkit_once(args.graph, args.algorithms)


def networkit_once(path, algorithms):
    import networkit as nk
    import numpy

    table = pq.read_table(path)
    src, dst = (table[name].to_numpy() for name in ("src", "dst"))
    weight = (1 + (src * 7919 + dst * 104729) % 255).astype(numpy.float64)
    n = int(max(src.max(), dst.max())) + 1
    ids = (src.view(numpy.uint64), dst.view(numpy.uint64))
    source = int(numpy.bincount(src, minlength=n).argmax())
    directed, built = timed(nk.graph.GraphFromCoo, ids, n=n, directed=True)
    weighted = nk.graph.GraphFromCoo((weight, ids), n=n, weighted=True, directed=True)

    def pagerank():
        rank = nk.centrality.PageRank(directed, damp=0.85, tol=0.0)
        rank.maxIterations = 20
        return rank

    def simple():
        """What PLP and triangles want: no direction, no loops, no duplicates."""
        graph = nk.graphtools.toUndirected(directed)
        graph.removeSelfLoops()
        graph.removeMultiEdges()
        graph.indexEdges()
        return graph

    prepare = {
        "pagerank": pagerank,
        "bfs": lambda: nk.distance.BFS(directed, source, storePaths=False),
        "sssp": lambda: nk.distance.Dijkstra(weighted, source, storePaths=False),
        "components": lambda: nk.components.WeaklyConnectedComponents(directed),
        "labelprop": lambda: nk.community.PLP(simple(), maxIterations=10),
        "lcc": lambda: nk.centrality.LocalClusteringCoefficient(simple(), turbo=True),
        "triangles": lambda: nk.sparsification.TriangleEdgeScore(simple()),
    }
    return {name: {**timed(prepare[name]().run)[1], "build_s": built["wall_s"]} for name in algorithms}


def keep(result, args, name):
    """The result beside others', for the comparison."""
    if args.out:
        pq.write_table(result.toArrow(), args.out / f"{args.engine}-{name}.parquet")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("engine", choices=("native", "spark", "networkit"))
    parser.add_argument("--graph", type=Path, required=True)
    parser.add_argument("--warm", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--algorithms", required=True)
    parser.add_argument("--threads", type=int, required=True)
    args = parser.parse_args()
    args.algorithms = args.algorithms.split(",")
    found = networkit_run(args) if args.engine == "networkit" else spark_run(args.engine, args)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
