# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The jobs that faults strike, sized to a time, with their right results by numpy."""

import time

import numpy as np
import pyarrow as pa
from match import compare

import sparkgap
from sparkgap import spec

VERTICES = 20011
DEGREE = 3
DAMPING = 0.85
FOREVER = 2_000_000_000
SHORT = 20
# From here on no rank changes by a bit that the match rule sees.
CONVERGED = 250


class Work:
    """PageRank of a graph of 20,011 vertices and 60,033 edges, which Spark can make anew.

    Parameters
    ----------
    spark : SparkSession
    """

    def __init__(self, spark):
        self.spark = spark
        self._right = {}
        self._cached = None
        self.iterations = {"native": SHORT, "spark": 2}

    def edges(self):
        rows = self.spark.range(0, DEGREE * VERTICES, 1, 6)
        return rows.selectExpr(f"id % {VERTICES} src", f"pmod(xxhash64(id), {VERTICES // 7}) dst")

    def cache(self, wanted):
        """Whether calls get the edges out of df.cache(), which Spark does for any equal DataFrame, or have them
        computed.
        """
        if self._cached is not None:
            self._cached.unpersist(blocking=True)
        self._cached = self.edges().cache() if wanted else None
        if wanted:
            self._cached.count()

    def run(self, engine, iterations=None, **options):
        """The result of a call."""
        iterations = self.iterations[engine] if iterations is None else iterations
        if engine == "native":
            options = {"threads": 1, **options}
        return sparkgap.graph.pagerank(
            self.edges(), engine=engine, max_iterations=iterations, progress=False, **options
        )

    def wrong(self, found, iterations):
        """What is wrong with a result; empty where nothing is."""
        match = compare(found.toArrow(), self._expected(min(iterations, CONVERGED)), **spec.load("pagerank").match)
        return "" if match.ok else match.why

    def size(self, engine, seconds):
        """Sets the iterations of a call that takes about so long, and returns how long it does take."""
        self._timed(engine)  # its code is compiled
        took = self._timed(engine)
        while took < seconds * 0.6:
            low, more = self.iterations[engine], 2.5 if took < seconds / 4 else seconds / took
            self.iterations[engine] = max(low + 1, int(low * more))
            took = self._timed(engine)
        return took

    def _timed(self, engine):
        start = time.monotonic()
        found = self.run(engine)
        took = time.monotonic() - start
        self.spark.sql(f"DROP TABLE {found.sparkgap.table}")
        return took

    def _expected(self, iterations):
        if iterations not in self._right:
            table = self.edges().toArrow()
            src, dst = (table.column(c).to_numpy() for c in ("src", "dst"))
            share = 1 / np.bincount(src, minlength=VERTICES)
            rank = np.ones(VERTICES)
            for _ in range(iterations):
                rank = 1 - DAMPING + DAMPING * np.bincount(dst, (rank * share)[src], VERTICES)
            self._right[iterations] = pa.table({"id": np.arange(VERTICES), "pagerank": rank * (VERTICES / rank.sum())})
        return self._right[iterations]
