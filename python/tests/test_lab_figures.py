# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Figures of a study: what stands where, relative to what, in stacks, and what was published beside it."""

import re

import pytest

from sparkgap.lab import figures, plot, study
from sparkgap.lab.measures import METRICS
from sparkgap.lab.results import Results

TEXT = """
title = "A study"
source = "Nobody"
question = "What of it?"
repeats = { tiny = 1, small = 1, full = 1 }
size = { tiny = "1m", small = "2m", full = "4m" }
[[experiments]]
name = "e"
workloads = ["grep", "sort"]
factors = { data = [1, 4], collector = ["Parallel", "G1"] }
[[figures]]
name = "1"
title = "T"
experiment = "e"
x = "data"
"""


def rows():
    """Sort takes three times as long as grep, G1 twice as long as Parallel, four times the data four times as long."""
    for workload, more in (("sort", 3), ("grep", 1)):
        for data in (4, 1):
            for collector, times in (("G1", 2), ("Parallel", 1)):
                seconds = float(more * data * times)
                levels = {"data": data, "collector": collector}
                row = {"experiments": ["e"], "state": "done", "begun": seconds, "workload": workload, "levels": levels}
                yield {
                    **row,
                    "work_s": seconds,
                    "seconds_cpu": seconds / 2,
                    "seconds_gc": seconds / 4,
                    "seconds_tail": 0.0,
                }


def drawn(text):
    parsed = study.parse("mine", TEXT + text)
    (found,) = figures.figures(parsed, Results("mine", TEXT, "small", {}, list(rows())))
    return found


def cells(found):
    return dict(found["rows"])


def test_times_the_first_level_of_x():
    found = drawn('y = "work_s"\nby = "collector"\nrelative = "x"\nwhere = { workload = "sort" }')
    assert found["places"] == ["1", "4"] and cells(found) == {"Parallel": ["1", "4"], "G1": ["1", "4"]}
    assert found["axes"] == "time of the work, times that of the first data, over data, by collector"


def test_times_the_first_level_of_by():
    """The study's first one, whichever ran first."""
    found = drawn('y = "work_s"\nby = "collector"\nrelative = "by"\nwhere = { workload = "sort" }')
    assert cells(found) == {"Parallel": ["1", "1"], "G1": ["2", "2"]}


def test_what_was_published_at_levels_that_nobody_ran_here():
    published = 'published = { "the paper" = { 2 = 7, 24 = 9 } }'
    found = drawn(f'y = "work_s"\nby = "collector"\nwhere = {{ workload = "grep" }}\n{published}')
    assert found["places"] == ["1", "2", "4", "24"] and found["has_published"]
    assert cells(found) == {"Parallel": ["1", "", "4", ""], "G1": ["2", "", "8", ""], "the paper": [""] * 4}
    assert found["svg"].count('class="hollow s2"') == 2


def test_metrics_in_a_stack():
    found = drawn('y = ["seconds_cpu", "seconds_gc", "seconds_tail", "dollars"]\nwhere = { collector = "G1" }')
    assert found["places"] == ["1, grep", "1, sort", "4, grep", "4, sort"]
    assert set(cells(found)) == {"CPU", "garbage collection"}, "what is nowhere seen is left out"
    assert cells(found)["CPU"] == ["1", "3", "4", "12"] and found["svg"].count("<rect") == 8


def test_steps_of_each_engine():
    rows = [{"call_compute_s": 2.0}, {"part_build_s": 5.0, "part_prepare_s": 1.0, "part_spmv_s": 3.0}, {"work_s": 9.0}]
    assert [METRICS["steps_s"].of(row) for row in rows] == [2.0, 4.0, None]
    assert METRICS["rest_s"].of({"work_s": 9.0, **rows[1]}) == pytest.approx(1.0)


def test_axes_end_with_round_numbers():
    point = plot.Point(7.3, 6.0, 9.9)
    made = plot.svg("T & x", ["<1>"], [plot.Series("s", [point], [None])], "bars")
    assert "T &amp; x" in made and "&lt;1&gt;" in made
    marks = [float(each) for each in re.findall(r'text-anchor="end">([^<]+)<', made)]
    assert marks == [0, 5, 10]
    assert plot.svg("T", ["1"], [plot.Series("s", [None], [None])], "lines").count("circle") == 0
