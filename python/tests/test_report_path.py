# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The critical path: it is the one that was planted, and always as long as the wall time."""

import itertools

import pytest
from event_log import Log, drawn

from sparkgap import report


def path(log, tmp_path):
    found = report.load(log.write(tmp_path / "log"))
    rows = found.critical_path.to_pylist()
    return [(row["begin_s"], row["wall_s"], row["task_id"]) for row in rows], found


def test_waves_follow_each_other_in_a_slot(tmp_path):
    log = Log(cores=2)
    # Two slots; the second one's tasks are shorter, until one of them is the last.
    log.job(1000, [(1000, [(1000, 3000, {}), (1000, 2000, {}), (2000, 2900, {}), (3000, 6000, {})], 6000)], 6100)
    found, whole = path(log.end(7000), tmp_path)
    assert found == [(0, 1, None), (1, 2, 0), (3, 3, 3), (6, 1, None)]
    assert whole.path_by_stage == [(0, 2, 5.0), (None, 2, 2.0)]
    whole.write_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "stage 0: count at app.py:0, 2 tasks" in page and "2 waits without a task" in page


def test_a_stage_follows_those_that_it_needs(tmp_path):
    log = Log(cores=4)
    stages = [(0, [(0, 2000, {})], 2000), (0, [(0, 1000, {})], 1000), (1100, [(1100, 4000, {})], 4000)]
    log.job(0, stages, 4000)
    for event in log.events:
        if event.get("Stage Info", {}).get("Stage ID") == 2:
            event["Stage Info"]["Parent IDs"] = [1]
    assert path(log.end(4000), tmp_path)[0] == [(0, 1, 1), (1, pytest.approx(0.1), None), (1.1, pytest.approx(2.9), 2)]


@pytest.mark.parametrize("seed", range(40))
def test_it_is_as_long_as_the_wall_time(tmp_path, seed):
    found, whole = path(drawn(seed), tmp_path)
    assert sum(length for _, length, _ in found) == pytest.approx(whole.wall_s)
    for (begin, length, _), (after, _, _) in itertools.pairwise(found):
        assert length > 0 and begin + length == pytest.approx(after)
    assert found[0][0] == 0


def test_nothing_ran(tmp_path):
    assert path(Log().end(500), tmp_path)[0] == [(0, 0.5, None)]
