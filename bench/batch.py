# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make bench-batch`: what the plan of `sparkgap cluster` gains, and what a table of the job before saves.

In jobs of a real Slurm with two nodes on this host. Its folders are memory, a disk, and a slow one in place of a file
system that nodes share: ext4 in a file, mounted so that every write waits for it, with a bound on its bytes per second
for both nodes together. Needs root. Writes bench/results/batch-load.{json,md} and batch-proof.{json,md}.
"""

import argparse
import datetime
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import machine
import results
from slow_folder import slow_folder

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "conformance"))
from cluster.slurm import Slurm  # noqa: E402

DATA = Path(os.environ.get("SPARKGAP_DATA") or ROOT / "data")
JOB_S = 3600
CLUSTER = [sys.executable, "-m", "sparkgap", "cluster"]
START = """
import json, sys, time
from pyspark.sql import SparkSession
import sparkgap
spark = SparkSession.builder.getOrCreate()
"""
# Its argument is the scale of R-MAT.
PAGERANK = """
edges = sparkgap.graph.rmat(scale=int(sys.argv[1])).repartition(8)
print(sparkgap.graph.pagerank(edges, engine="spark", max_iterations=10, progress=False).count())
spark.stop()
"""
# What the first job leaves: edges as text, and the same edges and their graph as published tables. Its arguments are a
# folder, the edges of web-NotreDame, and the scale of R-MAT.
LEAVES = """
place, notre_dame, scale = sys.argv[1:]
graphs = {"web_notredame": spark.read.parquet(notre_dame), "r_mat": sparkgap.graph.rmat(scale=int(scale))}
for name, edges in graphs.items():
    edges = edges.select("src", "dst")
    edges.write.option("sep", " ").mode("overwrite").csv(f"{place}/{name}.txt")
    sparkgap.store.publish(edges, name)
    sparkgap.store.publish(sparkgap.graph.build(edges, name=f"of_{name}"), f"of_{name}")
spark.stop()
"""
# Its arguments are the folder and the rounds.
LOADS = """
place, rounds = sys.argv[1], int(sys.argv[2])
def text(name):
    rows = spark.read.option("sep", " ").schema("src long, dst long").csv(f"{place}/{name}.txt")
    return sparkgap.graph.build(rows, name="g")
def edges(name):
    return sparkgap.graph.build(spark.table(f"sparkgap.published.{name}"), name="g")
def graph(name):
    return sparkgap.graph.load(f"published.of_{name}")
found = {}
for name in ("web_notredame", "r_mat"):
    for way in (text, edges, graph) * rounds:
        begin = time.monotonic()
        made = way(name)
        n = made.degree(progress=False).count()
        found.setdefault(name, {}).setdefault(way.__name__, []).append([time.monotonic() - begin, n])
        if way is not graph:
            made.drop()
print("FOUND", json.dumps(found))
spark.stop()
"""


def run(slurm, place, words, args):
    """What a job prints; it must succeed."""
    script = f"#!/bin/bash\nexec {' '.join(map(str, words))}\n"
    job = slurm.submit(place, script, "--nodes=2", "--exclusive", f"--mem={args.memory}")
    state = slurm.wait(job, JOB_S)
    said = (place / "out").read_text()
    if state != "COMPLETED":
        raise SystemExit(f"{state}: {said[-3000:]}")
    return said


def proven(slurm, place, slow, args):
    """By program: what `sparkgap cluster prove` says of it."""
    program = place / "pagerank.py"
    program.write_text(START + PAGERANK)
    own = [*CLUSTER, "prove", "--json", "--rounds", args.rounds, "--scratch", slow]
    found = {}
    for name, words in (
        ("sort", ["--size", args.size]),
        ("GraphX PageRank", ["--", sys.executable, program, args.scale]),
    ):
        said = run(slurm, place, [*own, *words, ">", "proof.json"], args)
        found[name] = json.loads((place / "proof.json").read_text())
        del found[name]["program"]
        for each in found[name]["ways"].values():
            if each["settings"]["spark.local.dir"] == str(slow):
                each["settings"]["spark.local.dir"] = "slow"
        print(said, file=sys.stderr)
    return found


def loaded(slurm, place, args):
    """By graph and way: seconds until its vertices' degrees are counted."""
    leaves = [place, DATA / "graphs" / "web-NotreDame.parquet", args.load_scale]
    for name, program, words in (("leaves", LEAVES, leaves), ("loads", LOADS, [place, args.rounds])):
        file = place / f"{name}.py"
        file.write_text(START + program)
        own = [*CLUSTER, "run", "--no-probe", "--tables", place / "tables", "--", sys.executable, file, *words]
        said = run(slurm, place, own, args)
    found = json.loads(next(line for line in said.splitlines() if line.startswith("FOUND ")).removeprefix("FOUND "))
    for plain, ways in found.items():
        if len({n for runs in ways.values() for _, n in runs}) != 1:
            raise SystemExit(f"{plain}: expected one number of vertices, found {ways}")
    return {plain: {way: [s for s, _ in runs] for way, runs in ways.items()} for plain, ways in found.items()}


