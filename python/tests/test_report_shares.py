# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Shares of the wall time: those that were planted are found, and whatever a log holds, they add up."""

import json
import random

import pyarrow as pa
import pytest
from event_log import BEGIN, Log, drawn

from sparkgap import ArgumentError, DataError, report
from sparkgap.report.conditions import Condition
from sparkgap.report.shares.parts import PARTS, Certainty
from sparkgap.report.shares.replay import replay


def loaded(log, tmp_path):
    return report.load(log.write(tmp_path / "log"))


def shares(found):
    return {row["part"]: round(row["seconds"] * 1e3, 6) for row in found.breakdown.to_pylist() if row["seconds"]}


def add_up(found):
    """Every scope's parts sum to its wall time."""
    names = [f"{part.key}_s" for part in PARTS]
    assert sum(found.breakdown["seconds"].to_pylist()) == pytest.approx(found.wall_s, abs=1e-6)
    for table in (found.stages, found.jobs, found.executions):
        for row in table.to_pylist():
            assert sum(row[name] for name in names) == pytest.approx(row["wall_s"], abs=1e-6), row
            assert min(row[name] for name in names) >= 0


def test_parts_of_tasks(tmp_path):
    log = Log(cores=2)
    parts = {"deserialize": 50, "serialize": 20, "cpu": 300, "gc": 100, "fetch_wait": 40, "shuffle_write": 60}
    log.job(0, [(0, [(0, 1000, {**parts, "run": 900}), (0, 1000, {"cpu": 1000})], 1000)], 1000)
    found = loaded(log.end(1000), tmp_path)
    assert shares(found) == {
        "deserialize": 25,
        "serialize": 10,
        "scheduler": 15,
        "gc": 50,
        "fetch_wait": 20,
        "shuffle_write": 30,
        "cpu": 650,
        "off_cpu": 200,
    }
    add_up(found)


def test_idle_slots_by_reason(tmp_path):
    log = Log(cores=4)
    # Three tasks for four slots; then eight tasks, of which the last runs alone; then a slot that waits for its task.
    few = (0, [(0, 1000, {"cpu": 1000})] * 3, 1000)
    tail = (
        1000,
        [(1000, 2000, {"cpu": 1000})] * 4 + [(2000, 2500, {"cpu": 500})] * 3 + [(2000, 4000, {"cpu": 2000})],
        4000,
    )
    waits = (4000, [(4000, 5000, {"cpu": 1000})] * 3 + [(4600, 5000, {"cpu": 400})], 5000)
    log.job(0, [few, tail, waits], 5000)
    found = loaded(log.end(5000), tmp_path)
    parts = shares(found)
    assert (parts["too_few"], parts["tail"], parts["pending"]) == (250, 1125, 150)
    assert parts["cpu"] == 5000 - 250 - 1125 - 150
    add_up(found)


def test_the_driver_by_reason(tmp_path):
    log = Log(executors=0)
    log.executor(0, 2, at=500)
    log.executors = 1
    sql = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecution"
    log.say(f"{sql}Start", executionId=7, description="collect", time=BEGIN + 2000)
    log.job(2500, [(2600, [(2600, 3000, {"cpu": 400})] * 2, 3000)], 3100, **{"spark.sql.execution.id": "7"})
    log.say(f"{sql}End", executionId=7, time=BEGIN + 3500)
    log.job(4000, [(4000, [(4000, 4500, {"cpu": 500})] * 2, 4500)], 4500)
    found = loaded(log.end(5000), tmp_path)
    assert shares(found) == {
        "startup": 500,
        "before": 1500,
        "planning": 900,
        "job_no_task": 200,
        "cpu": 900,
        "between": 500,
        "after": 500,
    }
    (row,) = found.executions.to_pylist()
    assert (row["jobs"], row["wall_s"], row["planning_s"]) == ([0], 1.5, pytest.approx(0.9))
    add_up(found)


def test_no_executors_and_lost_work(tmp_path):
    log = Log(cores=1)
    log.job(0, [(0, [(0, 1000, {"cpu": 1000}), (1000, 1500, {"state": "ExceptionFailure"})], 4000)], 4000)
    log.say("ExecutorRemoved", **{"Timestamp": BEGIN + 1500, "Executor ID": "0", "Removed Reason": "killed"})
    found = loaded(log.end(4000), tmp_path)
    assert shares(found) == {"cpu": 1000, "lost": 500, "no_executors": 2500}
    assert found.executors["reason"].to_pylist() == ["killed"]


