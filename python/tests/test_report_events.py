# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a log says beside tasks that end well: faults, batches of streaming queries, operations of Spark Connect."""

import pytest
from event_log import BEGIN, Log

from sparkgap import report
from sparkgap.report.page.words import seconds

STREAMING = "org.apache.spark.sql.streaming.StreamingQueryListener$QueryProgressEvent"
CONNECT = "org.apache.spark.sql.connect.service.SparkListenerConnectOperation"


def loaded(log, tmp_path):
    found = report.load(log.write(tmp_path / "log"))
    page = tmp_path / "page.html"
    found.write_html(page)
    return found, page.read_text()


def faulty(reasons, tmp_path, **more):
    """A job whose first attempts end for these reasons, one after the other."""
    log = Log(cores=4)
    tasks = [(100 * i, 100 * i + 50, {"state": reason["Reason"], **more}) for i, reason in enumerate(reasons)]
    log.job(0, [(0, [*tasks, (900, 1000, {})], 1000)], 1000)
    ends = [event for event in log.events if event["Event"].endswith("TaskEnd")]
    for event, reason in zip(ends, reasons, strict=False):
        event["Task End Reason"] = reason
    return log.end(2000)


def test_each_fault_is_named(tmp_path):
    python = "[X] From: Traceback (most recent call last):\n  File x\nValueError: <b>bad</b> row\n SQLSTATE: 38000"
    reasons = [
        {"Reason": "ExceptionFailure", "Class Name": "java.lang.IllegalStateException", "Description": "broken\nmore"},
        {"Reason": "ExceptionFailure", "Class Name": "org.x.PythonException", "Description": python},
        {"Reason": "FetchFailed", "Message": "Connection refused", "Shuffle ID": 1},
        {"Reason": "ExecutorLostFailure", "Executor ID": "0", "Loss Reason": "heartbeat"},
        {"Reason": "TaskKilled", "Kill Reason": "another attempt succeeded"},
        {"Reason": "OfTheFuture"},
    ]
    log = faulty(reasons, tmp_path)
    log.say(
        "ExecutorRemoved",
        **{"Timestamp": BEGIN + 1500, "Executor ID": "0", "Removed Reason": "Command exited with 137"},
    )
    found, page = loaded(log, tmp_path)
    rows = found.faults.to_pylist()
    assert [(row["kind"], row["what"]) for row in rows] == [
        ("task failed", "IllegalStateException: broken"),
        ("task failed", "PythonException: ValueError: <b>bad</b> row"),
        ("shuffle files lost", "Connection refused"),
        ("task lost with its executor", "heartbeat"),
        ("task killed", "another attempt succeeded"),
        ("task failed", ""),
        ("executor gone", "Command exited with 137"),
    ]
    assert [row["at_s"] for row in rows] == [0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 1.5]
    assert {(row["executor"], row["stage"]) for row in rows} == {("0", 0), ("0", None)}
    assert "&lt;b&gt;bad&lt;/b&gt; row" in page and "<b>bad" not in page
    assert page.count('height="10" fill="var(--lost)"') >= 7 and "7 faults" in page


def test_what_is_alike_is_one_row_of_the_page(tmp_path):
    log = faulty([{"Reason": "ExceptionFailure", "Class Name": "a.B", "Description": "again"}] * 5, tmp_path)
    found, page = loaded(log, tmp_path)
    assert found.faults.num_rows == 5 and page.count("B: again") == 1


def test_a_stage_that_is_tried_again(tmp_path):
    log = Log()
    log.job(0, [(0, [(0, 100, {})], 100)], 500)
    info = {"Stage ID": 0, "Stage Name": "x", "Number of Tasks": 1}
    done = {"Submission Time": BEGIN, "Completion Time": BEGIN + 100, "Failure Reason": "FetchFailed\nat x"}
    log.say("StageCompleted", **{"Stage Info": {**info, "Stage Attempt ID": 0, **done}})
    log.say("StageSubmitted", **{"Stage Info": {**info, "Stage Attempt ID": 1, "Submission Time": BEGIN + 200}})
    rows = loaded(log.end(600), tmp_path)[0].faults.to_pylist()
    assert [(row["at_s"], row["kind"], row["what"], row["attempt"]) for row in rows] == [
        (0.1, "stage failed", "FetchFailed", 0),
        (0.2, "stage tried again", "attempt 1", 1),
    ]


