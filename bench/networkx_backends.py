# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make bench-networkx`: functions of networkx on a graph of its own, by networkx and its backends.

Two figures of each: the first call, in which a backend converts the graph, and one on the converted graph. Backends
that are installed take part (`pip install nx-parallel graphblas-algorithms`). Writes bench/results/networkx.{json,md}.
"""

import argparse
import datetime
import os
import statistics
import sys
import time
from pathlib import Path

import machine
import networkx as nx
import pyarrow.parquet as pq
import results

CALLS = {
    "pagerank": (lambda directed, _, **how: nx.pagerank(directed, **how)),
    "weakly_connected_components": (lambda directed, _, **how: list(nx.weakly_connected_components(directed, **how))),
    "strongly_connected_components": (
        lambda directed, _, **how: list(nx.strongly_connected_components(directed, **how))
    ),
    "single_source_shortest_path_length": (
        lambda directed, _, **how: nx.single_source_shortest_path_length(directed, 0, **how)
    ),
    "triangles": (lambda _, simple, **how: nx.triangles(simple, **how)),
    "average_clustering": (lambda _, simple, **how: nx.average_clustering(simple, **how)),
    "core_number": (lambda _, simple, **how: nx.core_number(simple, **how)),
}
ENGINES = ("networkx", "sparkgap", "parallel", "graphblas")


def graphs(file):
    """The graph with directions, and the simple one without."""
    table = pq.read_table(file)
    directed = nx.DiGraph(zip(*(table[name].to_pylist() for name in ("src", "dst")), strict=True))
    simple = nx.Graph(directed)
    simple.remove_edges_from(list(nx.selfloop_edges(simple)))
    return directed, simple


def once(call, engine, pair):
    """Seconds of the first call and of the next, None where the backend has no such function, and its result."""
    for graph in pair:
        graph.__networkx_cache__.clear()
    seconds, found = [], None
    for _ in range(2):
        begin = time.monotonic()
        try:
            found = call(*pair, backend=engine)
        except (ImportError, NotImplementedError, TypeError, AttributeError) as e:
            print(f"{engine}: {type(e).__name__}: {str(e)[:100]}", file=sys.stderr)
            return None, None
        seconds.append(time.monotonic() - begin)
    return {"first_s": seconds[0], "again_s": seconds[1]}, found


def same(found, expected):
    if isinstance(expected, list):
        return sorted(map(len, found)) == sorted(map(len, expected))
    if isinstance(expected, float):
        return abs(found - expected) < 1e-9
    return found.keys() == expected.keys() and all(abs(found[k] - v) < 1e-5 for k, v in expected.items())


def measure(rounds, pair, engines):
    cells = {}
    for name, call in CALLS.items():
        runs = cells.setdefault(name, {engine: [] for engine in engines})
        for _ in range(rounds):
            expected = None
            for engine in engines:
                figures, found = once(call, engine, pair)
                if engine == "networkx":
                    expected = found
                elif figures is not None and not same(found, expected):
                    figures = None
                    print(f"{name}: {engine} gives another result", file=sys.stderr)
                if figures is not None:
                    runs[engine].append(figures)
        print(f"{name}: " + ", ".join(f"{e} {cell(found)}" for e, found in runs.items()), file=sys.stderr, flush=True)
    return cells


def cell(runs):
    if not runs:
        return "none"
    first, again = (statistics.median(run[key] for run in runs) for key in ("first_s", "again_s"))
    return f"{first:.2f}, {again:.2f}"


def markdown(result):
    m, cells = result["machine"], result["networkx"]
    engines = list(next(iter(cells.values())))
    lines = [
        f"{m['processor']}, {m['cores']} cores; load {m['load_1min']} at start; commit {m['commit']}"
        f"{' + changes' if m['changed'] else ''}; {result['date']}; `{result['command']}`.",
        "",
        f"{result['graph']}; seconds of the first call and of the next, medians of {result['rounds']} rounds in turn."
        " none: the backend has no such function, or gave another result.",
        "",
        "| | " + " | ".join(engines) + " |",
        "|---|" + "---:|" * len(engines),
        *(f"| `{name}` | " + " | ".join(cell(runs[e]) for e in engines) + " |" for name, runs in cells.items()),
    ]
    return "\n".join(lines) + "\n"


def main():
    data = Path(os.environ.get("SPARKGAP_DATA", "data")) / "graphs" / "web-NotreDame.parquet"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--graph", type=Path, default=data, help="Parquet with src and dst")
    parser.add_argument("--out", type=Path, default=results.PLACE, help="folder for the results")
    args = parser.parse_args()
    nx.config.warnings_to_ignore = {"cache"}
    installed = [e for e in ENGINES if e == "networkx" or e in nx.config.backends]
    pair = graphs(args.graph)
    said = " ".join(sys.argv[1:])
    result = {
        "date": datetime.date.today().isoformat(),
        "command": "make bench-networkx" + (f' ARGS="{said}"' if said else ""),
        "machine": machine.describe(),
        "rounds": args.rounds,
        "graph": f"{args.graph.stem}, {pair[0].number_of_nodes():,} nodes, {pair[0].number_of_edges():,} edges",
    }
    result["networkx"] = measure(args.rounds, pair, installed)
    print(markdown(result))
    print(results.keep("networkx", result, markdown(result), args.out), file=sys.stderr)


if __name__ == "__main__":
    main()