def markdown(result, part):
    lines = PARTS[part].lines(result)
    return "\n".join([results.measured_on(result), "", "Two nodes of Slurm on one host.", "", *lines]) + "\n"


def _proof(result):
    lines = [
        f"{result['rounds']} rounds in turn, each in a new cluster; seconds of the"
        " whole program, medians with the least and the most."
        f" `slow` is ext4 whose writes wait for a device of {result['slow_mb_per_s']} MB/s.",
        "",
        "| program | set by | median | least | most | times the plan | shuffles packed | folder |",
        "|---|---|---:|---:|---:|---:|---|---|",
    ]
    for name, found in result["proof"].items():
        for way, each in found["ways"].items():
            times = [each["median_s"], min(each["seconds"]), max(each["seconds"])]
            folder = each["settings"]["spark.local.dir"]
            shown = " | ".join(f"{s:.1f}" for s in times)
            packed = each["settings"]["spark.shuffle.compress"]
            lines.append(f"| {name} | {way} | {shown} | {each['times']:.2f} | {packed} | {folder} |")
    return lines


def _load(result):
    lines = [
        "A graph from edges as text, from edges that the job before has published, and from its published graph, to the"
        " count of its vertices' degrees: seconds, medians, and how many times as long text takes.",
        "",
        "| graph | text | published edges | published graph |",
        "|---|---:|---:|---:|",
    ]
    for plain, ways in result["load"].items():
        s = {way: statistics.median(runs) for way, runs in ways.items()}
        shown = [f"{s[way]:.2f} ({s['text'] / s[way]:.1f}x)" for way in ("edges", "graph")]
        lines.append(f"| {plain} | {s['text']:.2f} | {' | '.join(shown)} |")
    return lines


class Part(NamedTuple):
    """`measure` takes a Slurm, two folders, of which one is slow, and the command's options; `lines` are Markdown."""

    measure: Callable
    lines: Callable


PARTS = {
    "load": Part(lambda slurm, place, slow, args: loaded(slurm, place, args), _load),
    "proof": Part(proven, _proof),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", default="2g", help="of what is sorted")
    parser.add_argument("--scale", type=int, default=18, help="of R-MAT, for PageRank")
    parser.add_argument("--load-scale", type=int, default=18, help="of R-MAT, for loads")
    parser.add_argument("--slow", type=int, default=40, help="what the slow folder takes [MB/s]")
    parser.add_argument("--only", choices=PARTS, help="this part alone")
    parser.add_argument("--memory", type=int, default=8000, help="of a node [MiB]")
    parser.add_argument("--out", type=Path, default=results.PLACE, help="folder for the results")
    args = parser.parse_args()
    command = " ".join(["make bench-batch", *([f'ARGS="{" ".join(sys.argv[1:])}"'] if sys.argv[1:] else [])])
    head = {"date": datetime.date.today().isoformat(), "command": command, "machine": machine.describe()}
    head |= {"rounds": args.rounds, "slow_mb_per_s": args.slow}
    with tempfile.TemporaryDirectory() as folder, slow_folder(Path(folder), args.slow) as slow:
        place = Path(folder)
        (place / "slurm").mkdir()
        with Slurm(place / "slurm", memory_mb=args.memory) as slurm:
            for part in [args.only] if args.only else PARTS:
                result = {**head, part: PARTS[part].measure(slurm, place, slow, args)}
                print(markdown(result, part))
                print(results.keep(f"batch-{part}", result, markdown(result, part), args.out), file=sys.stderr)


if __name__ == "__main__":
    main()
