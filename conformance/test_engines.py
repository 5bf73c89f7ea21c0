# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Native ranks against Spark's own library, and both against plain oracles, on random graphs with every trap in
them.
"""

import math
import random
import re

import oracle
import pyarrow as pa
import pytest
from match import compare

import sparkgap
from sparkgap import spec
from sparkgap.lab.workloads import peers

# GraphX breaks ties between labels as it likes; only the other rule can be compared.
OPTIONS = {"labelprop": {"variant": "ldbc", "max_iterations": 4}, "sssp": {"weight": "w"}}
KERNELS = [name for name in spec.names() if any(i.stored_graph for i in spec.load(name).inputs)]
CLOSE = 1e-6

pytestmark = pytest.mark.parametrize("spark", ["classic"], indirect=True)


class Drawn:
    """A random graph with loops, repeated edges, two parts, isolated vertices and weights of which some are 0."""

    def __init__(self, kind):
        rng = random.Random(11)
        numbers = [rng.randrange(-(2**62), 2**62) for _ in range(60)]
        ids = numbers if kind == "bigint" else [f"ü{n}" for n in numbers[:-1]] + [""]
        near, far = ids[:40], ids[40:52]
        rows = [(rng.choice(near[:25]), rng.choice(near)) for _ in range(150)]
        rows += [(rng.choice(far), rng.choice(far)) for _ in range(20)]
        rows += [(ids[0], ids[0]), *rows[:5]]
        self.kind, self.edges, self.vertices = kind, rows, ids[50:]
        self.weights = [float(rng.randrange(0, 6)) / 2 for _ in rows]
        self.source = rows[0][0]

    def tables(self, spark):
        rows = [(u, v, w) for (u, v), w in zip(self.edges, self.weights, strict=True)]
        edges = spark.createDataFrame(rows, f"src {self.kind}, dst {self.kind}, w double")
        return edges, spark.createDataFrame([(v,) for v in self.vertices], f"id {self.kind}")

    def answer(self, kernel, directed):
        """The oracle's result as a table."""
        given = {"vertices": self.vertices, "directed": directed, **self.arguments(kernel)}
        if "weight" in given:
            given["weights"] = self.weights
        rows = oracle.answers(kernel, self.edges, **given)
        columns = [n for n, _ in spec.load(kernel).output]
        return pa.table(dict(zip(columns, zip(*rows, strict=True), strict=True)))

    def arguments(self, kernel):
        return {p.name: self.source for p in spec.load(kernel).parameters if p.required} | OPTIONS.get(kernel, {})


@pytest.mark.parametrize(("kind", "directed"), [("bigint", False), ("string", True)])
@pytest.mark.parametrize("kernel", KERNELS)
def test_engines_agree(spark, kernel, kind, directed):
    drawn = Drawn(kind)
    edges, vertices = drawn.tables(spark)
    given = drawn.arguments(kernel)
    expected, rule = drawn.answer(kernel, directed), spec.load(kernel).match["rule"]
    for engine, ranks in (("native", 1), ("native", 2), ("spark", None)):
        given |= {"engine": engine, "ranks": ranks, "threads": 1 if ranks else None}
        try:
            found = getattr(sparkgap.graph, kernel)(edges, vertices=vertices, directed=directed, **given)
        except sparkgap.ArgumentError as e:
            there = re.search(r"^engine: expected native for \w+ \(spark is there for (.*)\), found 'spark'", str(e))[1]
            assert kernel not in there.split(", ") and len(there.split(", ")) >= 10
            continue
        assert found.sparkgap.engine == engine
        match = compare(found, expected, rule=rule, epsilon=CLOSE)
        assert match.ok, (engine, ranks, match.why)


@pytest.mark.parametrize("engine", ["native", "spark"])
def test_components_are_named_by_their_smallest_id(spark, engine):
    for kind in ("bigint", "string"):
        drawn = Drawn(kind)
        edges, vertices = drawn.tables(spark)
        found = sparkgap.graph.components(edges, vertices=vertices, engine=engine)
        match = compare(found, drawn.answer("components", True), rule="exact")
        assert match.ok, match.why


@pytest.mark.parametrize("engine", ["native", "spark"])
def test_what_cannot_be_reached(spark, engine):
    edges = spark.createDataFrame([(1, 2), (3, 1)], "src bigint, dst bigint")
    levels = {r["id"]: r["level"] for r in sparkgap.graph.bfs(edges, 1, engine=engine).collect()}
    assert levels == {1: 0, 2: 1, 3: None}
    levels = {r["id"]: r["level"] for r in sparkgap.graph.bfs(edges, 1, variant="ldbc", engine=engine).collect()}
    assert levels == {1: 0, 2: 1, 3: 2**63 - 1}
    distances = {r["id"]: r["distance"] for r in sparkgap.graph.sssp(edges, 1, engine=engine).collect()}
    assert distances == {1: 0.0, 2: 1.0, 3: math.inf}


@pytest.mark.parametrize("kernel", ["bfs", "sssp"])
@pytest.mark.parametrize("engine", ["native", "spark"])
def test_a_source_that_is_no_vertex(spark, kernel, engine):
    edges = spark.createDataFrame([(1, 2), (3, 1)], "src bigint, dst bigint")
    for source in (77, "ann"):
        with pytest.raises(sparkgap.SparkGapError, match=r"^source: "):
            getattr(sparkgap.graph, kernel)(edges, source, engine=engine)


def test_graphx_as_the_lab_has_it(spark):
    """Left to Spark: nothing of it is a table of ours, and it comes back by lineage."""
    edges = spark.createDataFrame([(1, 2), (2, 3), (3, 1), (4, 1), (5, 6)], "src bigint, dst bigint")
    for name, options in (
        ("pagerank", {"max_iterations": 3}),
        ("components", {}),
        ("labelprop", {"max_iterations": 2}),
        ("sssp", {"source": 1}),
    ):
        ours = getattr(sparkgap.graph, name)(edges, engine="spark", progress=False, **options)
        tables = spark.sql("SHOW TABLES IN sparkgap.store").count()
        found, parts = peers.graphx(name, edges, **options)
        assert sorted(map(tuple, found.collect())) == sorted(map(tuple, ours.collect())), name
        assert set(parts) == {"build_s", "compute_s"} and min(parts.values()) > 0
        assert spark.sql("SHOW TABLES IN sparkgap.store").count() == tables
    spark.catalog.clearCache()
