# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A result of `make bench-graph` as Markdown: beside Spark, beside the peers, by threads and ranks, builds, budgets."""

import statistics

from graph_engines import WARM_S

from sparkgap import spec

# Set for this scale of R-MAT on 2 threads: how many times faster than GraphX from a table and on a graph, the kernel
# alone [s].
BUDGETS = [
    (20, "pagerank", 30, 60, 0.35),
    (20, "sssp", 20, 80, 0.11),
    (20, "components", 15, 50, 0.02),
    (20, "labelprop", None, None, 0.6),
    (18, "labelprop", 100, None, None),
]
BUILD_BUDGETS = {"dense": 0.3, "sparse": 0.6}  # at scale 20, alone [s]
PEERS = {"networkit": "NetworKit", "igraph": "igraph"}
# Those that go over all edges once in each iteration.
ITERATED = [name for name in spec.names() if any(p.name == "max_iterations" for p in spec.load(name).parameters)]


def median(runs, *path):
    """Of a figure over the runs that have it; None where none has."""
    values = []
    for figures in runs:
        for key in path:
            figures = figures.get(key) if isinstance(figures, dict) else None
        if isinstance(figures, (int, float)):
            values.append(figures)
    return statistics.median(values) if values else None


def shown(value, digits=2):
    if value is None:
        return ""
    return f"{value:.{digits}f}" if value >= 0.1 or value == 0 else f"{value:.4f}" if value < 0.01 else f"{value:.3f}"


class Figures:
    """What the tables ask of a result."""

    def __init__(self, result):
        self.runs, self.graph = result["runs"], result["graph"]
        self.builds, self.by_size = {}, {}
        for one in result["alone"]:
            for kind, runs in one["builds"].items():
                self.builds.setdefault(kind, []).extend(runs)
            for name, sizes in one["kernels"].items():
                for size, runs in sizes.items():
                    self.by_size.setdefault(name, {}).setdefault(size, []).extend(runs)

    def of(self, engine, name, *path):
        return median(self.runs[engine].get(name, []), *path)

    def failed(self, engine, name):
        return next((r["failed"] for r in self.runs[engine].get(name, []) if "failed" in r), None)

    def graphx(self, name):
        """(seconds, whether they are only a lower bound)."""
        deadline = self.of("spark", name, "deadline_s")
        return (deadline, True) if deadline else (self.of("spark", name, "wall_s"), False)

    def alone(self, name, size, what="compute_s"):
        return median(self.by_size.get(name, {}).get(size, []), what)

    def kernel(self, name):
        """The kernel's own seconds on all threads: without Spark where that was measured."""
        alone = self.alone(name, f"1x{self.graph['threads']}")
        return self.of("native", name, "on_graph", "compute_s") if alone is None else alone

    def times(self, name, *path):
        """How many times faster than GraphX: "12.3", or ">12.3" where GraphX did not end."""
        (theirs, bound), ours = self.graphx(name), self.of("native", name, *path)
        return (theirs / ours, bound) if theirs and ours else (None, False)


def markdown(result):
    """The whole text for one result."""
    f = Figures(result)
    parts = [head(result)]
    if any(f.runs["spark"].values()) or any(f.runs["native"].values()):
        parts.append(beside_spark(f, result))
    if any(f.runs[p] for p in PEERS):
        parts.append(beside_peers(f, result))
    if f.by_size:
        parts += [by_size(f), builds(f)]
    parts.append(budgets(f))
    return "\n\n".join(part for part in parts if part)


def head(result):
    m, g = result["machine"], result["graph"]
    return (
        f"{g['name']}, {g['edges']:,} edges, weights 1 to 255 where the input has none; median of {g['rounds']}"
        f" interleaved rounds. {m['processor']}, {m['cores']} cores, {m['triad_gb_per_s'] or 0:.1f} GB/s triad; Java"
        f" {m['java']}, Spark {m['packages']['pyspark']}, NetworKit {m['packages']['networkit']}, igraph"
        f" {m['packages']['igraph']}; load {m['load_1min']} at start; commit"
        f" {m['commit']}{' + changes' if m['changed'] else ''}; {result['date']}; `{result['command']}`."
    )


