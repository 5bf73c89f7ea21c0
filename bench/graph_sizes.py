# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make bench-sizes`: how the time of a graph's build and of each kernel grows with the graph.

The native programs without Spark, on R-MAT graphs of several sizes and on files of yours, with one thread and with
all, in rounds in turn. Beside them the GAP Benchmark Suite, where `--gap` names the folder of its programs, and
NetworKit. All get the same edges; GAP drops duplicates and loops. Each time is that of the first run of a process,
after it has opened or read its graph; of GAP the runs after that, too. Writes bench/results/graph-sizes.{json,md}.
"""

import argparse
import datetime
import re
import statistics
import subprocess
import sys
from pathlib import Path

import graph
import graph_alone
import machine
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import results
from graph_alone import Alone
from graph_engines import ALGORITHMS, WITHOUT_SPARK, weights
from pagerank import write_graph

from sparkgap import environment

KERNELS = (*ALGORITHMS, *WITHOUT_SPARK)
# By kernel: GAP's program, its options, and the kind of its graph.
GAP = {
    "pagerank": ("pr", ["-i", "20", "-t", "1e-300", "-n", "2"], "sg"),
    "bfs": ("bfs", ["-n", "4"], "sg"),
    "sssp": ("sssp", ["-d", "2", "-n", "3"], "wsg"),
    "components": ("cc", ["-n", "4"], "sg"),
}
# Edges: more take their processes, and GAP its text, beyond the memory of a small machine.
NETWORKIT_MOST, GAP_MOST = 40_000_000, 80_000_000
# Bytes that some must move from and to memory at least, for n vertices and m edges.
BOUND = {
    "build": lambda n, m: 16 * m + 8 * m + 32 * n,
    "pagerank": lambda n, m: 20 * (4 * m + 32 * n),
    "bfs": lambda n, m: 4 * m + 12 * n,
    "sssp": lambda n, m: 12 * m + 24 * n,
    "components": lambda n, m: 4 * m + 12 * n,
    "labelprop": lambda n, m: 10 * (8 * m + 8 * n),
}

COLUMNS = ("graph", "edges", "1 thread", "all", "growth", "stream", "open", "GAP", "again", "reads", "NetworKit")
MEANINGS = """*Growth* is the time beside that of the graph above, *stream* the share that bytes which must move would
take at the triad's speed. All are first runs of processes that have opened or read their graph: *open* is what that
takes here, *reads* what it takes GAP, and *again* GAP's runs after its first.""".replace("\n", " ")


