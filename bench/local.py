# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make bench-local`: whole processes from a file of edges to a file of values, beside NetworKit and igraph.

Each cell is a file (two lines, R-MAT graphs; CSV and Parquet) and an algorithm; engines take turns in each round.
Writes bench/results/local.{json,md}.
"""

import argparse
import datetime
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import machine
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq
import results

from sparkgap import local

HERE = Path(__file__).resolve().parent
ALGORITHMS = ("pagerank", "components", "bfs", "sssp", "triangles")
ENGINES = ("sparkgap", "networkit", "igraph")
LIMIT_S = 900


def files(folder, scales):
    """The inputs by name, and a vertex with many edges in each."""
    made = {}
    graphs = {"2 lines": pa.table({"src": [1, 2], "dst": [2, 1]})}
    for scale in scales:
        edges = local.rmat(scale=scale, seed=1)
        graphs[f"{edges.num_rows / 1e6:.0f} M edges"] = edges.select(["src", "dst"])
    for name, edges in graphs.items():
        source = pc.mode(edges["src"])[0].as_py()["mode"]
        for suffix in (".csv", ".parquet"):
            file = folder / f"{name.replace(' ', '-')}{suffix}"
            pyarrow.csv.write_csv(edges, file) if suffix == ".csv" else pq.write_table(edges, file)
            made[f"{name}, {suffix[1:]}"] = (file, source)
    return made


def command(engine, algorithm, file, source, out, threads):
    if engine != "sparkgap":
        words = [sys.executable, HERE / "local_peers.py", engine, algorithm, file, "--source", source]
        return [*words, "--out", out, "--threads", threads]
    words = [Path(sys.executable).parent / "sparkgap", "run", algorithm, file, "--out", out, "--json"]
    own = {"bfs": ["--source", source], "sssp": ["--source", source], "triangles": ["--undirected"]}
    return [*words, "--threads", threads, *own.get(algorithm, [])]


def once(words):
    """Wall and CPU seconds of a process and all below it; None where it runs too long or does not end well."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    try:
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        print(done.stderr[-300:], file=sys.stderr)
        return None
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall_s": time.monotonic() - begin, "cpu_s": cpu}


def measure(rounds, folder, scales, engines, algorithms):
    threads, cells = len(os.sched_getaffinity(0)), {}
    for name, (file, source) in files(folder, scales).items():
        file.read_bytes()  # into the page cache
        for algorithm in algorithms:
            runs = cells.setdefault(f"{algorithm}, {name}", {engine: [] for engine in engines})
            for _ in range(rounds):
                for engine in engines:
                    out = folder / "out.parquet"
                    out.unlink(missing_ok=True)
                    runs[engine].append(once(command(engine, algorithm, file, source, out, threads)))
            said = ", ".join(f"{engine} {cell(found, 'wall_s')}" for engine, found in runs.items())
            print(f"{algorithm}, {name}: {said}", file=sys.stderr, flush=True)
    return cells


def cell(runs, key):
    values = [run[key] for run in runs if run is not None]
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})" if values else "none"


def markdown(result):
    m, cells = result["machine"], result["local"]
    engines = list(next(iter(cells.values())))
    lines = [
        f"{m['processor']}, {m['cores']} cores; load {m['load_1min']} at start; commit {m['commit']}"
        f"{' + changes' if m['changed'] else ''}; {result['date']}; `{result['command']}`.",
        "",
        f"Seconds of whole processes, file to file; median (least to most) of {result['rounds']} rounds in turn; then"
        " CPU seconds.",
        "",
        "| | " + " | ".join(f"{e} | CPU" for e in engines) + " |",
        "|---|" + "---:|---:|" * len(engines),
    ]
    for name, runs in cells.items():
        found = " | ".join(f"{cell(runs[e], 'wall_s')} | {cell(runs[e], 'cpu_s')}" for e in engines)
        lines.append(f"| {name} | {found} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scales", default="17,22", help="of R-MAT graphs: 2 M and 67 M edges")
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--algorithms", default=",".join(ALGORITHMS))
    parser.add_argument("--out", type=Path, default=results.PLACE, help="folder for the results")
    args = parser.parse_args()
    said = " ".join(sys.argv[1:])
    result = {
        "date": datetime.date.today().isoformat(),
        "command": "make bench-local" + (f' ARGS="{said}"' if said else ""),
        "machine": machine.describe(),
        "rounds": args.rounds,
    }
    scales = [int(scale) for scale in args.scales.split(",") if scale]
    with tempfile.TemporaryDirectory() as folder:
        result["local"] = measure(
            args.rounds, Path(folder), scales, args.engines.split(","), args.algorithms.split(",")
        )
    print(markdown(result))
    print(results.keep("local", result, markdown(result), args.out), file=sys.stderr)


if __name__ == "__main__":
    main()
