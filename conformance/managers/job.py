# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A job whose driver runs in the cluster: ranks on all hosts, right results, or an exit that is not 0."""

import sys

import oracle
from pyspark.sql import SparkSession

import sparkgap

EDGES = [("ann", "bob"), ("bob", "cho"), ("cho", "ann"), ("dee", "ann")] * 3


def main():
    spark = SparkSession.builder.getOrCreate()
    edges = spark.createDataFrame(EDGES, ["src", "dst"]).repartition(6)
    found = sparkgap.graph.pagerank(edges, max_iterations=20, threads=1)
    ranks, expected = {row[0]: row[1] for row in found.collect()}, oracle.pagerank(EDGES)
    wrong = [name for name, rank in expected.items() if abs(rank - ranks.get(name, 0)) > 2e-9]
    spark.stop()
    if wrong or len(ranks) != len(expected) or found.sparkgap.ranks < 2:
        sys.exit(f"{found.sparkgap.ranks} ranks, wrong: {wrong}")


main()