class Gap:
    """GAP's programs on files of one graph, made once."""

    def __init__(self, programs, folder, edges, source):
        self.programs, self.folder, self.source = programs, folder, source
        text, weighted = folder / "graph.el", folder / "graph.wel"
        src, dst = edges
        plain = pyarrow.csv.WriteOptions(include_header=False, delimiter=" ")
        weight = weights(src, dst).astype(np.int32)
        pyarrow.csv.write_csv(pa.table({"src": src, "dst": dst}), text, plain)
        pyarrow.csv.write_csv(pa.table({"src": src, "dst": dst, "weight": weight}), weighted, plain)
        said = self._run("converter", "-f", text, "-b", folder / "graph.sg", threads=environment.cores())
        self.build_s = float(re.search(r"^Build Time: +([0-9.]+)", said, re.M)[1])
        self._run("converter", "-f", weighted, "-wb", folder / "graph.wsg", threads=environment.cores())
        text.unlink(), weighted.unlink()

    def _run(self, program, *words, threads):
        done = subprocess.run(
            [self.programs / program, *map(str, words)],
            capture_output=True,
            text=True,
            timeout=graph.AROUND_S,
            check=True,
            env={"OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "true"},
        )
        return done.stdout

    def kernel(self, name, threads):
        """Seconds of reading its graph, and of each trial."""
        program, options, kind = GAP[name]
        source = ["-r", self.source] if name in ("bfs", "sssp") else []
        said = self._run(program, "-f", self.folder / f"graph.{kind}", *options, *source, threads=threads)
        return [float(found) for found in re.findall(r"^(?:Read|Trial) Time: +([0-9.]+)", said, re.M)]


def measured(path, args, warm):
    """All rounds of one graph: {"vertices", "edges", engine: {kernel: {threads: [s]}}}."""
    found = {engine: {} for engine in ("ours", "ours, opens", "gap", "gap, again", "gap, reads", "networkit")}

    def add(engine, name, threads, seconds):
        found[engine].setdefault(name, {}).setdefault(str(threads), []).extend(seconds)

    counts = sorted({1, environment.cores()})
    table = pq.read_table(path, columns=["src", "dst"])
    src, dst = (table[name].to_numpy() for name in ("src", "dst"))
    found |= {"edges": len(src), "vertices": int(np.union1d(src, dst).size)}
    with Alone(path, args.kernels, environment.cores(), args.timeout) as programs:
        is_beside = args.gap is not None and len(src) <= GAP_MOST
        gap = Gap(args.gap, programs.folder, (src, dst), programs.source) if is_beside else None
        del table, src, dst
        pa.default_memory_pool().release_unused()  # kernels need it
        if gap is not None:
            add("gap", "build", environment.cores(), [gap.build_s])
        for number in range(args.rounds):
            for threads in counts:
                for kind in ("dense", "sparse"):
                    said = programs.build(kind, threads)
                    add("ours", "build" if kind == "dense" else "build, any ids", threads, [said["build_s"]])
            programs.build("weighted", environment.cores())
            for name in args.kernels:
                for threads in counts:
                    said = [programs.kernel(name, 1, threads) for _ in range(graph_alone.REPEATS)]
                    add("ours", name, threads, [each["compute_s"] for each in said])
                    add("ours, opens", name, threads, [each["build_s"] for each in said])
                    for _ in range(graph_alone.REPEATS if gap is not None and name in GAP else 0):
                        read, first, *again = gap.kernel(name, threads)
                        add("gap, reads", name, threads, [read])
                        add("gap", name, threads, [first])
                        add("gap, again", name, threads, again)
                if args.networkit and found["edges"] <= NETWORKIT_MOST:
                    peer = graph.run("networkit", [name], args, path, warm, programs.folder)[name]
                    if "wall_s" in peer:
                        add("networkit", name, args.threads, [peer["wall_s"]])
                print(f"round {number + 1}/{args.rounds} {path.stem} {name}: done", file=sys.stderr, flush=True)
    return found


def markdown(result):
    """A table for each kernel: a row for each graph."""
    triad = result["machine"]["triad_gb_per_s"]
    head = f"Seconds, medians of {result['rounds']} rounds in turn; triad {triad} GB/s. {MEANINGS}"
    lines = [results.measured_on(result), "", head]
    for name in ["build", "build, any ids", *result["kernels"]]:
        lines += ["", f"## {name}", ""]
        lines += [f"| {' | '.join(COLUMNS)} |"]
        lines += ["|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
        before = None
        for title, of_graph in result["graphs"].items():
            lines.append(row(name, title, of_graph, before if "R-MAT" in title else None, triad, result["threads"]))
            before = median(of_graph["ours"], name, result["threads"])
    return "\n".join(lines) + "\n"


def median(of_engine, name, threads):
    seconds = of_engine.get(name, {}).get(str(threads))
    return statistics.median(seconds) if seconds else None


def row(name, title, found, before, triad, threads):
    ours = median(found["ours"], name, threads)
    bound = BOUND.get(name)
    stream = bound(found["vertices"], found["edges"]) / 1e9 / triad if bound and triad else None

    def beside(engine):
        theirs = median(found[engine], name, threads)
        return "" if theirs is None or not ours else f"{theirs:.3g} ({theirs / ours:.1f}x)"

    cells = [title, f"{found['edges']:,}", f"{median(found['ours'], name, 1) or 0:.3g}", f"{ours or 0:.3g}"]
    cells += [f"{ours / before:.2f}x" if before and ours else "", f"{stream / ours:.0%}" if stream and ours else ""]
    opens, reads = (median(found[engine], name, threads) for engine in ("ours, opens", "gap, reads"))
    cells += [f"{opens:.3g}" if opens else "", beside("gap"), beside("gap, again"), f"{reads:.3g}" if reads else ""]
    return f"| {' | '.join([*cells, beside('networkit')])} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scales", default="18,20,22", help="of R-MAT graphs with 16 edges for each vertex")
    parser.add_argument("--graphs", type=Path, nargs="*", default=[], help="Parquet with src and dst")
    parser.add_argument("--kernels", default=",".join(KERNELS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--gap", type=Path, help="folder of GAP's programs")
    parser.add_argument("--networkit", action="store_true")
    parser.add_argument("--timeout", type=int, default=300, help="seconds for each program")
    args = parser.parse_args()
    args.kernels, args.threads = args.kernels.split(","), environment.cores()
    words = ["--gap GAP" if word == str(args.gap) else Path(word).name for word in sys.argv[1:] if word != "--gap"]
    result = {
        "date": datetime.date.today().isoformat(),
        "command": "make bench-sizes" + (f' ARGS="{" ".join(words)}"' if words else ""),
        "machine": {**machine.describe(), "triad_gb_per_s": machine.triad_gb_per_s(environment.cores())},
        "rounds": args.rounds,
        "threads": args.threads,
        "kernels": args.kernels,
        "graphs": {},
    }
    warm = write_graph(10, 16, 2)
    paths = {f"R-MAT {scale}": write_graph(int(scale), 16, 2) for scale in args.scales.split(",") if scale}
    for title, path in {**paths, **{path.stem: path for path in args.graphs}}.items():
        result["graphs"][title] = measured(path, args, warm)
        print(markdown(result), file=sys.stderr)
    print(markdown(result))
    print(results.keep("graph-sizes", result, markdown(result)), file=sys.stderr)


if __name__ == "__main__":
    main()
