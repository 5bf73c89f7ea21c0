# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
import math

import pyarrow as pa
import pytest
from match import compare


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
        ([1.0], [None], 1e-4, False),
        ([None, 1.0], [None, 1.0], 1e-4, True),
        ([None, 2.0], [None, 1.0], 1e-4, False),
    ],
)
def test_epsilon(found, expected, epsilon, ok):
    result = compare(
        table(pa.array(found, pa.float64())), table(pa.array(expected, pa.float64())), rule="epsilon", epsilon=epsilon
    )
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


@pytest.mark.parametrize(
    ("found", "expected", "ok"),
    [
        ([None, 1], [None, 1], True),
        ([None, 1], [1, 1], False),
        ([1, 1], [None, 1], False),
        ([None, 2], [None, 1], False),
    ],
)
def test_nulls_must_stand_where_they_are_expected(found, expected, ok):
    found, expected = (table(pa.array(values, pa.int64())) for values in (found, expected))
    assert compare(found, expected, rule="exact").ok is ok


def test_a_null_is_no_name_in_a_renaming():
    found, expected = (table(pa.array(values, pa.int64())) for values in ([None, 1], [5, 1]))
    assert not compare(found, expected, rule="equivalence").ok
    assert compare(found, found, rule="equivalence").ok


def test_null_keys_are_no_match():
    assert not compare(table([1, 1], [None, 1]), table([1, 1], [0, 1]), rule="exact").ok
