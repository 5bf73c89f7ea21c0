# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make bench-ranks`: what the ranks of graph kernels send and hold, counted for 1 to 64 of them, and a model of it.

R-MAT graphs, of one size for all and as large as there are ranks; each run builds its graph of the edges. Bytes and
messages are those of the rank that sends most, as the communicator counts them, of a step without the build. More ranks
than processors take turns, so times are those of all of them one after the other. Beside PageRank what GraphX shuffles.
Writes bench/results/ranks.{json,md}.
"""

import argparse
import datetime
import itertools
import json
import math
import os
import statistics
import sys
import tempfile
from pathlib import Path

import graph_cuts
import machine
import numpy as np
import pyarrow.parquet as pq
import results
from graph_alone import Alone
from pagerank import write_graph

from sparkgap import environment, spec

KERNELS = [name for name in spec.names() if any(i.stored_graph for i in spec.load(name).inputs)]
# Those whose time the model is of: a step reads each arc once at most.
MODELLED = ("pagerank", "labelprop", "bfs", "sssp")
CUTS = {"by both ends": graph_cuts.by_both_ends, "by degree": graph_cuts.by_degree}
FAR = ((16, 1e9), (16, 1e10), (128, 1e10), (128, 1e11), (1024, 1e11))  # hosts, edges
CORES, NETWORKS = 16, {"10 Gb/s": (1.25e9, 20e-6), "100 Gb/s": (12.5e9, 2e-6)}  # of a host; bytes/s, s of a message


def measured(scale, ranks, kernels, rounds, timeout_s):
    """By kernel and ranks: the figures of each round."""
    os.environ["SPARKGAP_SHARE"] = "0"  # each rank is to be one of a host of its own
    found = {name: {} for name in kernels}
    path = write_graph(scale, 16, 2)
    with Alone(path, (), 1, timeout_s) as programs:
        for number, name, n in itertools.product(range(rounds), kernels, ranks):
            said = programs.of_edges(name, n)
            found[name].setdefault(str(n), []).append(said)
            print(f"round {number + 1}, scale {scale}, {name}, {n} ranks: {said}", file=sys.stderr, flush=True)
        src, dst = (pq.read_table(path)[name].to_numpy() for name in ("src", "dst"))
        cuts = {cut: {str(n): of_cut(src, dst, n) for n in ranks if n > 1} for cut, of_cut in CUTS.items()}
        vertices = int(np.union1d(src, dst).size)
        return {"edges": programs.edges, "vertices": vertices, "kernels": found, "cuts": cuts}


def shuffled(scale, ranks, iterations=(2, 6)):
    """Bytes that GraphX's PageRank shuffles in an iteration for each of so many partitions, by its event log."""
    import sparkgap

    written = []
    for n in iterations:
        with tempfile.TemporaryDirectory() as logs:
            conf = {"spark.ui.enabled": "false", "spark.driver.memory": "4g", "spark.eventLog.enabled": "true"}
            conf |= {"spark.eventLog.dir": f"file:{logs}", "spark.eventLog.rolling.enabled": "false"}
            conf["spark.eventLog.compress"] = "false"
            spark = sparkgap.session(f"local[{environment.cores()}]", conf=conf)
            edges = spark.read.parquet(str(write_graph(scale, 16, 2))).repartition(ranks).cache()
            edges.count()
            sparkgap.graph.pagerank(edges, engine="spark", max_iterations=n, progress=False)
            spark.stop()
            (log,) = Path(logs).iterdir()
            events = map(json.loads, log.read_text().splitlines())
            metrics = [each["Task Metrics"] for each in events if each["Event"] == "SparkListenerTaskEnd"]
            written.append(sum(each["Shuffle Write Metrics"]["Shuffle Bytes Written"] for each in metrics))
    return (written[1] - written[0]) / (iterations[1] - iterations[0]) / ranks


def step(runs):
    """Of one step: bytes and messages of the rank that sends most, and seconds, in the median."""
    steps = [max(1, run["iterations"]) for run in runs]
    sent = [run["sent"]["compute"] for run in runs]
    return {
        "bytes": statistics.median(each["bytes"] / n for each, n in zip(sent, steps, strict=True)),
        "messages": statistics.median(each["messages"] / n for each, n in zip(sent, steps, strict=True)),
        "step_s": statistics.median(run["compute_s"] / n for run, n in zip(runs, steps, strict=True)),
        "memory": max(run["peak_rss_bytes"] for run in runs),
    }


def points(result, name):
    """What is known of a kernel: (ranks, edges, vertices, step) of all graphs."""
    for of_graph in result["graphs"].values():
        for ranks, runs in of_graph["kernels"].get(name, {}).items():
            if good := [run for run in runs if "failed" not in run]:
                yield int(ranks), of_graph["edges"], of_graph["vertices"], step(good)


