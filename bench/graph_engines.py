# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Graph algorithms by sparkgap or by GraphX in a process of its own: prints JSON lines {algorithm: figures}, each as it
is known.

Both start with the edges (src, dst, weight) cached and counted, and have run each algorithm on a small graph before,
for as many seconds: a JVM that has just started computes on one core and compiles itself on another. Wall and CPU
seconds end with the result in the store's memory, GraphX's too, and counted, by original ids. What has no end in time
ends the process by SIGALRM.
"""

import argparse
import contextlib
import json
import signal
import statistics
import time
from dataclasses import asdict
from pathlib import Path

import pyarrow.parquet as pq
from engines import KRYO

from sparkgap import processes, spec

OPTIONS = {"pagerank": {"max_iterations": 20}, "labelprop": {"max_iterations": 10, "variant": "ldbc"}}
WEIGHTED = ("sssp",)  # the others count edges
WARM_S = 5  # of runs of each algorithm on the small graph, at least one
WITHOUT_SPARK = ("scc", "kcore")  # GraphX needs searches of its own for each component, and has no core numbers
ALGORITHMS = [
    name for name in spec.names() if any(i.stored_graph for i in spec.load(name).inputs) and name not in WITHOUT_SPARK
]


def weights(src, dst):
    """1 to 255, for edges that have none: numbers, arrays and columns alike."""
    return 1 + (src * 7919 + dst * 104729) % 255


def timed(body, *arguments, **more):
    """What a call gives, and its wall and CPU seconds."""
    cpu, start = processes.cpu_s(), time.monotonic()
    result = body(*arguments, **more)
    return result, {"wall_s": time.monotonic() - start, "cpu_s": processes.cpu_s() - cpu}


@contextlib.contextmanager
def deadline(seconds):
    """What takes longer inside ends the process, whatever it is waiting for."""
    signal.alarm(seconds)
    yield
    signal.alarm(0)


def spark_session(engine, threads):
    import sparkgap

    settings = {"spark.driver.memory": "4g"} if engine == "native" else {"spark.driver.memory": "12g", **KRYO}
    # The best for GraphX, and for both the same. G1 marks its heap during the calls after the edges were cached.
    settings |= {"spark.driver.extraJavaOptions": "-XX:+UseParallelGC"}
    # From Spark's own cache: what people have before they cache in the store, where the export is nothing.
    settings |= {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": str(threads),
        "spark.sparkgap.store.cache": "false",
    }
    return sparkgap.session(f"local[{threads}]", conf=settings)


def cached_edges(spark, path, threads):
    edges = spark.read.parquet(str(path))
    if "weight" not in edges.columns:
        edges = edges.withColumn("weight", weights(edges.src, edges.dst))
    edges = (edges.coalesce if path.is_dir() else edges.repartition)(threads).cache()
    edges.count()
    return edges


def hub(edges):
    """The vertex that most edges leave: much can be reached from it."""
    return edges.groupBy("src").count().orderBy("count", "src", ascending=[False, True]).first().src


def call(name, source, origin, weighted, **more):
    """One algorithm, its result in the store, whose memory is its cache, and counted."""
    import sparkgap

    own = dict(OPTIONS.get(name, {}))
    own |= {p.name: source for p in spec.load(name).parameters if p.required}
    if name in WEIGHTED and weighted:
        own["weight"] = "weight"
    result = getattr(sparkgap.graph, name)(origin, progress=False, **own, **more)
    result.count()
    return result


def from_table(args, edges, source, say, out):
    import sparkgap

    for name in args.algorithms:
        with deadline(args.timeout):
            try:
                result, figures = timed(call, name, source, edges, True, engine=args.engine)
            except sparkgap.ArgumentError as e:  # Spark has no such algorithm
                say(name, {"failed": str(e)})
                continue
        say(name, {**figures, "call": asdict(sparkgap.last_call()), "rows": result.count()})
        if out:
            pq.write_table(result.toArrow(), out / f"{args.engine}-{name}.parquet")
        result.sparkSession.sql(f"DROP TABLE {result.sparkgap.table}")


def on_graph(args, edges, source, say):
    import sparkgap

    with deadline(args.timeout):
        graph, figures = timed(sparkgap.graph.build, edges, weight="weight", progress=False)
        plain, plain_figures = timed(sparkgap.graph.build, edges, progress=False)
    say("build", {**figures, "call": asdict(graph.call), "plain": {**plain_figures, "call": asdict(plain.call)}})
    plain.drop()
    for name in args.algorithms:
        runs = []
        for _ in range(3):
            with deadline(args.timeout):
                result, figures = timed(call, name, source, graph, False)
            result.sparkSession.sql(f"DROP TABLE {result.sparkgap.table}")
            runs.append({**figures, **asdict(sparkgap.last_call())["phases"]})
        say(name, {"on_graph": {k: statistics.median(r[k] for r in runs) for k in runs[0]}})
    graph.drop()


def once(args, spark, path, say, out):
    """Every algorithm on the graph of that file."""
    edges = cached_edges(spark, path, args.threads)
    source = hub(edges)
    from_table(args, edges, source, say, out)
    if args.engine == "native":
        on_graph(args, edges, source, say)
    edges.unpersist()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("engine", choices=("native", "spark"))
    parser.add_argument("--graph", type=Path, required=True)
    parser.add_argument("--warm", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--algorithms", required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--timeout", type=int, required=True, help="seconds for each call")
    args = parser.parse_args()
    args.algorithms = args.algorithms.split(",")
    spark = spark_session(args.engine, args.threads)
    until = time.monotonic() + WARM_S * len(args.algorithms)
    while True:
        once(args, spark, args.warm, lambda name, figures: None, None)
        if time.monotonic() >= until:
            break
    once(args, spark, args.graph, lambda name, figures: print(json.dumps({name: figures}), flush=True), args.out)
    spark.stop()


if __name__ == "__main__":
    main()
