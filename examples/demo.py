# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make demo`: PageRank by Spark's GraphX and by sparkgap on the same cached edges, compared vertex by vertex.

Both run once on a small graph first, in the same JVM. Seconds go from a cached, counted DataFrame to a cached, counted
result.
"""

import argparse
import sys
import time
from pathlib import Path

from rich.console import Console

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "conformance"))

from match import compare

import sparkgap
from sparkgap import call_table, environment, processes, spec
from sparkgap.cli.spark import spark_output_aside
from sparkgap.errors import DataError, SparkGapError, surface
from sparkgap.files import inputs
from sparkgap.files.text_options import TextOptions

ITERATIONS = 20
EPSILON = 1e-6
TOP = 10


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--input", type=Path, help="a graph of yours: Parquet, CSV or an edge list; R-MAT otherwise")
    parser.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        help="whether its first line names the columns, where that has two readings",
    )
    parser.add_argument("--delimiter", help="what stands between its values: one character, tab or blank")
    parser.add_argument(
        "--types", action="append", default=[], metavar="COLUMN=TYPE", help="bigint, double or string for a column"
    )
    parser.add_argument("--scale", type=int, default=18, help="R-MAT: log2 of the number of vertices")
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--threads", type=int)
    return parser.parse_args()


def step(console, text):
    """Say what begins; the seconds follow in the next line."""
    console.print(f"[{time.monotonic() - STARTED:5.1f} s] {text}", markup=False, highlight=False)


def graph(spark, args):
    if args.input is None:
        return sparkgap.graph.rmat(scale=args.scale, edge_factor=16, spark=spark), f"R-MAT scale {args.scale}"
    names = spec.load("pagerank").columns_of("edges", {})
    how = TextOptions.of(args.header, args.delimiter, args.types)
    frame = inputs.read(spark, args.input, names, what="edges", needed=["src", "dst"], how=how)
    if not {"src", "dst"} <= set(frame.columns):
        raise DataError.of("edges", "columns src and dst", ", ".join(frame.columns), "Rename them.")
    return frame.select("src", "dst"), str(args.input)


def timed(edges, **options):
    """The cached, counted result with the wall and CPU seconds that it took."""
    cpu, start = processes.cpu_s(), time.monotonic()
    ranks = sparkgap.graph.pagerank(edges, max_iterations=ITERATIONS, **options).cache()
    ranks.count()
    return ranks, time.monotonic() - start, processes.cpu_s() - cpu


def demo(args, console):
    cores = environment.cores()
    threads = args.threads or max(1, cores // args.ranks)
    heap = min(environment.memory_bytes() // 2, 12 << 30) >> 20
    step(console, f"starting Spark {environment.pyspark_version()} with {cores} cores")
    spark = sparkgap.session(
        "local[*]", app_name="sparkgap demo", conf={"spark.driver.memory": f"{heap}m", "spark.ui.enabled": "false"}
    )
    try:
        step(console, "making the graph" if args.input is None else f"reading {args.input}")
        edges, name = graph(spark, args)
        edges = edges.repartition(cores).cache()
        n_edges = edges.count()
        step(console, f"{name}: {n_edges:,} edges, cached and counted; warming both up on a small graph")
        small = sparkgap.graph.rmat(scale=8, spark=spark, progress=False).cache()
        for engine in ("spark", "native"):
            timed(small, engine=engine, progress=False)
        step(console, f"Spark's GraphX, {ITERATIONS} iterations")
        theirs, their_wall, their_cpu = timed(edges, engine="spark")
        step(console, f"sparkgap, {ITERATIONS} iterations, {args.ranks} x {threads}")
        ours, our_wall, our_cpu = timed(edges, ranks=args.ranks, threads=threads)
        call = sparkgap.last_call()
        call.phases["readback_s"] = our_wall - call.total_s
        call.total_s = our_wall
        step(console, "comparing vertex by vertex")
        match = compare(ours, theirs, rule="epsilon", epsilon=EPSILON)
        rows = [tuple(row) for row in ours.orderBy("pagerank", "id", ascending=[False, True]).limit(TOP).collect()]
        console.print()
        console.print(call_table.row_table(("id", "pagerank"), rows, title=f"top {len(rows)} of {match.rows:,}"))
        console.print(call.as_table())
        sides = [
            ("GraphX", their_wall, their_cpu),
            ("sparkgap", our_wall, our_cpu),
            ("ratio", their_wall / our_wall, their_cpu / our_cpu),
        ]
        console.print(
            call_table.row_table(
                ("", "wall s", "CPU s"), [(n, f"{w:.2f}", f"{c:.2f}") for n, w, c in sides], title="side by side"
            )
        )
        if not match.ok:
            raise DataError.of("demo", f"equal ranks within {EPSILON:g}", match.why, "Please report this.")
        console.print(
            f"{match.rows:,} vertices agree; the largest relative difference is {match.worst:.1e}.", highlight=False
        )
    finally:
        spark.stop()


def main():
    args = arguments()
    before = surface.set("cli")
    try:
        with spark_output_aside():
            demo(args, Console(width=None if sys.stdout.isatty() else 120, file=sys.stdout))
    except SparkGapError as e:
        print(e, file=sys.stderr)
        return e.code
    finally:
        surface.reset(before)
    return 0


STARTED = time.monotonic()
if __name__ == "__main__":
    sys.exit(main())