def test_jobs_side_by_side_count_their_own_tasks(tmp_path):
    log = Log(cores=2)
    log.job(0, [(0, [(0, 1000, {"cpu": 1000, "executor": 0})], 1000)], 1000)
    log.job(0, [(0, [(0, 1000, {"gc": 1000, "executor": 0})], 1000)], 1000)
    found = loaded(log.end(1000), tmp_path)
    one, two = found.jobs.to_pylist()
    assert (one["cpu_s"], one["other_tasks_s"], two["gc_s"], two["other_tasks_s"]) == (0.5, 0.5, 0.5, 0.5)
    add_up(found)


def test_more_tasks_than_slots(tmp_path):
    """A task is launched before the end of the one whose slot it takes."""
    log = Log(cores=1)
    log.job(0, [(0, [(0, 1000, {"cpu": 1000}), (960, 2000, {"cpu": 1040})], 2000)], 2000)
    found = loaded(log.end(2000), tmp_path)
    assert shares(found) == {"cpu": 2000}
    add_up(found)


def test_native_calls_have_the_slots_beside_their_task(tmp_path):
    log = Log(cores=4)
    log.job(0, [(0, [(0, 1000, {"cpu": 10})], 1000)], 1000)
    for event in log.events:
        if "Stage Info" in event:
            event["Stage Info"]["Stage Name"] = "submitJob at OwnAgent.scala:55"
    assert shares(loaded(log.end(1000), tmp_path))["too_few"] == 750  # without sparkgap in it, a stage of that name
    log.events.pop()
    call = {
        "kernel": "bfs",
        "began": BEGIN,
        "ended": BEGIN + 1000,
        "ranks": 1,
        "threads": 4,
        "phases": {"compute_s": 0.9},
    }
    log.say("org.sparkgap.spark.application.CallEnded", **call)
    found = loaded(log.end(1000), tmp_path)
    assert shares(found) == {"native": 1000}
    add_up(found)
    (row,) = found.calls.to_pylist()
    assert (row["kernel"], row["wall_s"], dict(row["phases"])) == ("bfs", 1, {"compute_s": 0.9})
    found.write_html(tmp_path / "page.html")
    assert "Native calls of sparkgap" in (tmp_path / "page.html").read_text()


def test_collectors_that_work_beside_the_application(tmp_path):
    log = Log(cores=1)
    task = {"cpu": 400, "gc": 600, "executor_metrics": {"TotalGCTime": 5000}}
    log.job(0, [(0, [(0, 1000, task)], 1000)], 1000)
    found = loaded(log.end(1000), tmp_path)
    assert shares(found) == {"cpu": 400, "off_cpu": 600}
    assert "ZGC" in found.warnings[0]


@pytest.mark.parametrize(
    ("settings", "is_concurrent"),
    [
        ({"spark.master": "local", "spark.driver.extraJavaOptions": "-Xmx1g -XX:+UseZGC -ea"}, True),
        ({"spark.master": "local[*]", "spark.driver.defaultJavaOptions": "-XX:+UseShenandoahGC"}, True),
        ({"spark.master": "local[2]", "spark.executor.extraJavaOptions": "-XX:+UseZGC"}, False),  # of nobody
        ({"spark.master": "spark://h:1", "spark.executor.extraJavaOptions": "-XX:+UseZGC"}, True),
        ({"spark.master": "spark://h:1", "spark.driver.extraJavaOptions": "-XX:+UseZGC"}, False),
        ({"spark.master": "local[2]", "spark.driver.extraJavaOptions": "-XX:+UseG1GC"}, False),
    ],
)
def test_a_collector_beside_the_tasks_is_known_by_its_option(tmp_path, settings, is_concurrent):
    """A short application's executors say nothing of their collector."""
    log = Log(settings=settings)
    log.job(0, [(0, [(0, 1000, {"cpu": 500, "gc": 400})] * 2, 1000)], 1000)
    found = report.load(log.end(1000).write(tmp_path / "log"))
    assert found.share("gc") == pytest.approx(0 if is_concurrent else 0.4)
    assert ["ZGC" in text for text in found.warnings] == [True] * is_concurrent


