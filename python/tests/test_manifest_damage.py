# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Manifests with some of their values changed: refused with one line, or read; nothing else comes out."""

import copy
import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparkgap.errors import DataError
from sparkgap.store_files import manifests

SEEDS = [
    json.loads((Path(__file__).parents[2] / "kernels/fuzz/seeds" / f"{name}.json").read_text())
    for name in ("manifest", "manifest_graph")
]
ODD = [
    None,
    True,
    False,
    "",
    "x",
    "1",
    "\0",
    [],
    {},
    0.5,
    -1,
    0,
    2**63,
    10**400,
    1e300,
    math.inf,
    math.nan,
    "../../x",
    "/",
    "a\0b",
    [[]],
    {"a": 1},
]


def places(node, at=()):
    yield at
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield from places(value, (*at, key))


@st.composite
def changed(draw):
    root = {"root": json.loads(json.dumps(draw(st.sampled_from(SEEDS))))}
    for _ in range(draw(st.integers(1, 3))):
        *way, last = ("root", *draw(st.sampled_from(list(places(root["root"])))))
        node = root
        for step in way:
            node = node[step]
        if draw(st.booleans()) or last == "root":
            node[last] = copy.deepcopy(draw(st.sampled_from(ODD) | st.integers()))
        else:
            del node[last]
    return root["root"]


@settings(max_examples=400, deadline=None)
@given(manifest=changed())
def test_changed_values_are_refused_or_read(tmp_path_factory, manifest):
    file = tmp_path_factory.getbasetemp() / "changed.json"
    file.write_text(json.dumps(manifest))
    try:
        found = manifests.read(file)
    except DataError as e:
        assert "\n" not in str(e)
        return
    assert found.rows == sum(s["rows"] for s in manifest["segments"])
    for segment in found.segments:
        assert segment.rows >= 0 and segment.bytes >= 0
        segment.path.exists()


@pytest.mark.parametrize("rows", ["Infinity", "NaN", "1.5", '"17"', "true", "-1", "1e300", "9223372036854775808"])
def test_rows_are_whole_numbers(tmp_path, rows):
    file = tmp_path / "t.json"
    file.write_text(
        json.dumps(SEEDS[0]).replace('"rows": 17, "bytes": 1344, "crc32c"', f'"rows": {rows}, "bytes": 1344, "crc32c"')
    )
    with pytest.raises(DataError, match="which is no whole number from 0"):
        manifests.read(file)