def test_faults_without_number_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr("sparkgap.report.log.faults._MOST", 3)
    found, _ = loaded(faulty([{"Reason": "TaskKilled"}] * 5, tmp_path), tmp_path)
    assert found.faults.num_rows == 3
    assert "2 faults more than those that are named here." in found.warnings


def test_a_run_without_faults_says_nothing_of_them(tmp_path):
    log = Log()
    log.job(0, [(0, [(0, 100, {})], 100)], 100)
    found, page = loaded(log.end(200), tmp_path)
    assert (found.faults.num_rows, found.batches.num_rows, found.operations.num_rows) == (0, 0, 0)
    assert not any(words in page for words in ("What was lost", "Batches of", "Operations of"))


def progress(**said):
    known = {"id": "q-1", "name": "<i>counts</i>", "timestamp": "2026-11-26T10:00:01.500Z", "batchId": 7}
    return {"progress": {**known, "durationMs": {"triggerExecution": 2000, "addBatch": 1500, "walCommit": 250}, **said}}


def test_batches_of_a_stream(tmp_path):
    begin = 1795687201500  # of the time above
    log = Log()
    log.events[1]["Timestamp"] = begin - 500
    log.say(STREAMING, **progress(sources=[{"numInputRows": 300}, {"numInputRows": 100}]))
    log.say(STREAMING, **progress(durationMs={"triggerExecution": 3, "latestOffset": 3}))  # there was nothing to do
    log.say(STREAMING, **progress(name=None, batchId=8, timestamp="yesterday"))
    log.say(STREAMING, **progress(name=None, batchId=9))
    log.say("ApplicationEnd", Timestamp=begin + 5000)
    found, page = loaded(log, tmp_path)
    named, unnamed = found.batches.to_pylist()
    assert (named["query"], named["batch"], named["rows"]) == ("<i>counts</i>", 7, 400)
    assert (named["begin_s"], named["wall_s"]) == (0.5, 2.0)
    assert dict(named["phases"]) == {"addBatch": 1.5, "walCommit": 0.25}
    assert (unnamed["query"], unnamed["batch"], unnamed["rows"]) == ("q-1", 9, 0)
    assert "&lt;i&gt;counts&lt;/i&gt;" in page and f"addBatch {seconds(1.5)}, walCommit {seconds(0.25)}" in page


def operation(log, name, number, at, **more):
    log.say(CONNECT + name, operationId=number, jobTag=f"tag-{number}", eventTime=BEGIN + at, **more)


def test_operations_of_clients(tmp_path):
    log = Log()
    operation(log, "Started", "a", 100, userName="ann", statementText="SELECT\n  1", sparkSessionTags=["nightly"])
    operation(log, "Analyzed", "a", 200)
    operation(log, "ReadyForExecution", "a", 300)
    log.job(300, [(300, [(300, 700, {})], 700)], 700, **{"spark.job.tags": "other,tag-a"})
    operation(log, "Finished", "a", 800)
    operation(log, "Closed", "a", 850)
    operation(log, "Started", "b", 900, userId="bob")
    operation(log, "Failed", "b", 1000, errorMessage="no <table>\nat x")
    operation(log, "Closed", "unknown", 1100)
    operation(log, "Started", "c", 1500)
    found, page = loaded(log.end(2000), tmp_path)
    a, b, c = found.operations.to_pylist()
    assert (a["user"], a["tags"], a["statement"], a["jobs"]) == ("ann", ["nightly"], "SELECT 1", [0])
    assert [a[f"{name}_s"] for name in ("begin", "wall", "analysis", "planning", "execution", "fetch")] == [
        pytest.approx(value) for value in (0.1, 0.75, 0.1, 0.1, 0.5, 0.05)
    ]
    assert (b["user"], b["outcome"], b["wall_s"]) == ("bob", "failed: no <table>", pytest.approx(0.1))
    assert (c["outcome"], c["wall_s"], c["analysis_s"], c["jobs"]) == ("", pytest.approx(0.5), None, [])
    assert "failed: no &lt;table&gt;" in page and f"analysis {seconds(0.1)}" in page
