# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Sets of runs beside each other: what differs is said with an interval, and what may be noise is not."""

import json
import random

import pytest
from event_log import Log, drawn

from sparkgap import ArgumentError, report
from sparkgap.cli.app import main
from sparkgap.report.compare.difference import Verdict, differ


def run(folder, name, *, seconds, gc=0, extra_stage=False):
    """A job of two stages, of which the first takes as long as is said and the second one second."""
    log, wall = Log(cores=2, name="<i>nightly</i>"), int(seconds * 1000)
    first = (0, [(0, wall, {"cpu": wall - gc, "gc": gc})] * 2, wall)
    second = (wall, [(wall, wall + 1000, {"cpu": 1000})] * 2, wall + 1000)
    log.job(0, [first, second], wall + 1000, **{"spark.job.description": "load <b>"})
    if extra_stage:
        log.job(wall + 1000, [(wall + 1000, [(wall + 1000, wall + 1000, {})], wall + 1000)], wall + 1000)
    return log.end(wall + 1000).write(folder / name)


@pytest.fixture
def runs(tmp_path):
    slow = [run(tmp_path, f"slow{i}", seconds=4 + i / 10, gc=2000) for i in range(4)]
    fast = [run(tmp_path, f"fast{i}", seconds=2 + i / 10, extra_stage=i == 0) for i in range(3)]
    return fast, slow


def test_what_differs(runs):
    fast, slow = ([report.load(path) for path in side] for side in runs)
    found = report.compare(fast, slow)
    assert found.wall.verdict is Verdict.LESS
    assert (found.wall.first, found.wall.second) == (3.1, 5.15)
    assert found.wall.low <= found.wall.difference <= found.wall.high < 0
    parts = {part.key: each for part, each in found.parts}
    assert parts["gc"].verdict is Verdict.LESS and parts["gc"].difference == pytest.approx(-2)
    assert parts["fetch_wait"].verdict is Verdict.NONE
    one, two = found.stages
    assert (one.wall.verdict, two.wall.verdict, found.unmatched) == (Verdict.LESS, Verdict.NONE, 1)
    assert report.compare(slow, fast).wall.verdict is Verdict.MORE


def test_noise_is_no_difference(tmp_path):
    same = [report.load(drawn(seed, jobs=1).write(tmp_path / f"log{seed}")) for seed in range(3)]
    assert report.compare(same, same).wall.verdict is Verdict.NONE
    assert report.compare(same[:2], same).wall.verdict is Verdict.TOO_FEW
    with pytest.raises(ArgumentError, match="compare: expected at least one run on both sides"):
        report.compare([], same)


def test_false_alarms_are_few():
    """Two sets of ten from one distribution differ in about one of twenty cases."""
    draw = random.Random(3)
    alarms = 0
    for _ in range(200):
        a, b = ([draw.lognormvariate(3, 0.2) for _ in range(10)] for _ in "ab")
        alarms += differ(a, b).verdict is not Verdict.NONE
    assert alarms < 24
    found = [
        differ([draw.lognormvariate(3, 0.1) for _ in range(10)], [draw.lognormvariate(3.3, 0.1) for _ in range(10)])
        for _ in range(50)
    ]
    assert sum(each.verdict is Verdict.LESS for each in found) > 47


def test_the_command(runs, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fast, slow = ([str(path) for path in side] for side in runs)
    assert main(["report", *fast, "--against", *slow, "-o", "page.html", "--json", "numbers.json"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "39.8 % faster: 3.10 s against 5.15 s (medians)." in out
    assert "garbage collection: 0.00 against 2.00 s, less" in out
    numbers = json.loads((tmp_path / "numbers.json").read_text())
    assert (len(numbers["runs"]), len(numbers["against"]), numbers["wall"]["verdict"]) == (3, 4, "less")
    page = (tmp_path / "page.html").read_text()
    assert "&lt;i&gt;nightly&lt;/i&gt;" in page and "load &lt;b&gt;" in page and "<script" not in page
    assert main(["report", "-o", "page.html", fast[0], "--against", slow[0]]) == 0
    assert "Fewer than three runs" in capsys.readouterr().out


def test_a_trace_for_perfetto(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    log = drawn(5)
    log.write(tmp_path / "log")
    assert main(["report", "log", "--trace", "trace.json"]) == 0
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    spans = [event for event in events if event["ph"] == "X" and event["pid"] == 1]
    assert len(spans) == log.tasks
    assert all(event["dur"] >= 0 and event["ts"] >= 0 for event in spans)
    one = next(event for event in spans if event["dur"] and event["args"]["state"] == "success")
    assert sum(ms for name, ms in one["args"].items() if name != "state") == pytest.approx(one["dur"] / 1000, abs=0.01)
