# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make bench-scaling`: the build of a graph and every kernel with 1, 2, 4, ... threads, and as many ranks.

Placements take turns in each round. Times are those of the kernel's own work (`compute`, of the build `build`): they
leave out the start and what reads and writes. Writes bench/results/scaling.{json,md}.
"""

import argparse
import datetime
import statistics
import sys
import time

import machine
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import results

import sparkgap
from sparkgap import local, spec

SPECS = {name: about for name in spec.names() if (about := spec.load(name)).tables}
# Without this a run is as long as the data say.
FIXED = {"logreg": {"max_iter": 20, "tol": 0.0}, "kmeans": {"k": 16, "max_iter": 10, "tol": 0.0}}
UNDIRECTED = {"kcore", "mis", "triangles", "lcc"}
ROWS, FEATURES = 2_000_000, 20
NONZEROS, SIDE, RANK = 4_000_000, 100_000, 16


def placements(cores):
    """(ranks, threads of each): threads in one rank, then ranks of one thread."""
    steps = [1 << n for n in range(cores.bit_length())]
    return [(1, n) for n in steps] + [(n, 1) for n in steps[1:]]


def learning_rows():
    """Two classes of vectors, with a label that is also a count."""
    random = np.random.default_rng(1)
    label = random.integers(0, 2, ROWS)
    values = {f"x{i}": np.abs(random.normal(0.2 * label * (i % 3), 1.0)) for i in range(FEATURES)}
    return pa.table({**values, "label": label.astype(float)})


def tensor():
    """A sparse tensor of three modes."""
    random = np.random.default_rng(1)
    keys = {name: (random.random(NONZEROS) ** 2 * SIDE).astype(np.int64) for name in "ijk"}
    return pa.table({**keys, "value": random.random(NONZEROS)})


def calls(scale):
    """The kernels by name: what runs each with `ranks` and `threads`; and the number of edges."""
    edges = local.rmat(scale=scale, seed=1)
    weights = np.random.default_rng(1).random(edges.num_rows)
    weighted = pa.table({"src": edges["src"], "dst": edges["dst"], "weight": weights})
    source = pc.mode(edges["src"])[0].as_py()["mode"]
    graph = local.build(weighted, weight="weight")
    both = local.build(edges, directed=False)
    rows, cells = learning_rows(), tensor()
    x = [name for name in rows.column_names if name != "label"]

    def of(name, about):
        if about.makes_graph:
            return lambda **where: local.build(edges, **where).drop()
        if about.family == "tensor":
            more = {"modes": ["i", "j", "k"], "rank": RANK, "max_iter": 5, "tol": 0.0}
            return lambda **where: getattr(local, name)(cells, **more, **where)
        if about.family == "ml":
            return lambda **where: getattr(local, name)(rows, features=x, **FIXED.get(name, {}), **where)
        handle = both if name in UNDIRECTED else graph
        more = {p.name: source for p in about.parameters if p.required}
        return lambda **where: getattr(handle, name)(**more, **where)

    found = {name: of(name, about) for name, about in SPECS.items()}
    return found, edges.num_rows


def once(call, ranks, threads):
    """Seconds of the kernel's own work and of the call, and the memory of the largest rank; what failed otherwise."""
    try:
        call(ranks=ranks, threads=threads, timeout_s=120)
    except sparkgap.SparkGapError as e:
        return {"failed": str(e).splitlines()[0]}
    said = sparkgap.last_call()
    own = "build_s" if said.kernel == "build" else "compute_s"
    return {"work_s": said.phases[own], "total_s": said.total_s, "peak_rss_bytes": said.peak_rss_bytes}


def measure(scale, kernels, cores, rounds, until):
    """Runs by kernel and "ranks x threads"; no round begins after `until`."""
    known, edges = calls(scale)
    cells = {name: {f"{r} x {t}": [] for r, t in placements(cores)} for name in known if name in kernels}
    for number in range(rounds):
        for name, by_placement in cells.items():
            if number and time.monotonic() > until:
                break
            for ranks, threads in placements(cores):
                by_placement[f"{ranks} x {threads}"].append(once(known[name], ranks, threads))
            said = {place: runs[-1].get("work_s", "failed") for place, runs in by_placement.items()}
            print(f"round {number + 1}, {name}: {said}", file=sys.stderr, flush=True)
    return cells, edges


def median(runs):
    """Of the seconds of work; None where a run failed."""
    return None if any("failed" in run for run in runs) else statistics.median(run["work_s"] for run in runs)


def markdown(result):
    """A table of speed-ups."""
    m, cells = result["machine"], result["scaling"]
    places = list(next(iter(cells.values())))
    lines = [
        f"{m['processor']}, {m['cores']} cores; load {m['load_1min']} at start; commit {m['commit']}"
        f"{' + changes' if m['changed'] else ''}; {result['date']}; `{result['command']}`.",
        "",
        f"R-MAT {result['scale']} ({result['edges'] / 1e6:.1f} M edges); learners {ROWS / 1e6:.0f} M rows of {FEATURES}"
        f" numbers; CPD {NONZEROS / 1e6:.0f} M cells, rank {RANK}. Seconds of the kernel's own work with one thread,"
        f" median of {result['rounds']} rounds in turn; then how many times faster, by ranks x threads.",
        "",
        "| | s | " + " | ".join(places[1:]) + " |",
        "|---|---:|" + "---:|" * len(places[1:]),
    ]
    for name, by_placement in cells.items():
        times = {place: median(runs) for place, runs in by_placement.items() if runs}
        one = times.get(places[0])
        faster = (f"{one / times[p]:.1f}" if one and times.get(p) else "-" for p in places[1:])
        lines.append(f"| {name} | {f'{one:.3f}' if one else '-'} | {' | '.join(faster)} |")
    return "\n".join(lines) + "\n"


def main():
    """Measure and keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=int, default=20, help="of the R-MAT graph")
    parser.add_argument("--kernels", default=",".join(SPECS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=60, help="no round begins after these")
    parser.add_argument("--out", type=results.Path, default=results.PLACE, help="folder for the results")
    args = parser.parse_args()
    until = time.monotonic() + 60 * args.minutes
    said, about = " ".join(sys.argv[1:]), machine.describe()
    cells, edges = measure(args.scale, args.kernels.split(","), about["cores"], args.rounds, until)
    result = {
        "date": datetime.date.today().isoformat(),
        "command": "make bench-scaling" + (f' ARGS="{said}"' if said else ""),
        "machine": about,
        "scale": args.scale,
        "edges": edges,
        "rounds": args.rounds,
        "scaling": cells,
    }
    print(markdown(result))
    print(results.keep("scaling", result, markdown(result), args.out), file=sys.stderr)


if __name__ == "__main__":
    main()
