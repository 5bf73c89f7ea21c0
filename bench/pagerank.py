# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make bench`: PageRank by sparkgap, by GraphX and by NetworKit on one R-MAT graph, in interleaved rounds.

Each run is a fresh process (engines.py). Wall and CPU seconds go from a cached, counted input to a cached, counted
result. Writes bench/results/pagerank.json and .md; --readme puts the table between the marks in README.md.
"""

import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import machine
import pyarrow.parquet as pq
import results
import table
from engines import ENGINES

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "conformance"))

from match import compare  # noqa: E402

from sparkgap import environment  # noqa: E402

RUN_TIMEOUT_S = 1800


def write_graph(scale, edge_factor, partitions):
    """The R-MAT graph as a Parquet folder, written once by our own kernel."""
    place = ROOT / "build" / "bench" / f"rmat-{scale}-{edge_factor}.parquet"
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        code = (
            "import sys, sparkgap; s = sparkgap.session(conf={'spark.ui.enabled': 'false', 'spark.driver.memory':"
            f" '4g'}});g = sparkgap.graph.rmat(scale={scale}, edge_factor={edge_factor}, spark=s,"
            f" progress=False);g.repartition({partitions}).write.parquet(sys.argv[1]); s.stop()"
        )
        aside = place.with_suffix(".part")
        subprocess.run(["rm", "-rf", str(aside)], check=True)
        subprocess.run(
            [sys.executable, "-c", code, str(aside)], check=True, timeout=RUN_TIMEOUT_S, stderr=subprocess.DEVNULL
        )
        aside.rename(place)
    return place


def run(engine, graph, warm, out, args):
    """One run of one engine; its figures, or the reason why there are none."""
    command = [sys.executable, str(ROOT / "bench" / "engines.py"), engine, "--graph", str(graph), "--warm", str(warm)]
    command += ["--out", str(out), "--ranks", str(args.ranks), "--threads", str(args.threads)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=RUN_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return {"failed": f"no end in {RUN_TIMEOUT_S} s"}
    if done.returncode != 0:
        return {"failed": (done.stderr.strip().splitlines() or ["no text"])[-1]}
    return {**json.loads(done.stdout.strip().splitlines()[-1]), "load_1min": round(os.getloadavg()[0], 2)}


def check_results(names, folder):
    """Every engine's result against the first one's, vertex by vertex."""
    tables = {
        name: pq.read_table(folder / f"{name}.parquet") for name in names if (folder / f"{name}.parquet").exists()
    }
    found = {}
    for name, result in tables.items():
        match = compare(result, next(iter(tables.values())), rule="epsilon", epsilon=1e-6)
        found[name] = {"ok": match.ok, "worst_relative": match.worst if match.ok else None, "why": match.why}
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=int, default=20)
    parser.add_argument("--edge-factor", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--engines", default=",".join(ENGINES), help="comma-separated: " + ", ".join(ENGINES))
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--threads", type=int, default=environment.cores())
    parser.add_argument("--readme", action="store_true", help="put the table into README.md")
    args = parser.parse_args()
    names = args.engines.split(",")
    for name in names:
        if name not in ENGINES:
            parser.error(f"--engines: expected some of {', '.join(ENGINES)}, found {name}. Leave it out.")

    graph = write_graph(args.scale, args.edge_factor, args.threads)
    warm = write_graph(10, 16, args.threads)
    folder = ROOT / "build" / "bench" / "results"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.parquet"):
        old.unlink()
    facts = {**machine.describe(), "triad_gb_per_s": machine.triad_gb_per_s(args.threads)}
    runs = {name: [] for name in names}
    for number in range(args.rounds):
        # Each round starts with another engine, so that none always follows the same neighbour.
        shift = number % len(names)
        for name in names[shift:] + names[:shift]:
            figures = run(name, graph, warm, folder / f"{name}.parquet", args)
            runs[name].append(figures)
            said = figures.get("failed") or f"wall {figures['wall_s']:.2f} s, CPU {figures['cpu_s']:.2f} s"
            print(f"round {number + 1}/{args.rounds} {name}: {said}", file=sys.stderr, flush=True)

    what = {
        "scale": args.scale,
        "edge_factor": args.edge_factor,
        "rounds": args.rounds,
        "ranks": args.ranks,
        "threads": args.threads,
    }
    notes = {
        n: ENGINES[n][2].format(ranks=args.ranks, threads=args.threads // args.ranks if n == "native" else args.threads)
        for n in names
    }
    result = {
        "bench": "pagerank",
        "date": datetime.date.today().isoformat(),
        "command": "make bench" + (f' ARGS="{" ".join(sys.argv[1:])}"' if sys.argv[1:] else ""),
        "graph": what,
        "machine": facts,
        "configuration": notes,
        "runs": runs,
        "results_equal": check_results(names, folder),
    }
    result["median"] = {
        name: medians(ok) for name, ok in ((n, [r for r in rs if "failed" not in r]) for n, rs in runs.items()) if ok
    }
    text = table.markdown(result)
    print(text)
    name = "pagerank" if args.scale == 20 else f"pagerank-scale{args.scale}"
    print(results.keep(name, result, text), file=sys.stderr)
    if args.readme:
        table.into_readme(ROOT / "README.md", "pagerank", text)
    failed = [n for n, rs in runs.items() if any("failed" in r for r in rs)]
    wrong = [n for n, r in result["results_equal"].items() if not r["ok"]]
    if failed or wrong:
        print(
            f"bench: expected every run to end with equal results, found failed {failed}, different {wrong}. See"
            f" bench/results/{name}.json.",
            file=sys.stderr,
        )
        return 1
    return 0


def medians(runs):
    """Median and spread (least, most) of every figure that is a number."""

    def spread(values):
        return {"median": statistics.median(values), "least": min(values), "most": max(values)}

    plain = [k for k, v in runs[0].items() if isinstance(v, (int, float)) and not isinstance(v, bool)]
    phases = {k: spread([r["phases"][k] for r in runs]) for k in runs[0]["phases"]}
    return {**{k: spread([r[k] for r in runs if r[k] is not None] or [0]) for k in plain}, "phases": phases}


if __name__ == "__main__":
    sys.exit(main())
