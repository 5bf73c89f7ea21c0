# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""The charts show the results that are there."""

import xml.etree.ElementTree as ET

import pictures
import pytest


@pytest.mark.parametrize("name", ["speed.svg", "phases.svg", "way.svg"])
def test_pictures_are_those_of_the_results(name):
    drawn = (pictures.PICTURES / name).read_text()
    assert drawn == pictures.made()[name], "run python bench/pictures.py"
    assert ET.fromstring(drawn).tag.endswith("svg")


def test_a_bar_is_as_long_as_its_time():
    """On a scale of powers of ten: ten times the time is as far again, wherever it starts."""
    bars = [
        float(part.split('width="')[1].split('"')[0])
        for part in pictures.speed().splitlines()
        if "<title>sparkgap " in part and "<rect" in part
    ]
    times = [pictures.seconds(name, case, "native") for _, name, case, _ in pictures.cases()]
    assert len(times) > 8
    assert sorted(range(len(times)), key=bars.__getitem__) == sorted(range(len(times)), key=times.__getitem__)