class Model:
    """Of a step of one kernel: seconds of a rank = edges / ranks * a + messages * b + bytes * c, where a rank that
    waits its turn for a processor is not charged for it; bytes and messages of a rank follow ranks and edges by powers.
    """

    def __init__(self, known, cores):
        all_of = list(known)
        several = [each for each in all_of if each[0] > 1]
        ranks, edges = (np.array([each[i] for each in several], float) for i in (0, 1))
        logs = np.stack([np.ones(len(several)), np.log(ranks), np.log(edges)], axis=1)
        self.powers = {}
        for what in ("bytes", "messages"):
            values = np.array([max(1.0, each[3][what]) for each in several])
            self.powers[what] = np.linalg.lstsq(logs, np.log(values), rcond=None)[0]
        rows = np.array([[m / p, s["messages"], s["bytes"]] for p, m, _, s in all_of])
        seconds = np.array([s["step_s"] * min(1.0, cores / p) for p, _, _, s in all_of])
        # Relative errors count, and none of the three can be less than nothing.
        self.costs = nonnegative(rows / seconds[:, None], np.ones(len(seconds)))
        self.error = float(np.median(np.abs(rows @ self.costs / seconds - 1)))
        self.counted_error = float(
            np.median([abs(self.counted("bytes", p, m) / max(1.0, s["bytes"]) - 1) for p, m, _, s in several])
        )

    def counted(self, what, ranks, edges):
        """Bytes or messages that a rank sends in a step."""
        return float(np.exp(self.powers[what] @ [1, math.log(ranks), math.log(edges)]))

    def far(self, hosts, edges, network):
        """Seconds of a step with a rank on each host: of computing, and of the network."""
        bytes_per_s, latency = NETWORKS[network]
        computing = self.costs[0] * edges / hosts / CORES
        return computing, self.counted("messages", hosts, edges) * latency + self.counted(
            "bytes", hosts, edges
        ) / bytes_per_s


def nonnegative(rows, values):
    """Least squares with no factor below 0: the best of those on each choice of columns."""
    best, least = np.zeros(rows.shape[1]), math.inf
    for n in range(1, rows.shape[1] + 1):
        for columns in itertools.combinations(range(rows.shape[1]), n):
            found = np.linalg.lstsq(rows[:, columns], values, rcond=None)[0]
            error = float(np.sum((rows[:, columns] @ found - values) ** 2))
            if (found >= 0).all() and error < least:
                best, least = np.zeros(rows.shape[1]), error
                best[list(columns)] = found
    return best


def markdown(result):
    fixed, ranks = result["fixed"], result["ranks"]
    graphs = result["graphs"]
    one = graphs[str(fixed)]
    heads = "| kernel | " + " | ".join(map(str, ranks)) + " |"
    line = "|---|" + "---:|" * len(ranks)
    lines = [results.measured_on(result), "", f"Medians of {result['rounds']} rounds; one thread for each rank."]
    lines += ["", f"## One graph: R-MAT {fixed}, {one['edges']:,} edges, {one['vertices']:,} vertices", ""]
    lines += ["KB that the rank which sends most sends in a step, by ranks.", "", heads, line]
    for name in result["kernels"]:
        lines.append(f"| {name} | {' | '.join(cells(one, name, ranks, lambda s: s['bytes'] / 1e3))} |")
    n = one["vertices"]
    before = [f"{8 * n * (p - 1) / p / 1e3:,.0f}" if p > 1 else "0" for p in ranks]
    lines.append(f"| *pagerank, all values to all* | {' | '.join(before)} |")
    for cut, by_rank in one["cuts"].items():
        lines.append(f"| *pagerank, arcs dealt {cut}* | {' | '.join(cut_cell(by_rank, p) for p in ranks)} |")
    spark = [f"{result['graphx'][str(p)] / 1e3:,.0f}" if str(p) in result["graphx"] else "" for p in ranks]
    lines.append(f"| *GraphX's PageRank, shuffled by a partition* | {' | '.join(spark)} |")
    lines += ["", "Messages of that rank in a step.", "", heads, line]
    for name in result["kernels"]:
        lines.append(f"| {name} | {' | '.join(cells(one, name, ranks, lambda s: s['messages']))} |")
    lines += ["", "Peak memory of a rank [MB], the build too; a rank that does nothing has about 20.", "", heads, line]
    for name in result["kernels"]:
        row = [f"{step(runs)['memory'] / int(p) / 1e6:,.0f}" for p, runs in by_ranks(one, name, ranks)]
        lines.append(f"| {name} | {' | '.join(row)} |")
    grown = {p: graphs[str(scale)] for p, scale in zip(ranks, result["grown"], strict=True)}
    first = f"R-MAT {result['grown'][0]} for one rank, {result['grown'][-1]} for {ranks[-1]}"
    lines += ["", f"## As large as there are ranks: {first}", "", "KB in a step.", "", heads, line]
    for name in result["kernels"]:
        row = [cells(grown[p], name, [p], lambda s: s["bytes"] / 1e3)[0] for p in ranks]
        lines.append(f"| {name} | {' | '.join(row)} |")
    for cut in CUTS:
        row = [cut_cell(grown[p]["cuts"][cut], p) for p in ranks]
        lines.append(f"| *pagerank, arcs dealt {cut}* | {' | '.join(row)} |")
    return "\n".join([*lines, *modelled(result)]) + "\n"


