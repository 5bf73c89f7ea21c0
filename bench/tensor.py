# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make bench-tensor`: the CP decomposition from a cached DataFrame to the model, beside one by Spark alone
(sparkgap.lab.workloads.spark_cpd).

10 M entries in 200,000 x 50,000 x 100,000 keys after Zipf's law, rank 10, five iterations; each cell in a fresh
process, rounds interleaved. Writes bench/results/tensor.{json,md}.
"""

import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import machine
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import results

ROOT = Path(__file__).resolve().parent.parent
ENGINES = ("native", "spark")
MODES, SIZES, RANK = ["i", "j", "k"], (200_000, 50_000, 100_000), 10
BUDGET, BUILD_S, ITERATIONS_S = 10, 1.0, 1.5  # times faster than Spark; the kernel alone, 2 threads
WARM = 2000
TIMEOUT_S = 900


def write(path, entries):
    """The entries, where they are not there yet."""
    if path.exists():
        return
    random = np.random.default_rng(17)
    columns = {}
    for name, size in zip(MODES, SIZES, strict=True):
        weight = np.cumsum(np.arange(1, size + 1) ** -0.7)
        columns[name] = np.minimum(np.searchsorted(weight / weight[-1], random.random(entries)), size - 1)
    columns["value"] = random.random(entries) + 0.5
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)


def run(engine, data, args):
    """One engine in this process, on a cached table; both have run on a small one first."""
    import sparkgap
    from sparkgap.lab.workloads.spark_cpd import cpd

    own = (
        {"spark.driver.memory": "4g"}
        if engine == "native"
        else {
            "spark.driver.memory": "12g",
            "spark.driver.extraJavaOptions": "-XX:+UseParallelGC",
            "spark.sparkgap.store.cache": "false",
        }
    )
    spark = sparkgap.session(
        f"local[{args.threads}]", conf={**own, "spark.ui.enabled": "false", "spark.driver.maxResultSize": "4g"}
    )

    def decompose(table):
        """The model and its fit."""
        if engine == "native":
            model = sparkgap.tensor.CPD(rank=RANK, modes=MODES, maxIter=args.iterations, tol=0.0).fit(table)
            return model, model.fit
        factors, _, fits = cpd(table, MODES, "value", rank=RANK, iterations=args.iterations)
        return factors, fits[-1]

    table = spark.read.parquet(str(data)).coalesce(args.threads)
    decompose(table.limit(WARM))
    table = table.cache()
    rows = table.count()
    start = time.monotonic()
    model, fit = decompose(table)
    figures = {"wall_s": time.monotonic() - start, "rows": rows, "fit": fit}
    if engine == "native":
        figures["call"] = asdict(sparkgap.last_call())
        start = time.monotonic()
        for name in MODES:
            model.factors[name].toArrow()
        figures["factors_s"] = time.monotonic() - start
    spark.stop()
    print(json.dumps(figures))


def child(engine, data, args):
    """The same in a process of its own."""
    words = [
        sys.executable,
        __file__,
        "--engine",
        engine,
        "--entries",
        args.entries,
        "--iterations",
        args.iterations,
        "--threads",
        args.threads,
    ]
    done = subprocess.run(
        [str(w) for w in words],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        env={**os.environ, "OPENBLAS_NUM_THREADS": str(args.threads), "PYSPARK_PYTHON": sys.executable},
    )
    if done.returncode != 0:
        raise SystemExit(f"{engine}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def markdown(result):
    m, runs = result["machine"], result["runs"]

    def median(engine, *path):
        values = []
        for found in runs[engine]:
            for key in path:
                found = found[key]
            values.append(found)
        return statistics.median(values)

    ours, theirs, rows = median("native", "wall_s"), median("spark", "wall_s"), median("native", "rows")
    phase = {name: median("native", "call", "phases", name) for name in ("export_s", "build_s", "compute_s")}
    per_row = [median("native", "call", key) / rows for key in ("bytes_copied", "peak_rss_bytes")]
    lines = [
        (
            f"Cached DataFrame to model, {rows:,.0f} entries, rank {RANK}, {result['iterations']} iterations, seconds"
            f" of wall time, median of {len(runs['native'])} interleaved rounds, a fresh process each."
            f" {m['processor']}, {m['cores']} cores; Java {m['java']}, Spark {m['packages']['pyspark']}; load"
            f" {m['load_1min']} at start; commit {m['commit']}{' + changes' if m['changed'] else ''}; {result['date']};"
            f" `{result['command']}`."
        ),
        "",
        (
            "| ours | factors as Arrow, besides | export | kernel: build | iterations | Spark alone, arrays | times |"
            " copied B/entry | ranks' peak B/entry | fit: ours | Spark's, from another start |"
        ),
        "|" + "---:|" * 11,
        (
            f"| {ours:.2f} | {median('native', 'factors_s'):.2f} | {phase['export_s']:.2f} | {phase['build_s']:.2f} |"
            f" {phase['compute_s']:.2f} | {theirs:.2f} | {theirs / ours:.1f} | {per_row[0]:.0f} | {per_row[1]:.0f} |"
            f" {median('native', 'fit'):.6f} | {median('spark', 'fit'):.6f} |"
        ),
        "",
        "| budget (quiet machine, 2 cores) | wanted | measured | |",
        "|---|---:|---:|---|",
        (
            f"| Spark's time over ours | at least {BUDGET} x | {theirs / ours:.1f} x |"
            f" {'reached' if theirs / ours >= BUDGET else 'missed'} |"
        ),
        (
            f"| build | at most {BUILD_S} s | {phase['build_s']:.2f} s |"
            f" {'reached' if phase['build_s'] <= BUILD_S else 'missed'} |"
        ),
        (
            f"| iterations | at most {ITERATIONS_S} s | {phase['compute_s']:.2f} s |"
            f" {'reached' if phase['compute_s'] <= ITERATIONS_S else 'missed'} |"
        ),
        "",
    ]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--entries", type=int, default=10_000_000)
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--engine", choices=ENGINES, help=argparse.SUPPRESS)
    args = parser.parse_args()
    data = ROOT / "build" / "bench" / f"tensor-{args.entries}.parquet"
    if args.engine:
        return run(args.engine, data, args)
    given = " ".join(sys.argv[1:])
    result = {
        "date": datetime.date.today().isoformat(),
        "command": f'make bench-tensor ARGS="{given}"' if given else "make bench-tensor",
        "iterations": args.iterations,
        "machine": machine.describe(),
    }
    write(data, args.entries)
    result["runs"] = {engine: [] for engine in ENGINES}
    for number in range(args.rounds):
        for engine in ENGINES:
            found = child(engine, data, args)
            result["runs"][engine].append(found)
            print(f"round {number + 1}/{args.rounds} {engine}: {found['wall_s']:.2f} s", file=sys.stderr, flush=True)
    print(markdown(result))
    print(results.keep("tensor", result, markdown(result)), file=sys.stderr)


if __name__ == "__main__":
    main()
