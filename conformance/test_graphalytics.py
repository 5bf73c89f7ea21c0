# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The example graphs of LDBC Graphalytics: all six algorithms, by the benchmark's own match rules."""

from pathlib import Path

import pyarrow as pa
import pytest
from conftest import DATA
from match import compare

import sparkgap
from sparkgap import spec

GRAPHS = sorted(p.name.removesuffix("-PR") for p in (DATA / "graphalytics").glob("example-*-PR")) or ["example"]
NUMBER = {"BFS": int, "CDLP": int, "LCC": float, "PR": float, "SSSP": float, "WCC": int}
# LDBC's own, by the kernel.
RULES = {
    "bfs": {"rule": "exact", "epsilon": 0},
    "components": {"rule": "equivalence", "epsilon": 0},
    "labelprop": {"rule": "exact", "epsilon": 0},
    "lcc": {"rule": "epsilon", "epsilon": 1e-4},
    "pagerank": {"rule": "epsilon", "epsilon": 1e-4},
    "sssp": {"rule": "epsilon", "epsilon": 1e-4},
}
only_classic = pytest.mark.parametrize("spark", ["classic"], indirect=True)


class Example:
    """One graph of the benchmark, and what its properties ask for."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        lines = (
            line.partition("=") for line in (folder / f"{name}.properties").read_text().splitlines() if "=" in line
        )
        self.properties = {key.strip().removeprefix(f"graph.{name}."): value.strip() for key, _, value in lines}
        self.directed = self.properties["directed"] == "true"
        rows = [line.split() for line in (folder / f"{name}.e").read_text().splitlines()]
        self.edges = [(int(u), int(v), float(w)) for u, v, w in rows]
        self.vertices = [(int(line),) for line in (folder / f"{name}.v").read_text().split()]

    def tables(self, spark):
        edges = spark.createDataFrame(self.edges, "src bigint, dst bigint, weight double")
        return edges, spark.createDataFrame(self.vertices, "id bigint")

    def call(self, algorithm):
        """The kernel's name and arguments."""
        asked = self.properties
        return {
            "BFS": lambda: ("bfs", {"source": int(asked["bfs.source-vertex"]), "variant": "ldbc"}),
            "CDLP": lambda: ("labelprop", {"max_iterations": int(asked["cdlp.max-iterations"]), "variant": "ldbc"}),
            "LCC": lambda: ("lcc", {}),
            "PR": lambda: (
                "pagerank",
                {
                    "damping": float(asked["pr.damping-factor"]),
                    "max_iterations": int(asked["pr.num-iterations"]),
                    "variant": "ldbc",
                },
            ),
            "SSSP": lambda: (
                "sssp",
                {"source": int(asked["sssp.source-vertex"]), "weight": asked["sssp.weight-property"]},
            ),
            "WCC": lambda: ("components", {}),
        }[algorithm]()

    def agrees(self, result, algorithm):
        """Whether a kernel's result is the reference."""
        kernel = self.call(algorithm)[0]
        rows = [line.split() for line in (self.folder / f"{self.name}-{algorithm}").read_text().splitlines()]
        column = spec.load(kernel).output[-1][0]
        expected = pa.table({"id": [int(v) for v, _ in rows], column: [NUMBER[algorithm](x) for _, x in rows]})
        match = compare(result, expected, **RULES[kernel])
        assert match.ok, match.why
        assert match.rows == len(self.vertices)


@pytest.fixture(params=GRAPHS)
def example(request, data):
    return Example(data / "graphalytics", request.param)


@pytest.mark.parametrize(("algorithm", "ranks"), [*((a, r) for a in NUMBER for r in (1, 2)), ("WCC", 4), ("PR", 4)])
@only_classic
def test_from_tables_and_from_a_stored_graph(spark, example, algorithm, ranks):
    kernel, arguments = example.call(algorithm)
    run = getattr(sparkgap.graph, kernel)
    edges, vertices = example.tables(spark)
    on = {"ranks": ranks, "threads": 1}
    result = run(edges, vertices=vertices, directed=example.directed, **arguments, **on)
    assert result.sparkgap.ranks == ranks
    example.agrees(result, algorithm)
    weight = arguments.get("weight")
    with sparkgap.graph.build(edges, vertices=vertices, directed=example.directed, weight=weight, **on) as g:
        example.agrees(run(g, **arguments, **on), algorithm)
        example.agrees(run(g, **arguments, ranks=3 - ranks if ranks < 3 else 1, threads=1), algorithm)


@pytest.mark.parametrize("algorithm", NUMBER)
@pytest.mark.parametrize("spark", ["connect"], indirect=True)
def test_over_connect(spark, example, algorithm):
    kernel, arguments = example.call(algorithm)
    edges, vertices = example.tables(spark)
    weight = arguments.get("weight")
    with sparkgap.graph.build(edges, vertices=vertices, directed=example.directed, weight=weight) as g:
        example.agrees(getattr(g, kernel)(**arguments), algorithm)


@pytest.mark.parametrize("algorithm", NUMBER)
@only_classic
def test_by_sparks_own_library(spark, example, algorithm):
    kernel, arguments = example.call(algorithm)
    edges, vertices = example.tables(spark)
    run = getattr(sparkgap.graph, kernel)
    if (kernel, arguments.get("variant")) == ("pagerank", "ldbc"):
        with pytest.raises(sparkgap.ArgumentError):  # GraphX has GraphX's definition only
            run(edges, vertices=vertices, directed=example.directed, engine="spark", **arguments)
        return
    example.agrees(run(edges, vertices=vertices, directed=example.directed, engine="spark", **arguments), algorithm)


@pytest.mark.parametrize("kernel", RULES)
def test_a_kernel_is_held_to_the_rule_or_to_a_stricter_one(kernel):
    assert spec.load(kernel).match in (RULES[kernel], {"rule": "exact", "epsilon": 0})


def test_all_example_graphs_are_there(data):
    assert {"example-directed", "example-undirected"} <= set(GRAPHS)
    assert (Path(data) / "graphalytics" / "example-directed.e").is_file()
