# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The example graphs of LDBC Graphalytics with their reference results, by the benchmark's own rule."""

from pathlib import Path

import pyarrow as pa
import pytest
from conftest import DATA

import sparkgap
from sparkgap import spec
from sparkgap.match import compare

EPSILON = 1e-4
GRAPHS = sorted(p.name.removesuffix("-PR") for p in (DATA / "graphalytics").glob("example-*-PR")) or ["example"]


def load(folder, name):
    """Edges, vertices, reference as tables, and the properties of the graph."""
    rows = [line.split() for line in (folder / f"{name}.e").read_text().splitlines()]
    edges = [(int(r[0]), int(r[1])) for r in rows]
    vertices = [int(line) for line in (folder / f"{name}.v").read_text().split()]
    reference = [line.split() for line in (folder / f"{name}-PR").read_text().splitlines()]
    expected = pa.table({"id": [int(v) for v, _ in reference], "pagerank": [float(r) for _, r in reference]})
    lines = (line.partition("=") for line in (folder / f"{name}.properties").read_text().splitlines() if "=" in line)
    return edges, vertices, expected, {key.strip(): value.strip() for key, _, value in lines}


@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("name", GRAPHS)
def test_pagerank(spark, data, name, ranks):
    edges, vertices, expected, properties = load(data / "graphalytics", name)
    prefix = f"graph.{name}"
    result = sparkgap.graph.pagerank(
        spark.createDataFrame(edges, "src bigint, dst bigint"),
        vertices=spark.createDataFrame([(v,) for v in vertices], "id bigint"),
        directed=properties[f"{prefix}.directed"] == "true",
        damping=float(properties[f"{prefix}.pr.damping-factor"]),
        max_iterations=int(properties[f"{prefix}.pr.num-iterations"]),
        variant="ldbc",
        ranks=ranks,
        threads=1,
    )
    match = compare(result, expected, rule="epsilon", epsilon=EPSILON)
    assert match.ok, match.why
    assert match.rows == len(vertices)
    assert result.sparkgap.ranks == ranks


def test_the_rule_is_that_of_the_kernel():
    assert spec.load("pagerank").match == {"rule": "epsilon", "epsilon": EPSILON}


def test_all_example_graphs_are_there(data):
    assert {"example-directed", "example-undirected"} <= set(GRAPHS)
    assert (Path(data) / "graphalytics" / "example-directed.e").is_file()
