# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make bench-graph`: every graph algorithm from a table and on a built graph, beside GraphX, NetworKit and igraph.

R-MAT, or a file of yours (`--graph`, then without GraphX); weights 1 to 255 where it has none. Each engine runs in
fresh processes, rounds interleaved; the peers one process per algorithm, with a deadline. The engine `alone` is the
native programs without Spark. Writes bench/results/graph.json and .md.
"""

import argparse
import datetime
import json
import subprocess
import sys
from pathlib import Path

import graph_table
import machine
import pyarrow.parquet as pq
import results
from graph_alone import Alone
from graph_engines import ALGORITHMS, OPTIONS, WITHOUT_SPARK
from graph_peers import digest
from pagerank import ROOT, compare, write_graph

from sparkgap import environment, spec

ENGINES = ("native", "alone", "spark", "networkit", "igraph")
AROUND_S = 600  # for what a process does besides its timed calls: start, read, warm up


def run(engine, algorithms, args, graph, warm, folder):
    """The figures of one process by algorithm; {"failed": why} for those that did not end well."""
    peer = engine in ("networkit", "igraph")
    command = [sys.executable, str(ROOT / "bench" / ("graph_peers.py" if peer else "graph_engines.py")), engine]
    command += ["--graph", str(graph), "--warm", str(warm), "--algorithms", ",".join(algorithms)]
    command += [
        "--threads",
        str(args.threads),
        "--timeout",
        str(args.timeout),
        *([] if peer else ["--out", str(folder)]),
    ]
    late = {"failed": f"no end in {args.timeout} s", "deadline_s": args.timeout}
    found, why = {}, None
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=AROUND_S + args.timeout * 5 * len(algorithms)
        )
        lines, status, words = done.stdout.splitlines(), done.returncode, done.stderr.strip().splitlines()
        if status == -14:  # SIGALRM
            why = late
        elif status != 0:
            why = {
                "failed": (words or [f"exit status {status}"])[-1][:200] if status > 0 else f"ended by signal {-status}"
            }
    except subprocess.TimeoutExpired:
        lines, why = [], {"failed": f"no end of the process in {AROUND_S + args.timeout * 5 * len(algorithms)} s"}
    for line in lines:
        if line.startswith("{"):
            for name, figures in json.loads(line).items():
                found.setdefault(name, {}).update(figures)
    return {**{name: why or {"failed": "said nothing"} for name in algorithms if name not in found}, **found}


def equal(name, folder):
    """Whether ours and GraphX's results agree by the kernel's rule; None where one is missing."""
    ours, theirs = folder / f"native-{name}.parquet", folder / f"spark-{name}.parquet"
    if not ours.exists() or not theirs.exists():
        return None
    match = compare(pq.read_table(ours), pq.read_table(theirs), **spec.load(name).match)
    return match.ok or match.why


def equal_to_peer(name, runs, folder):
    """Whether ours and a peer's result share their digest; None where one is missing or definitions differ."""
    ours, theirs = folder / f"native-{name}.parquet", next((r["digest"] for r in runs if r.get("digest")), None)
    if not ours.exists() or theirs is None:
        return None
    found = digest(name, pq.read_table(ours).column(1).drop_null().to_numpy())
    same = all(abs(a - b) <= 1e-6 * abs(b) * (name == "pagerank") for a, b in zip(found, theirs, strict=True))
    return same or f"expected {theirs}, found {found}"


def interleave(args, algorithms, graph, warm, folder):
    """All rounds: {engine: {algorithm: [figures of each round]}}, and the rounds of the native programs alone."""
    runs, alone = {engine: {} for engine in ENGINES if engine != "alone"}, []
    for number in range(args.rounds):
        for engine in args.engines:
            at = f"round {number + 1}/{args.rounds} {engine}"
            if engine == "alone":
                with Alone(graph, algorithms, args.threads, args.timeout) as programs:
                    alone.append(programs.round())
                print(f"{at}: done", file=sys.stderr, flush=True)
                continue
            for group in [algorithms] if engine == "native" else [[a] for a in algorithms]:
                if any("failed" in r for a in group for r in runs[engine].get(a, [])):
                    continue  # what did not end once is not waited for again
                for name, figures in run(engine, group, args, graph, warm, folder).items():
                    runs[engine].setdefault(name, []).append(figures)
                    said = figures.get("failed") or f"{figures['wall_s']:.2f} s"
                    print(f"{at} {name}: {said}", file=sys.stderr, flush=True)
    return runs, alone


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--scale", type=int, default=20, help="R-MAT with 16 << SCALE edges")
    what.add_argument(
        "--graph", type=Path, help="Parquet with src, dst (dense integers) and perhaps weight, in the place of R-MAT"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--algorithms", help=f"comma-separated; {', '.join(ALGORITHMS)}, and without spark {', '.join(WITHOUT_SPARK)}"
    )
    parser.add_argument("--engines", help=f"comma-separated, of {', '.join(ENGINES)}; all, but spark not with --graph")
    parser.add_argument("--threads", type=int, default=environment.cores())
    parser.add_argument(
        "--timeout", type=int, default=300, help="seconds for each call; what takes longer counts as a lower bound"
    )
    args = parser.parse_args()
    args.engines = args.engines.split(",") if args.engines else [e for e in ENGINES if e != "spark" or not args.graph]
    for engine in args.engines:
        if engine not in ENGINES:
            parser.error(f"--engines: expected some of {', '.join(ENGINES)}, found {engine}. Leave it out.")
    return args


def main():
    args = arguments()
    algorithms = (
        args.algorithms.split(",")
        if args.algorithms
        else [*ALGORITHMS, *(() if "spark" in args.engines else WITHOUT_SPARK)]
    )
    graph = args.graph or write_graph(args.scale, 16, args.threads)
    warm = write_graph(10, 16, args.threads)
    folder = ROOT / "build" / "bench" / "graph-results"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.parquet"):
        old.unlink()
    facts = {**machine.describe(), "triad_gb_per_s": machine.triad_gb_per_s(args.threads)}
    runs, alone = interleave(args, algorithms, graph, warm, folder)
    name = args.graph.stem if args.graph else f"R-MAT scale {args.scale}"
    words = [Path(word).name if args.graph and word == str(args.graph) else word for word in sys.argv[1:]]
    result = {
        "bench": "graph",
        "date": datetime.date.today().isoformat(),
        "command": "make bench-graph" + (f' ARGS="{" ".join(words)}"' if words else ""),
        "graph": {
            "name": name,
            "scale": None if args.graph else args.scale,
            "edges": pq.read_table(graph, columns=["src"]).num_rows,
            "rounds": args.rounds,
            "threads": args.threads,
            "algorithms": algorithms,
            "options": OPTIONS,
        },
        "machine": facts,
        "runs": runs,
        "alone": alone,
        "results_equal": {a: equal(a, folder) for a in algorithms},
        "peers_equal": {
            p: {a: equal_to_peer(a, runs[p].get(a, []), folder) for a in algorithms} for p in ("networkit", "igraph")
        },
    }
    text = graph_table.markdown(result)
    print(text)
    suffix = f"-{args.graph.stem}" if args.graph else "" if args.scale == 20 else f"-scale{args.scale}"
    print(results.keep(f"graph{suffix}", result, text), file=sys.stderr)
    compared = [
        *result["results_equal"].values(),
        *(e for peer in result["peers_equal"].values() for e in peer.values()),
    ]
    return 0 if all(e in (True, None) for e in compared) else 1


if __name__ == "__main__":
    sys.exit(main())
