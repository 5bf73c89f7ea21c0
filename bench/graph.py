# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make bench-graph`: every graph algorithm from a table and on a built graph, beside GraphX and NetworKit.

R-MAT with weights 1 to 255. Each engine runs in fresh processes, rounds interleaved; the peers one process per algorithm, with a
deadline. Writes bench/results/graph-<date>.json and .md.
"""

import argparse
import datetime
import json
import statistics
import subprocess
import sys

import machine
import pyarrow.parquet as pq
from graph_engines import ALGORITHMS, OPTIONS
from pagerank import ROOT, write_graph

from sparkgap import environment, spec
from sparkgap.match import compare

# Wanted: whole way from a table, on a built graph (times faster than GraphX), and the kernel alone on 2 threads at scale 20 [s].
BUDGETS = {"pagerank": (30, 60, 0.35), "sssp": (20, 80, 0.11), "components": (15, 50, 0.02), "labelprop": (100, None, 0.6)}


def run(engine, algorithms, args, graph, warm, folder, timeout_s):
    """The figures of one process by algorithm; {algorithm: {"failed": why}} where it did not end well."""
    command = [sys.executable, str(ROOT / "bench" / "graph_engines.py"), engine, "--graph", str(graph), "--warm", str(warm)]
    command += ["--out", str(folder), "--algorithms", ",".join(algorithms), "--threads", str(args.threads)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s)
    except subprocess.TimeoutExpired:
        return {name: {"failed": f"no end in {timeout_s} s"} for name in algorithms}
    if done.returncode != 0:
        return {name: {"failed": (done.stderr.strip().splitlines() or ["no text"])[-1][:200]} for name in algorithms}
    return json.loads(done.stdout.strip().splitlines()[-1])


def median(runs, *path):
    """Of a figure over the runs that have it; None where none has."""
    values = []
    for figures in runs:
        for key in path:
            figures = figures.get(key) if isinstance(figures, dict) else None
        if isinstance(figures, (int, float)):
            values.append(figures)
    return statistics.median(values) if values else None


def equal(name, folder):
    """Whether ours and GraphX's results agree by the kernel's rule; None where one is missing."""
    ours, theirs = folder / f"native-{name}.parquet", folder / f"spark-{name}.parquet"
    if not ours.exists() or not theirs.exists():
        return None
    match = compare(pq.read_table(ours), pq.read_table(theirs), **spec.load(name).match)
    return match.ok or match.why


def shown(value, digits=2):
    return "" if value is None else f"{value:.{digits}f}" if value >= 0.1 else f"{value:.3f}"


def markdown(result):
    m, g = result["machine"], result["graph"]
    lines = [
        f"R-MAT scale {g['scale']}, edge factor 16, {16 << g['scale']:,} edges, weights 1 to 255; median of {g['rounds']} interleaved rounds. "
        f"{m['processor']}, {m['cores']} cores, {m['triad_gb_per_s'] or 0:.1f} GB/s triad; Java {m['java']}, Spark {m['packages']['pyspark']}, "
        f"NetworKit {m['packages']['networkit']}; load {m['load_1min']} at start; commit {m['commit']}; {result['date']}; `{result['command']}`.",
        "",
        "Seconds of wall time. *From a table*: cached, counted DataFrame to cached, counted result, the build included. *On a graph*: the same from a "
        "graph that `build` made. *Kernel*: compute alone. GraphX: heap 12 GB, Parallel, Kryo, from the cached DataFrame. NetworKit: its algorithm alone; "
        "label propagation there (PLP) is another, asynchronous method.",
        "",
        "| algorithm | from a table | CPU s | on a graph | kernel | GraphX | its CPU s | NetworKit | table x | graph x | results |",
        "|---|" + "---:|" * 9 + "---|",
    ]
    for name in g["algorithms"]:
        native, graphx, nk = (result["runs"][e].get(name, []) for e in ("native", "spark", "networkit"))
        table, on_graph, theirs = median(native, "wall_s"), median(native, "on_graph", "wall_s"), median(graphx, "wall_s")
        ratio = [shown(theirs / ours, 1) if theirs and ours else "" for ours in (table, on_graph)]
        same = result["results_equal"].get(name)
        failed = next((r["failed"] for r in graphx if "failed" in r), None)
        lines.append(
            f"| {name} | {shown(table)} | {shown(median(native, 'cpu_s'))} | {shown(on_graph)} | {shown(median(native, 'on_graph', 'compute_s'))} | "
            f"{shown(theirs) or failed or ''} | {shown(median(graphx, 'cpu_s'))} | {shown(median(nk, 'wall_s'))} | {ratio[0]} | {ratio[1]} | "
            f"{'equal' if same is True else same or ''} |"
        )
    build = result["runs"]["native"].get("build", [])
    lines += [
        "",
        f"`build` with weights, both directions: {shown(median(build, 'call', 'phases', 'build_s'))} s ({shown(median(build, 'wall_s'))} s whole way); "
        f"without weights {shown(median(build, 'plain', 'call', 'phases', 'build_s'))} s. NetworKit's build, one direction: "
        f"{shown(median([r for rs in result['runs']['networkit'].values() for r in rs], 'build_s'))} s.",
        "",
        "| budget (scale 20, quiet machine) | wanted | measured | |",
        "|---|---:|---:|---|",
    ]
    for name, (table_x, graph_x, kernel_s) in BUDGETS.items():
        native, graphx = result["runs"]["native"].get(name, []), result["runs"]["spark"].get(name, [])
        theirs = median(graphx, "wall_s")
        for what, wanted, ours in (("from a table", table_x, median(native, "wall_s")), ("on a graph", graph_x, median(native, "on_graph", "wall_s"))):
            if wanted and theirs and ours:
                lines.append(f"| {name} {what} | {wanted} x | {theirs / ours:.1f} x | {'reached' if theirs / ours >= wanted else 'missed'} |")
        kernel = median(native, "on_graph", "compute_s")
        if kernel:
            lines.append(f"| {name} kernel | {kernel_s} s | {kernel:.3f} s | {'reached' if kernel <= kernel_s else 'missed'} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--algorithms", default=",".join(ALGORITHMS))
    parser.add_argument("--engines", default="native,spark,networkit")
    parser.add_argument("--threads", type=int, default=environment.cores())
    parser.add_argument("--timeout", type=int, default=300, help="seconds for each process")
    args = parser.parse_args()
    algorithms = args.algorithms.split(",")
    graph, warm = write_graph(args.scale, 16, args.threads), write_graph(10, 16, args.threads)
    folder = ROOT / "build" / "bench" / "graph-results"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.parquet"):
        old.unlink()
    facts = {**machine.describe(), "triad_gb_per_s": machine.triad_gb_per_s(args.threads)}
    runs = {engine: {} for engine in ("native", "spark", "networkit")}
    for number in range(args.rounds):
        for engine in args.engines.split(","):
            for group in [algorithms] if engine == "native" else [[a] for a in algorithms]:
                if any("failed" in r for a in group for r in runs[engine].get(a, [])):
                    continue  # what did not end once is not waited for again
                for name, figures in run(engine, group, args, graph, warm, folder, args.timeout).items():
                    runs[engine].setdefault(name, []).append(figures)
                    said = figures.get("failed") or f"{figures['wall_s']:.2f} s"
                    print(f"round {number + 1}/{args.rounds} {engine} {name}: {said}", file=sys.stderr, flush=True)
    result = {
        "bench": "graph",
        "date": datetime.date.today().isoformat(),
        "command": "make bench-graph" + (f' ARGS="{" ".join(sys.argv[1:])}"' if sys.argv[1:] else ""),
        "graph": {"scale": args.scale, "rounds": args.rounds, "algorithms": algorithms, "options": OPTIONS},
        "machine": facts,
        "runs": runs,
        "results_equal": {name: equal(name, folder) for name in algorithms},
    }
    text = markdown(result)
    print(text)
    place = ROOT / "bench" / "results" / f"graph-{result['date']}{'' if args.scale == 20 else f'-scale{args.scale}'}.json"
    place.write_text(json.dumps(result, indent=1) + "\n")
    place.with_suffix(".md").write_text(text + "\n")
    return 0 if all(e in (True, None) for e in result["results_equal"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
