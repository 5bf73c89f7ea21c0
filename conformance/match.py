# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Is one result the same as another? The three rules of LDBC Graphalytics: exact, epsilon, equivalence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Match:
    """How far two results agree; `worst` is the largest relative difference (0 where a rule has none)."""

    ok: bool
    rows: int
    worst: float
    why: str = ""


def compare(found: pa.Table | DataFrame, expected: pa.Table | DataFrame, *, rule: str, epsilon: float = 0.0) -> Match:
    """Compare two results by their first column, which is the key, in the rest of their columns.

    Parameters
    ----------
    found, expected : pyarrow.Table or DataFrame
        The same columns; every key once; the order of rows does not count.
    rule : {"exact", "epsilon", "equivalence"}
        Exact: all values equal. Epsilon: |found - expected| <= epsilon * |expected|, equality allowed.
        Equivalence: equal up to a renaming of the values. A null agrees with a null only.
    epsilon : float
        Relative, for the rule epsilon.

    Returns
    -------
    Match

    Examples
    --------
    >>> a = pa.table({"id": [1, 2], "x": [1.0, 2.0]})
    >>> compare(a, pa.table({"id": [2, 1], "x": [2.0, 1.0]}), rule="exact").ok
    True
    >>> compare(a, pa.table({"id": [1, 3], "x": [1.0, 2.0]}), rule="exact").why
    'row 1: expected id 3, found 2'
    """
    a, b = (_sorted(t if isinstance(t, pa.Table) else t.toArrow()) for t in (found, expected))
    if a.column_names != b.column_names:
        return Match(False, a.num_rows, math.inf, f"expected columns {b.column_names}, found {a.column_names}")
    if a.num_rows != b.num_rows:
        return Match(False, a.num_rows, math.inf, f"expected {b.num_rows} rows, found {a.num_rows}")
    if a.num_rows == 0:
        return Match(True, 0, 0.0)
    key = a.column_names[0]
    differ = _unequal(a[key], b[key])
    if differ is not None:
        return Match(
            False, a.num_rows, math.inf, f"row {differ}: expected {key} {b[key][differ]}, found {a[key][differ]}"
        )
    worst = 0.0
    for name in a.column_names[1:]:
        if rule == "equivalence":
            at, how_far = _renamed(a[name], b[name]), math.inf
        elif rule == "exact":
            at, how_far = _unequal(a[name], b[name]), math.inf
        else:
            at, how_far = _apart(a[name], b[name], epsilon)
            worst = max(worst, how_far)
        if at is not None:
            return Match(
                False, a.num_rows, how_far, f"{key} {a[key][at]}: expected {name} {b[name][at]}, found {a[name][at]}"
            )
    return Match(True, a.num_rows, worst)


def _sorted(table: pa.Table) -> pa.Table:
    return table.sort_by(table.column_names[0]).combine_chunks()


def _first(mask: pa.ChunkedArray) -> int | None:
    """The index of the first true; null counts as true."""
    at = pc.index(pc.fill_null(mask, True), pa.scalar(True)).as_py()
    return None if at < 0 else int(at)


def _unequal(a: pa.ChunkedArray, b: pa.ChunkedArray) -> int | None:
    """The first row where the values differ; a null is equal to a null only."""
    return _first(pc.invert(pc.or_kleene(pc.equal(a, b.cast(a.type)), pc.and_(pc.is_null(a), pc.is_null(b)))))


def _apart(a: pa.ChunkedArray, b: pa.ChunkedArray, epsilon: float) -> tuple[int | None, float]:
    """The first row beyond epsilon, and the largest relative difference; equal infinities and two nulls agree, NaN
    never does.
    """
    a, b = a.cast(pa.float64()), b.cast(pa.float64())
    same = pc.equal(a, b)
    off = pc.if_else(same, 0.0, pc.abs(pc.subtract(a, b)))
    near = pc.less_equal(off, pc.multiply(epsilon, pc.if_else(same, 0.0, pc.abs(b))))
    beyond = pc.invert(pc.or_kleene(pc.and_(near, pc.is_finite(off)), pc.and_(pc.is_null(a), pc.is_null(b))))
    worst = pc.max(pc.if_else(same, 0.0, pc.divide(off, pc.abs(b)))).as_py()
    return _first(beyond), 0.0 if worst is None else float(worst)


def _renamed(a: pa.ChunkedArray, b: pa.ChunkedArray) -> int | None:
    """The first row where no one-to-one renaming of a's values to b's holds."""
    there: dict[object, object] = {}
    back: dict[object, object] = {}
    for i, (x, y) in enumerate(zip(a.to_pylist(), b.to_pylist(), strict=True)):
        if (x is None) != (y is None):
            return i
        if there.setdefault(x, y) != y or back.setdefault(y, x) != x:
            return i
    return None
