# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Small calls, each with its right result, and tables that are cached and dropped."""

import sparkgap

ROWS = 30


def edges(spark, i):
    """A ring that no other call has: nothing may be kept for it but by mistake."""
    return spark.range(0, ROWS, 1, 1).selectExpr(f"{i} * 100L + id src", f"{i} * 100L + (id + 1) % {ROWS} dst")


def call(spark, i, forget=0):
    """One of the kernels on a ring; its result is dropped or, at some calls, forgotten."""
    kernel = ("degree", "components", "pagerank")[i % 3]
    found = getattr(sparkgap.graph, kernel)(edges(spark, i), threads=1, ranks=1, progress=False)
    rows = found.collect()
    expected = {"degree": 2, "components": i * 100, "pagerank": 1.0}[kernel]
    if sorted(row[0] for row in rows) != [i * 100 + k for k in range(ROWS)] or any(
        abs(row[-1] - expected) > 1e-6 for row in rows
    ):
        raise AssertionError(f"call {i}: {kernel} gave {rows[:3]}")
    if not forget or i % forget:
        spark.sql(f"DROP TABLE {found.sparkgap.table}")


def cache(spark, i):
    frame = edges(spark, 10**7 + i).cache()
    if frame.count() != ROWS or frame.selectExpr("sum(src)").first()[0] is None:
        raise AssertionError(f"cache {i}")
    frame.unpersist(blocking=True)


def soak(spark, watch, calls, caches, samples=16, forget=0, tell=lambda sample: None):
    """That number of each, spread evenly, with samples after an eighth of warm-up; the samples. Every `forget`th
    result is not dropped.
    """
    kept = edges(spark, 10**8).cache()  # an executor that has nothing of ours asks for nothing
    kept.count()
    found, done = [], 0
    warm = calls // 8
    marks = {warm + (calls - warm) * k // samples for k in range(1, samples + 1)}
    for i in range(calls):
        call(spark, i, forget)
        while done * calls < (i + 1) * caches:
            cache(spark, done)
            done += 1
        if i + 1 in marks:
            found.append(watch.sample(calls=i + 1, caches=done))
            tell(found[-1])
    kept.unpersist(blocking=True)
    return found
