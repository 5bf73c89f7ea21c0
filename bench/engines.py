# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""One engine, one run, in a process of its own: `python bench/engines.py ENGINE ...` prints its figures as one JSON
line.

Every engine starts with the edges in memory and counted (a cached DataFrame, an Arrow table), has run once on a small
graph in the same process, and ends with the result in memory and counted, by original ids.
"""

import argparse
import json
import time
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from sparkgap import processes

KRYO = {"spark.serializer": "org.apache.spark.serializer.KryoSerializer", "spark.kryo.unsafe": "true"}
ENGINES = {
    # name: (engine, settings of the JVM, what is written beside the figure)
    "native": ("native", {"spark.driver.memory": "4g"}, "sparkgap, {ranks} rank x {threads} threads, heap 4 GB"),
    "graphx-g1": (
        "spark",
        {"spark.driver.memory": "12g", "spark.driver.extraJavaOptions": "-XX:+UseG1GC", **KRYO},
        "GraphX staticPageRank, heap 12 GB, G1, Kryo, {threads} partitions",
    ),
    "graphx-parallel": (
        "spark",
        {"spark.driver.memory": "12g", "spark.driver.extraJavaOptions": "-XX:+UseParallelGC", **KRYO},
        "GraphX staticPageRank, heap 12 GB, Parallel, Kryo, {threads} partitions",
    ),
    "networkit": ("networkit", {}, "NetworKit PageRank, tol 0, {threads} threads, graph from COO arrays"),
}
ITERATIONS = 20


def spark_run(engine, settings, args):
    import sparkgap

    # From Spark's own cache: what people have before they cache in the store, where the export is nothing.
    settings = {
        **settings,
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": str(args.threads),
        "spark.sparkgap.store.cache": "false",
    }
    spark = sparkgap.session(f"local[{args.threads}]", conf=settings)
    options = {"max_iterations": ITERATIONS, "engine": engine, "progress": False}
    if engine == "native":
        options |= {"ranks": args.ranks, "threads": max(1, args.threads // args.ranks)}

    def once(graph):
        edges = spark.read.parquet(str(graph)).coalesce(args.threads).cache()
        edges.count()
        cpu, start = processes.cpu_s(), time.monotonic()
        result = sparkgap.graph.pagerank(edges, **options)
        called = time.monotonic()
        result = result.cache()
        rows = result.count()
        end = time.monotonic()
        figures = asdict(sparkgap.last_call())
        figures["phases"]["readback_s"] = end - called
        figures |= {"wall_s": end - start, "cpu_s": processes.cpu_s() - cpu, "rows": rows}
        edges.unpersist()
        return result, figures

    once(args.warm)
    result, figures = once(args.graph)
    figures["jvm_peak_rss_bytes"] = max(processes.peak_rss_bytes(p.pid) for p in processes.tree() if p.name == "java")
    pq.write_table(result.toArrow(), args.out)
    spark.stop()
    return figures


def networkit_run(args):
    import networkit
    import numpy

    networkit.setNumberOfThreads(args.threads)

    def once(graph):
        table = pq.read_table(graph)
        cpu, start = processes.cpu_s(), time.monotonic()
        src, dst = (table[name].to_numpy() for name in ("src", "dst"))
        # Ids of R-MAT are dense enough to be vertex numbers as they are; vertices without edges are left out of the
        # result.
        n = int(max(src.max(), dst.max())) + 1
        net = networkit.graph.GraphFromCoo((src.view(numpy.uint64), dst.view(numpy.uint64)), n=n, directed=True)
        built = time.monotonic()
        rank = networkit.centrality.PageRank(net, damp=0.85, tol=0.0)
        rank.maxIterations = ITERATIONS
        rank.run()
        computed = time.monotonic()
        scores = numpy.asarray(rank.scores())
        touched = numpy.zeros(n, dtype=bool)
        touched[src] = touched[dst] = True
        ids = numpy.flatnonzero(touched)
        scores = scores[ids]
        result = pa.table({"id": ids, "pagerank": scores * (len(ids) / scores.sum())})
        end = time.monotonic()
        phases = {"build_s": built - start, "compute_s": computed - built, "readback_s": end - computed}
        figures = {"wall_s": end - start, "cpu_s": processes.cpu_s() - cpu, "rows": result.num_rows, "phases": phases}
        return result, {**figures, "iterations": rank.numberOfIterations(), "rows_in": len(src)}

    once(args.warm)
    result, figures = once(args.graph)
    figures["peak_rss_bytes"] = processes.peak_rss_bytes()
    pq.write_table(result, args.out)
    return figures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("engine", choices=ENGINES)
    parser.add_argument("--graph", type=Path, required=True)
    parser.add_argument("--warm", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--threads", type=int, required=True)
    args = parser.parse_args()
    engine, settings, _ = ENGINES[args.engine]
    figures = networkit_run(args) if engine == "networkit" else spark_run(engine, settings, args)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
