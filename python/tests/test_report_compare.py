# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Sets of runs beside each other: what differs is said with an interval, and what may be noise is not."""

import json
import random

import pytest
from event_log import BEGIN, Log, drawn

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


def of_plan(folder, name, seconds, order, rows):
    """A SQL execution whose stages come in any order, under names that Spark makes of threads."""
    names = {"scan": [f"Range (0, {rows}, step=1)", "Exchange"], "sum": ["HashAggregate"]}
    log, at = Log(cores=2), 0
    metrics = {node: number for number, node in enumerate(node for nodes in names.values() for node in nodes)}
    plan = None
    for node, number in metrics.items():  # each above the one before, in a frame of generated code
        inner = {"nodeName": node, "metrics": [{"accumulatorId": number}], "children": [plan] if plan else []}
        plan = {"nodeName": f"WholeStageCodegen ({number})", "metrics": [], "children": [inner]}
    sql = "org.apache.spark.sql.execution.ui.SparkListenerSQL"
    log.say(f"{sql}ExecutionStart", executionId=1, description="report", time=BEGIN, sparkPlanInfo={"nodeName": "Old"})
    log.say(f"{sql}AdaptiveExecutionUpdate", executionId=1, sparkPlanInfo=plan)
    for stage in order:
        end = at + int(1000 * seconds[stage])
        log.job(at, [(at, [(at, end, {"cpu": end - at})] * 2, end)], end, **{"spark.sql.execution.id": "1"})
        for event in log.events[-20:]:
            if "Stage Info" in event and event["Stage Info"]["Submission Time"] == BEGIN + at:
                event["Stage Info"] |= {"Stage Name": "$anonfun$run$0 at Thread.java:840"}
                event["Stage Info"]["Accumulables"] = [{"ID": metrics[node]} for node in names[stage]] + [{"ID": 99}]
        at = end
    log.say(f"{sql}ExecutionEnd", executionId=1, time=BEGIN + at)
    return log.end(at).write(folder / name)


def test_stages_are_matched_by_their_plan(tmp_path):
    seconds = {"scan": 1.0, "sum": 3.0}
    new = [report.load(of_plan(tmp_path, f"n{i}", seconds, ["scan", "sum"], 100)) for i in range(3)]
    old = [report.load(of_plan(tmp_path, f"o{i}", {**seconds, "sum": 5.0}, ["sum", "scan"], 900)) for i in range(3)]
    assert [row["plan"] for row in new[0].stages.to_pylist()] == [
        ["Range (0, 100, step=1)", "Exchange"],
        ["HashAggregate"],
    ]
    found = report.compare(new, old)
    assert found.unmatched == 0
    assert {each.name: (each.wall.first, each.wall.second) for each in found.stages} == {
        "Range → Exchange": (1, 1),
        "HashAggregate": (3, 5),
    }
    new[0].write_html(tmp_path / "page.html")
    assert "Range (0, 100, step=1) → Exchange" in (tmp_path / "page.html").read_text()


def test_plans_that_are_deep_or_odd(tmp_path):
    deep = {"nodeName": "Leaf", "metrics": [{"accumulatorId": 1}]}
    for i in range(200):
        deep = {"nodeName": f"N{i}", "metrics": [{"accumulatorId": 1 + i}], "children": [deep]}
    sql = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart"
    log = Log(cores=2)
    log.say(sql, executionId=1, description="deep", time=BEGIN, sparkPlanInfo=deep)
    log.say(sql, executionId=2, description="odd", time=BEGIN, sparkPlanInfo={"children": [{"metrics": [{"x": 1}]}]})
    log.job(0, [(0, [(0, 1000, {"cpu": 900})] * 2, 1000)], 1000)
    for event in log.events:
        if "Stage Info" in event:
            event["Stage Info"]["Accumulables"] = [{"ID": 200}, {"ID": 3}, {}]
    found = report.load(log.end(1000).write(tmp_path / "log"))
    assert found.warnings == [] and found.stages["plan"].to_pylist() == [["N2", "N199"]]