def test_observed_time_and_skew(tmp_path):
    assert replay([1] * 8, 4) == 2 and replay([], 3) == 0 and replay([5, 1, 1, 1, 1], 2) == 5
    log = Log(cores=2)
    tasks = [(0, 1000, {"cpu": 800, "gc": 200}), (0, 4000, {"cpu": 3800, "gc": 200})]
    tasks += [(1000 + 1000 * i, 2000 + 1000 * i, {"cpu": 800, "gc": 200}) for i in range(3)]
    log.job(0, [(0, tasks, 4000)], 4000)
    found = loaded(log.end(4000), tmp_path)
    (row,) = found.stages.to_pylist()
    assert (row["slots"], row["replay_error"], row["skew_s"], row["median_task_s"]) == (2, 0, 1, 1)
    assert row["without_gc_s"] == pytest.approx(0.2)
    guess = found.what_if
    assert (guess.by_slots[0.5], guess.by_slots[1.0], guess.by_slots[4.0]) == (8000, 4000, 4000)
    assert (guess.balanced, guess.floor, guess.error) == (4000, 4000, 0)


@pytest.mark.parametrize("seed", range(40))
def test_shares_add_up(tmp_path, seed):
    found = loaded(drawn(seed), tmp_path)
    add_up(found)
    assert not found.warnings
    alone = loaded(drawn(seed, jobs=1), tmp_path)
    assert max(alone.stages["replay_error"].to_pylist()) < 1e-9


def damaged(draw, lines):
    """A log of which lines are lost, cut, doubled, out of order or changed."""
    lines = list(lines)
    for _ in range(draw.randrange(1, 6)):
        at = draw.randrange(len(lines))
        how = draw.choice(["lose", "end", "cut", "double", "move", "number", "field"])
        if how == "lose":
            del lines[at : at + draw.randrange(1, 10)]
        elif how == "end":
            lines = lines[: at + 1]
        elif how == "cut":
            lines[at] = lines[at][: draw.randrange(len(lines[at]))]
        elif how == "double":
            lines.insert(draw.randrange(len(lines)), lines[at])
        elif how == "move":
            lines.insert(draw.randrange(len(lines)), lines.pop(at))
        elif lines[at].startswith("{") and lines[at].endswith("}"):
            event = json.loads(lines[at])
            _change(draw, event, how)
            lines[at] = json.dumps(event, separators=(",", ":"))
        lines = lines or ["{}"]
    return lines


def _change(draw, event, how):
    place = event
    while inner := [value for value in place.values() if isinstance(value, dict) and value]:
        if draw.random() < 0.3:
            break
        place = draw.choice(inner)
    key = draw.choice([key for key in place if key != "Event"] or ["Event"])
    if how == "field":
        place.pop(key)
    else:
        place[key] = draw.choice([-1, 0, 1, 2**62, -(2**62), 10**30, None, "x", BEGIN, BEGIN + draw.randrange(10**7)])


@pytest.mark.parametrize("seed", range(100))
def test_shares_add_up_whatever_a_log_holds(tmp_path, seed):
    draw = random.Random(seed)
    for _ in range(10):
        lines = damaged(draw, drawn(draw.randrange(1000), jobs=2).lines())
        path = tmp_path / "log"
        path.write_text("\n".join(lines))
        try:
            found = report.load(path)
        except DataError:
            continue
        add_up(found)
        found.as_json()


def test_every_part_says_how_sure_it_is(tmp_path):
    assert {row["certainty"] for row in loaded(drawn(1), tmp_path).breakdown.to_pylist()} == {
        each.value for each in Certainty
    }
    assert all(part.meaning and part.label for part in PARTS)


def test_tables_for_notebooks_and_ci(tmp_path):
    found = loaded(drawn(3), tmp_path)
    assert isinstance(found.stages, pa.Table) and found.tasks.num_rows == len(found.application.tasks)
    assert found.share("cpu") == found.as_json()["breakdown"][0]["share"]
    with pytest.raises(ArgumentError, match="part: expected one of cpu, gc"):
        found.share("nothing")
    assert "garbage" in found._repr_html_()


@pytest.mark.parametrize(
    ("text", "met"),
    [
        ("tail > 0.2", True),
        ("tail>50%", False),
        ("cpu <= 1", True),
        ("stage.tail >= 0.25", True),
        ("job.wall_s > 100", False),
        ("wall_s > 3", True),
    ],
)
def test_conditions(tmp_path, text, met):
    log = Log(cores=2)
    log.job(0, [(0, [(0, 1000, {"cpu": 1000}), (0, 4000, {"cpu": 4000})], 4000)], 4000)
    assert (Condition.of(text).met_by(loaded(log.end(4000), tmp_path)) is not None) == met


@pytest.mark.parametrize(
    "text", ["", "gc", "gc > x", "nothing > 1", "gc == 1", "host.gc > 1", "wall_s > 5 %", "gc > -1"]
)
def test_what_is_no_condition(text):
    with pytest.raises(ArgumentError, match="fail_on: expected NAME > NUMBER"):
        Condition.of(text)