def cut_cell(by_rank, ranks):
    return f"{by_rank[str(ranks)] / 1e3:,.0f}" if ranks > 1 else "0"


def by_ranks(of_graph, name, ranks):
    for p in ranks:
        if good := [run for run in of_graph["kernels"][name].get(str(p), []) if "failed" not in run]:
            yield p, good


def cells(of_graph, name, ranks, of_step):
    found = {p: f"{of_step(step(runs)):,.0f}" for p, runs in by_ranks(of_graph, name, ranks)}
    return [found.get(p, "-") for p in ranks]


def modelled(result):
    lines = ["", "## Model", ""]
    lines += [
        "Seconds of a rank in a step = arcs of a rank * a + messages * b + bytes * c, fitted to all runs above; the"
        " errors are medians. *Powers*: bytes of a rank follow ranks and edges by these.",
        "",
        "| kernel | a [ns] | b [us] | c [ns] | error | powers of ranks, edges | error of bytes |",
        "|---|---:|---:|---:|---:|---|---:|",
    ]
    models = {name: Model(points(result, name), result["machine"]["cores"]) for name in MODELLED}
    for name, model in models.items():
        a, b, c = model.costs
        _, of_ranks, of_edges = model.powers["bytes"]
        lines.append(
            f"| {name} | {a * 1e9:.2f} | {b * 1e6:.1f} | {c * 1e9:.3f} | {model.error:.0%} | {of_ranks:.2f},"
            f" {of_edges:.2f} | {model.counted_error:.0%} |"
        )
    lines += ["", f"What it says of a step with one rank of {CORES} such processors on each host, in ms: computing +"]
    lines[-1] += " network of " + ", ".join(f"{n} ({1e6 * s:.0f} us a message)" for n, (_, s) in NETWORKS.items()) + "."
    lines += ["", "| hosts | edges | " + " | ".join(MODELLED) + " |", "|---:|---:|" + "---:|" * len(MODELLED)]
    for hosts, edges in FAR:
        row = []
        for model in models.values():
            far = [model.far(hosts, edges, network) for network in NETWORKS]
            row.append(f"{far[0][0] * 1e3:,.1f} + {' or '.join(f'{net * 1e3:,.1f}' for _, net in far)}")
        lines.append(f"| {hosts} | {edges:.0e} | {' | '.join(row)} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=int, default=18, help="of the graph of one size")
    parser.add_argument("--first", type=int, default=14, help="scale of the graph of one rank, where they grow")
    parser.add_argument("--most", type=int, default=64, help="ranks")
    parser.add_argument("--kernels", default=",".join(KERNELS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--timeout", type=int, default=120, help="seconds for each program")
    args = parser.parse_args()
    ranks = [1 << i for i in range(args.most.bit_length())]
    said = " ".join(sys.argv[1:])
    result = {
        "date": datetime.date.today().isoformat(),
        "command": "make bench-ranks" + (f' ARGS="{said}"' if said else ""),
        "machine": machine.describe(),
        "rounds": args.rounds,
        "ranks": ranks,
        "fixed": args.scale,
        "grown": [args.first + i for i in range(len(ranks))],
        "kernels": args.kernels.split(","),
        "graphs": {},
        "graphx": {},
    }
    of_graph = {args.scale: list(ranks)}
    for p, scale in zip(ranks, result["grown"], strict=True):
        of_graph.setdefault(scale, [])
        if p not in of_graph[scale]:
            of_graph[scale].append(p)
    for scale, some in of_graph.items():
        result["graphs"][str(scale)] = measured(scale, some, result["kernels"], args.rounds, args.timeout)
    result["graphx"] = {str(p): shuffled(args.scale, p) for p in ranks if 1 < p <= 16}
    print(markdown(result))
    print(results.keep("ranks", result, markdown(result)), file=sys.stderr)


if __name__ == "__main__":
    main()