def beside_spark(f, result):
    lines = [
        (
            "Seconds of wall time. *From a table*: cached, counted DataFrame to a result in the store's memory,"
            " counted, the build included. *On a graph*: the same from a graph that `build` made. *Kernel*: compute"
            " alone, called from Spark. *B/edge*: peak memory of the ranks from a table, beyond the mapped input."
            " GraphX: heap 12 GB, Kryo, from the cached DataFrame. Both have the Parallel collector and run each"
            f" algorithm on a small graph for {WARM_S} s before."
        ),
        "",
        (
            "| algorithm | from a table | CPU s | B/edge | on a graph | kernel | GraphX | its CPU s | table x | graph x"
            " | results |"
        ),
        "|---|" + "---:|" * 9 + "---|",
    ]
    for name in f.graph["algorithms"]:
        peak, mapped = (f.of("native", name, "call", what) for what in ("peak_rss_bytes", "bytes_copied"))
        ratios = [
            f"{'>' if bound else ''}{ratio:.1f}" if ratio else ""
            for ratio, bound in (f.times(name, "wall_s"), f.times(name, "on_graph", "wall_s"))
        ]
        same = result["results_equal"].get(name)
        lines.append(
            f"| {name} | {shown(f.of('native', name, 'wall_s')) or f.failed('native', name) or ''} |"
            f" {shown(f.of('native', name, 'cpu_s'))} | {shown((peak - mapped) / f.graph['edges'], 1) if peak else ''}"
            f" | {shown(f.of('native', name, 'on_graph', 'wall_s'))} |"
            f" {shown(f.of('native', name, 'on_graph', 'compute_s'))} |"
            f" {shown(f.of('spark', name, 'wall_s')) or f.failed('spark', name) or ''} |"
            f" {shown(f.of('spark', name, 'cpu_s'))} | {ratios[0]} | {ratios[1]} |"
            f" {'equal' if same is True else same or ''} |"
        )
    build = f.runs["native"].get("build", [])
    if build:
        lines += [
            "",
            (
                f"`build` by Spark with weights, both directions: {shown(median(build, 'call', 'phases', 'build_s'))} s"
                f" ({shown(median(build, 'wall_s'))} s whole way); without weights"
                f" {shown(median(build, 'plain', 'call', 'phases', 'build_s'))} s"
                f" ({shown(median(build, 'plain', 'wall_s'))} s)."
            ),
        ]
    return "\n".join(lines)


def beside_peers(f, result):
    lines = [
        (
            f"The algorithm alone, {f.graph['threads']} threads (igraph has one), in seconds; *with build*: and the"
            " graph from arrays of edges. The peers get dense ids, for labelprop, lcc, triangles and kcore a graph"
            " without direction, loops and duplicates, made beforehand and not counted; their label propagation (PLP;"
            " until nothing changes) is another, asynchronous method, igraph's PageRank runs to the limit. *x*: the"
            " best peer's time over ours."
        ),
        "",
        "| algorithm | kernel | NetworKit | igraph | x | with build | NetworKit | igraph | x | results |",
        "|---|" + "---:|" * 8 + "---|",
    ]
    for name in f.graph["algorithms"]:
        kernel, build_s = f.kernel(name), median(f.builds.get("weighted" if name == "sssp" else "dense", []), "build_s")
        theirs = [f.of(p, name, "wall_s") for p in PEERS]
        built = [wall + f.of(p, name, "build_s") if wall else None for p, wall in zip(PEERS, theirs, strict=True)]
        ours = kernel + build_s if kernel and build_s else f.of("native", name, "call", "phases", "build_s")
        said = [shown(wall) or f.failed(p, name) or "" for p, wall in zip(PEERS, theirs, strict=True)]
        found = [result["peers_equal"][p].get(name) for p in PEERS]
        same = "; ".join(dict.fromkeys("equal" if e is True else e for e in found if e is not None))
        lines.append(
            f"| {name} | {shown(kernel)} | {' | '.join(said)} | {shown(best(theirs, kernel), 1)} | {shown(ours)} | "
            f"{' | '.join(map(shown, built))} | {shown(best(built, ours), 1)} | {same} |"
        )
    return "\n".join(lines)


def best(theirs, ours):
    """The fastest peer's time over ours."""
    there = [t for t in theirs if t]
    return min(there) / ours if there and ours else None


