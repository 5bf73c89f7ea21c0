# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
import math

import pyarrow as pa
import pytest

from sparkgap.match import compare


def table(values, ids=None):
    return pa.table({"id": list(range(len(values))) if ids is None else ids, "x": values})


@pytest.mark.parametrize(
    ("found", "expected", "epsilon", "ok"),
    [
        ([1.0, 2.0], [1.0, 2.0002], 1e-4, True),
        ([1.0, 2.0], [1.0, 2.0003], 1e-4, False),
        ([0.0], [0.0], 0.0, True),
        ([1e-300], [0.0], 1e-4, False),
        ([math.inf], [math.inf], 1e-4, True),
        ([math.inf], [1.0], 1e-4, False),
        ([1.0], [math.inf], 1e-4, False),
        ([math.nan], [math.nan], 1e-4, False),
        ([-1.0], [1.0], 1e-4, False),
        ([None], [1.0], 1e-4, False),
    ],
)
def test_epsilon(found, expected, epsilon, ok):
    result = compare(table(pa.array(found, pa.float64())), table(expected), rule="epsilon", epsilon=epsilon)
    assert result.ok is ok
    assert ok or "expected x" in result.why


def test_worst_is_relative():
    assert compare(table([1.0, 2.2]), table([1.0, 2.0]), rule="epsilon", epsilon=1).worst == pytest.approx(0.1)


def test_rows_and_keys_count():
    assert not compare(table([1, 2]), table([1]), rule="exact").ok
    assert not compare(table([1, 2], [1, 1]), table([1, 2], [1, 2]), rule="exact").ok
    assert compare(table([1, 2], ["b", "a"]), table([2, 1], ["a", "b"]), rule="exact").ok
    assert not compare(table([1]), pa.table({"id": [0], "y": [1]}), rule="exact").ok


def test_empty_is_equal_to_empty():
    assert compare(table([], []), table([], []), rule="exact").ok


def test_equivalence():
    assert compare(table([5, 5, 7]), table([1, 1, 2]), rule="equivalence").ok
    assert not compare(table([5, 5, 7]), table([1, 2, 2]), rule="equivalence").ok
    assert not compare(table([5, 6, 7]), table([1, 1, 2]), rule="equivalence").ok
