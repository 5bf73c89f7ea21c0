# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What calls ask for before their ranks start, beside what the ranks take: each kernel on graphs that are hard on
memory in different ways, and on rows that make large models.

`make peaks` runs all of them; ARGS="--scale 20 --kernels sssp,lcc --ranks 1,2,4" says how large, which and on how many
ranks. The exit status is 1 where a call took more than it had asked for, or where ids are known and it asked for half
as much again as the ranks' whole peak.
"""

import argparse
import itertools
import sys
from typing import NamedTuple

from pyspark.ml.feature import FeatureHasher

import sparkgap
from sparkgap import spec

MIB = 1 << 20


class Memory(NamedTuple):
    """Bytes that a call asked for, what its ranks took beyond the mapped input, and their whole peak."""

    asked: int
    taken: int
    peak: int

    @property
    def is_little(self):
        return self.asked < self.taken

    def is_much(self, ranks):
        """Of small jobs each rank takes a few MiB in any case."""
        return self.asked > 1.5 * self.peak + ranks * 8 * MIB


KERNELS = [n for n in spec.names() if spec.load(n).family == "graph" and spec.load(n).inputs]


def graphs(spark, scale):
    """By name: edges with as many rows as R-MAT of that scale has, src, dst and a weight w, and whether ids are
    strings.
    """
    edges = 16 << scale
    ids = spark.range(0, edges, 1, 4)
    rmat = sparkgap.graph.rmat(scale=scale, spark=spark, progress=False)
    weight = "pmod(xxhash64(src, dst), 255) + 1D w"
    return {
        "R-MAT": rmat.selectExpr("src", "dst", weight),
        "R-MAT, any ids": rmat.selectExpr("xxhash64(src) src", "xxhash64(dst) dst").selectExpr("src", "dst", weight),
        "R-MAT, strings": (
            rmat.selectExpr("concat('vertex-', src) src", "concat('vertex-', dst) dst").selectExpr("src", "dst", weight)
        ),
        "star": ids.selectExpr("0L src", "id + 1 dst").selectExpr("src", "dst", weight),
        "star inwards, any ids": ids.selectExpr("xxhash64(id) src", "7L dst").selectExpr("src", "dst", weight),
        "pairs, any ids": (
            ids.selectExpr("xxhash64(2 * id) src", "xxhash64(2 * id + 1) dst").selectExpr("src", "dst", weight)
        ),
        "pairs, strings": (
            ids.selectExpr("concat('vertex-', 2 * id) src", "concat('vertex-', 2 * id + 1) dst").selectExpr(
                "src", "dst", weight
            )
        ),
        # One ring of all would take a level of bfs, and a word between ranks, for each of its vertices.
        "rings of 1024": ids.selectExpr("id src", "id - id % 1024 + (id + 1) % 1024 dst").selectExpr(
            "src", "dst", weight
        ),
    }


def models(spark, wide):
    """Name, kernel, rows and options of what is learnt from them: of `wide` features few numbers each, where the model
    is what takes memory, or of few features many rows.
    """
    ids = spark.range(0, 20000, 1, 2)
    words = ids.selectExpr("string(id) a", "string(id % 977) b", "string(id % 20) c", "double(id % 20) label")

    def hashed(features):
        hasher = FeatureHasher(inputCols=["a", "b", "c"], outputCol="features", numFeatures=features)
        return hasher.transform(words).select("features", "label")

    sparse = hashed(wide)
    rows = spark.range(0, 500_000, 1, 2).selectExpr(*(f"rand({i}) x{i}" for i in range(20)), "double(id % 3) label")
    few = {"features": [f"x{i}" for i in range(20)]}
    many = spark.range(0, 4000, 1, 2).selectExpr(
        "transform(sequence(1, 600), i -> rand(7) + i) features", "double(id % 3) label"
    )
    pairs = spark.range(0, 500_000, 1, 2).selectExpr("id % 20000 doc", f"pmod(xxhash64(id), {wide}) word")
    return [
        ("words", "lda", pairs, {"doc": "doc", "word": "word", "k": 20, "max_iter": 2}),
        ("wide", "naivebayes", sparse, {}),
        ("wide", "naivebayes", sparse, {"model_type": "gaussian"}),
        ("wide", "logreg", sparse, {"max_iter": 12}),
        ("wide", "lda", sparse.drop("label"), {"features": "features", "k": 20, "max_iter": 2, "optimizer": "em"}),
        ("wide", "lda", sparse.drop("label"), {"features": "features", "k": 20, "max_iter": 2}),
        ("wide", "kmeans", hashed(min(wide, 1 << 16)).drop("label"), {"k": 20, "max_iter": 2}),  # it is dense there
        ("rows", "naivebayes", rows, {**few, "model_type": "gaussian"}),
        ("rows", "logreg", rows, {**few, "max_iter": 5}),
        ("rows", "linreg", rows, few),
        ("rows", "kmeans", rows, {**few, "k": 20, "max_iter": 2}),
        ("rows", "kmeans", rows, {**few, "k": 2000, "max_iter": 1, "init_mode": "random"}),
        ("rows", "lda", rows, {**few, "k": 100, "max_iter": 1, "optimizer": "em"}),
        ("squares", "linreg", many, {}),
    ]


def learnt(kernel, rows, **options):
    """The memory of a call that learns from these rows."""
    figures = getattr(sparkgap.ml, kernel)(rows.where("rand() < 2"), progress=False, **options).sparkgap
    rows.sparkSession.sql(f"DROP TABLE {figures.table}")
    return Memory(figures.memory_bytes, figures.peak_rss_bytes - figures.bytes_copied, figures.peak_rss_bytes)


def arguments(kernel, edges, weighted):
    """What a kernel needs beside its edges; with weights where it takes some."""
    known = {p.name for p in spec.load(kernel).parameters}
    more = {"source": edges.first()["src"]} if "source" in known else {}
    more |= {"max_iterations": 2} if "max_iterations" in known else {}
    return more | ({"weight": "w"} if weighted and "weight" in known else {})


def measured(kernel, edges, weighted=True, **options):
    """The memory of a call on a table; the result is dropped again."""
    done = getattr(sparkgap.graph, kernel)(edges, **arguments(kernel, edges, weighted), **options)
    graph = spec.load(kernel).makes_graph
    figures = done.call if graph else done.sparkgap
    done.drop() if graph else edges.sparkSession.sql(f"DROP TABLE {figures.table}")
    return Memory(figures.memory_bytes, figures.peak_rss_bytes - figures.bytes_copied, figures.peak_rss_bytes)


def measured_on_graph(kernel, graph, edges, **options):
    """The same on a stored graph, less all of its files for each rank: what it has mapped of them, and what it has not.
    Ranks share those pages, and each counts them in its own peak.
    """
    figures = getattr(graph, kernel)(**arguments(kernel, edges, weighted=False), **options).sparkgap
    spark = edges.sparkSession
    spark.sql(f"DROP TABLE {figures.table}")
    (files,) = (row.bytes for row in spark.sql("CALL sparkgap.graph.graphs()").collect() if row.name == graph.name)
    shared = files * figures.ranks
    return Memory(figures.memory_bytes, figures.peak_rss_bytes - shared, figures.peak_rss_bytes)


def report(name, kernel, ranks, memory):
    """A line of the table; whether what was asked for was wrong."""
    much = memory.is_much(ranks)
    wrong = "  TOO LITTLE" if memory.is_little else "  TOO MUCH" if much else ""
    print(f"{name:24} {kernel:18} {ranks:5} {' '.join(f'{n >> 20:8}' for n in memory)}{wrong}", flush=True)
    return memory.is_little or much


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=18)
    parser.add_argument("--kernels", default=",".join(KERNELS))
    parser.add_argument("--graphs", default="", help="the beginnings of their names")
    parser.add_argument("--ranks", default="1,2,4")
    options = parser.parse_args()
    spark = sparkgap.session("local[2]", conf={"spark.ui.enabled": "false", "spark.driver.memory": "2g"})
    wrong = 0
    print(f"{'graph':24} {'kernel':18} {'ranks':>5} {'asked':>8} {'taken':>8} {'peak':>8} MiB")
    for name, edges in graphs(spark, options.scale).items():
        if not any(name.startswith(word) for word in options.graphs.split(",")):
            continue
        edges.write.format("sparkgap").mode("overwrite").save("peaks")
        # A filter that nobody can see through has the rows exported, so that the input's bytes are known.
        table = spark.table("sparkgap.store.peaks").where("w > rand() - 2")
        stored = sparkgap.graph.build(table, weight="w")
        for kernel, ranks in itertools.product(options.kernels.split(","), map(int, options.ranks.split(","))):
            more = {"ranks": ranks, "threads": max(1, 2 // ranks)}
            wrong += report(name, kernel, ranks, measured(kernel, table, False, **more))
            if "weight" in {p.name for p in spec.load(kernel).parameters}:
                wrong += report(name, f"{kernel}, weights", ranks, measured(kernel, table, True, **more))
            if not spec.load(kernel).makes_graph:
                wrong += report(name, f"{kernel}, a graph", ranks, measured_on_graph(kernel, stored, table, **more))
        stored.drop()
        spark.sql("DROP TABLE sparkgap.store.peaks")
    for (name, kernel, rows, given), ranks in itertools.product(
        models(spark, 1 << 18), map(int, options.ranks.split(","))
    ):
        memory = learnt(kernel, rows, ranks=ranks, threads=max(1, 2 // ranks), **given)
        wrong += report(name, kernel, ranks, memory)
    spark.stop()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