def by_size(f):
    threads = f.graph["threads"]
    one, many, ranks = "1x1", f"1x{threads}", f"{threads}x1"
    lines = [
        (
            "Each kernel alone on a built graph with weights, without Spark, in seconds. *M edges/s*: edges over the"
            " kernel's seconds, for pagerank and labelprop times the iterations. *B/edge*: peak memory of all ranks,"
            " the mapped graph included."
        ),
        "",
        f"| algorithm | 1 thread | {threads} threads | x | {threads} ranks | x | M edges/s | B/edge |",
        "|---|" + "---:|" * 7,
    ]
    for name in f.graph["algorithms"]:
        single, threaded, ranked = (f.alone(name, size) for size in (one, many, ranks))
        over = f.graph["edges"] * ((f.alone(name, many, "iterations") or 1) if name in ITERATED else 1)
        failed = next((r["failed"] for runs in f.by_size.get(name, {}).values() for r in runs if "failed" in r), "")
        lines.append(
            f"| {name} | {shown(single, 3)} | {shown(threaded, 3)} |"
            f" {shown(single / threaded) if single and threaded else ''} | {shown(ranked, 3)} |"
            f" {shown(single / ranked) if single and ranked else failed} |"
            f" {shown(over / threaded / 1e6, 0) if threaded else ''} |"
            f" {shown((f.alone(name, many, 'peak_rss_bytes') or 0) / f.graph['edges'], 1)} |"
        )
    return "\n".join(lines)


def builds(f):
    what = {"dense": "dense ids", "sparse": "the same ids, scrambled over 64 bits", "weighted": "dense ids, weights"}
    lines = [
        (
            f"`build` alone, {f.graph['threads']} threads, both directions. *B/edge*: of the stored graph; peak memory"
            " of the build beyond the mapped input."
        ),
        "",
        "| input | s (least to most) | M edges/s | stored B/edge | peak B/edge |",
        "|---|---:|---:|---:|---:|",
    ]
    for kind, runs in f.builds.items():
        seconds = [r["build_s"] for r in runs if "build_s" in r]
        if not seconds:
            lines.append(f"| {what[kind]} | {runs[0]['failed']} | | | |")
            continue
        took, edges = statistics.median(seconds), f.graph["edges"]
        beyond = median(runs, "peak_rss_bytes") - median(runs, "input_bytes")
        lines.append(
            f"| {what[kind]} | {shown(took, 3)} ({shown(min(seconds), 3)} to {shown(max(seconds), 3)}) |"
            f" {edges / took / 1e6:.0f} | {median(runs, 'stored_bytes') / edges:.1f} | {beyond / edges:.1f} |"
        )
    return "\n".join(lines)


def budgets(f):
    """Those that are set for this graph: each reached, or missed."""
    rows = []

    def row(what, wanted, value, unit, least, bound=False):
        if wanted is None or value is None:
            return
        ok = value >= wanted if least else value <= wanted
        said = "reached" if ok else "open: GraphX was not waited for" if bound else "missed"
        digits = 1 if least else 3
        rows.append(
            f"| {what} | {'at least' if least else 'at most'} {wanted:g} {unit} |"
            f" {'>' if bound else ''}{value:.{digits}f} {unit} | {said} |"
        )

    for scale, name, table_x, graph_x, kernel_s in BUDGETS:
        if scale == f.graph["scale"] and name in f.graph["algorithms"]:
            for what, wanted, path in (
                ("from a table", table_x, ("wall_s",)),
                ("on a graph", graph_x, ("on_graph", "wall_s")),
            ):
                ratio, bound = f.times(name, *path)
                row(f"{name} {what}, GraphX's time over ours", wanted, ratio, "x", True, bound)
            row(f"{name} kernel", kernel_s, f.kernel(name), "s", False)
    if f.graph["scale"] == 20:
        for kind, wanted in BUILD_BUDGETS.items():
            row(f"build alone, {kind} ids", wanted, median(f.builds.get(kind, []), "build_s"), "s", False)
    for name in f.graph["algorithms"]:
        row(
            f"{name} kernel, the best peer's time over ours",
            1,
            best([f.of(p, name, "wall_s") for p in PEERS], f.kernel(name)),
            "x",
            True,
        )
    return (
        "\n".join(["| budget (quiet machine, 2 cores) | wanted | measured | |", "|---|---:|---:|---|", *rows])
        if rows
        else ""
    )
