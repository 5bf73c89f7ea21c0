# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap advise`: which advice is kept, of an application whose logs are made by hand. conformance/test_profiled.py
gives Spark itself settings in this way, bench/advice.py proves advice on it.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from event_log import Log

from sparkgap import processes
from sparkgap.cli.app import main
from sparkgap.profile import proof, run
from sparkgap.profile.command import with_settings
from sparkgap.profile.proof import last_words

# A stage of tiny tasks, and one with fewer tasks than slots: each shorter with its advice, as the story goes.
APPLICATION = """
import pathlib, re, sys, time
sys.path.insert(0, {tests!r})
from event_log import BEGIN, Log

words, story = sys.argv[1:], sys.argv[-1]
confs = dict(word.partition("=")[::2] for before, word in zip(words, words[1:]) if before == "--conf")
print("this is", story)
less_tiny, more_tasks = "spark.sql.files.maxPartitionBytes" in confs, "spark.default.parallelism" in confs
if story == "waits":
    print("waits", flush=True)
    time.sleep(100)
if story == "hangs" and more_tasks:
    import subprocess
    pathlib.Path("below").write_text(str(subprocess.Popen(["sh", "-c", "trap '' TERM; sleep 600 & wait"]).pid))
    time.sleep(600)
if story == "fails" and more_tasks:
    sys.exit("it cannot be cut into more tasks")
settings = dict(confs) | ({{"spark.sql.shuffle.partitions": "999"}} if story == "insists" else {{}})
log = Log(cores=4, settings=settings)
number = re.search(r"-(\\d+)/eventlog", confs["spark.eventLog.dir"])
late = 5 * int(number[1]) if number else 0  # runs differ, and those of one round are alike
tiny = 500 if less_tiny and story != "hopeless" else 2000
log.job(0, [(0, [(20 * (i // 4), 20 * (i // 4) + 20, {{"cpu": 8, "deserialize": 6, "run": 10}}) for i in range(400)
                 if 20 * (i // 4) + 20 <= tiny], tiny)], tiny)
few = tiny + (4000 if more_tasks and story != "hopeless" else 8000) + late
log.job(tiny, [(tiny, [(tiny, few, {{"cpu": few - tiny}})] * (4 if more_tasks else 2), few)], few)
log.end(few).write(pathlib.Path(confs["spark.eventLog.dir"].removeprefix("file://")) / "app-1")
"""


@pytest.fixture
def submit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "spark-submit"
    program.write_text(f"#!{sys.executable}\n" + APPLICATION.format(tests=str(Path(__file__).parent)))
    program.chmod(0o755)
    return str(program)


def proven(submit, story, *words):
    assert main(["advise", "--prove", "--json", "proof.json", *words, "--", submit, "app.py", story]) == 0
    found = json.loads(Path("proof.json").read_text())
    return found, {trial["rule"]: (trial["verdict"], trial["kept"]) for trial in found["trials"]}


def test_what_helps_is_kept_and_tried_together(submit, capsys):
    found, verdicts = proven(submit, "helps", "--rounds", "3", "--out", "runs", "--apply", "kept.conf")
    assert verdicts == {"tiny_tasks": ("faster", True), "too_few_tasks": ("faster", True)}
    gains = {trial["rule"]: trial["gain_s"] for trial in found["trials"]}
    assert gains == {"tiny_tasks": pytest.approx(1.5, abs=0.05), "too_few_tasks": pytest.approx(4, abs=0.05)}
    for trial in found["trials"]:
        assert trial["low_s"] <= trial["gain_s"] <= trial["high_s"]
        assert trial["gain_s"] <= trial["gain_at_most_s"] + 0.05
    assert found["together"]["verdict"] == "faster" and found["together"]["gain_s"] == pytest.approx(5.5, abs=0.05)
    kept = Path("kept.conf").read_text().splitlines()
    assert "spark.default.parallelism 12" in kept and "spark.sql.files.maxPartitionBytes 512m" in kept
    at = kept.index("spark.default.parallelism 12")
    assert kept[at - 1].startswith("# Stages have fewer tasks than there are slots: ") and "3 runs" in kept[at - 1]
    said = capsys.readouterr()
    assert said.err.startswith("advise: the first run") and "round 3 of 3: together" in said.err
    assert "faster, kept" in said.out and "this is helps" not in said.out
    assert Path("runs/tiny_tasks-2-output.txt").read_text() == "this is helps\n"
    # The runs' profiles stay, and the numbers beside them.
    assert json.loads(Path("runs/proof.json").read_text()) == found
    assert main(["report", "runs/tiny_tasks-2", "-o", "page.html"]) == 0


def test_each_round_begins_with_another(submit):
    found, _ = proven(submit, "hopeless", "--rounds", "3", "--out", "runs")
    begun = sorted(
        (json.loads(file.read_text())["begin_ms"], file.parent.name) for file in Path("runs").glob("*/profile.json")
    )
    names = [name.rpartition("-")[0] for _, name in begun[1:]]
    few, tiny = "too_few_tasks", "tiny_tasks"
    assert names == ["before", few, tiny, few, tiny, "before", tiny, "before", few]
    assert {trial["verdict"] for trial in found["trials"]} == {"no difference shown"} and found["together"] is None


def test_stacks_are_of_the_first_run_alone(submit):
    proven(submit, "hopeless", "--rounds", "3", "--out", "runs", "--stacks")
    logs = {file.parent.parent.name: file.read_text() for file in Path("runs").glob("*/eventlog/app-1")}
    assert len(logs) == 10 and [run for run, log in logs.items() if "StartFlightRecording" in log] == ["first"]


def test_what_fails_or_has_no_effect_is_not_kept(submit, capsys):
    found, verdicts = proven(submit, "fails", "--rounds", "3", "--out", "a", "--apply", "kept.conf")
    assert verdicts == {"too_few_tasks": ("failed", False), "tiny_tasks": ("faster", True)}
    assert "status 1" in found["trials"][0]["failed"] and "it cannot be cut" in found["trials"][0]["failed"]
    assert "spark.default.parallelism" not in Path("kept.conf").read_text() and found["together"] is None
    assert len(list(Path("a").glob("too_few_tasks-*/"))) == 1, "not again"
    found, verdicts = proven(submit, "insists", "--rounds", "3", "--out", "b")
    assert set(verdicts.values()) == {("no effect", False)}
    assert found["trials"][0]["overruled"] == ["spark.sql.shuffle.partitions"]
    assert "the application sets spark.sql.shuffle.partitions itself" in " ".join(capsys.readouterr().out.split())


def test_what_takes_far_too_long_is_ended(submit, monkeypatch):
    """All of it, also what does not hear of it. Runs without advice may take as long as they like."""
    monkeypatch.setattr(proof, "LEAST_LIMIT_S", 3.0)
    monkeypatch.setattr(run, "_END_S", 0.5)
    found, verdicts = proven(submit, "hangs", "--rounds", "3", "--out", "a")
    assert verdicts == {"too_few_tasks": ("failed", False), "tiny_tasks": ("faster", True)}
    assert "an end within" in found["trials"][0]["failed"] and found["trials"][0]["runs_s"] == []
    assert not processes.command(int(Path("below").read_text()))
    assert len(list(Path("a").glob("too_few_tasks-*/"))) == 1, "not again"


def test_what_cannot_be_proven(submit, capsys):
    for words, said in (
        (["--rounds", "2", "--", submit, "x"], "--rounds: expected at least 3, found 2."),
        (["--out", ".", "--", submit, "x"], "--out: expected a new or empty folder, found ."),
        (["--", "no-such-program"], "a program that can be run, found no 'no-such-program'"),
    ):
        assert main(["advise", "--prove", *words]) == 2
        assert said in capsys.readouterr().err
    assert main(["advise", "--prove", "--out", "runs", "--", sys.executable, "-c", "raise SystemExit('no luck')"]) == 5
    error = capsys.readouterr().err
    assert "run first: expected an application that ends well, found status 1, and as its last words: no luck." in error
    assert main(["advise", "one", "two"]) == 2 and main(["advise", "--rounds", "3", "log"]) == 2
    assert main(["advise", "--stacks", "log"]) == 2


def test_the_last_words_are_of_the_cause(tmp_path):
    output = tmp_path / "output.txt"
    output.write_text(
        "Caused by: java.io.IOException: no such block\n"
        "Caused by: org.apache.spark.SparkException: Could not find AppClient.\n"
        "java.util.concurrent.RejectedExecutionException: Task 1 rejected from a pool [Terminated]\n"
        "INFO ShutdownHookManager: Shutdown hook called\n"
    )
    assert last_words(output) == "Caused by: java.io.IOException: no such block"
    output.write_text(
        "py4j.protocol.Py4JJavaError: An error occurred while calling o77.count.\n"
        ": org.apache.spark.SparkException: Job aborted due to stage failure\n"
        "org.apache.spark.SparkException: Exception thrown in awaitResult:\n"
    )
    assert last_words(output) == "org.apache.spark.SparkException: Job aborted due to stage failure"


def test_an_interrupt_ends_all(submit, tmp_path):
    words = [sys.executable, "-m", "sparkgap", "advise", "--prove", "--out", "runs", "--", submit, "waits"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        output = tmp_path / "runs" / "first-output.txt"
        for _ in range(600):
            if output.exists() and "waits\n" in output.read_text().removeprefix("this is waits\n"):
                break
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(60) == 130
        assert "found an interrupt" in process.stderr.read()
    assert not (tmp_path / "runs" / "proof.json").exists()


def test_advice_of_a_log(tmp_path, capsys):
    tasks = [(20 * (i // 4), 20 * (i // 4) + 20, {"cpu": 8, "deserialize": 6, "run": 10}) for i in range(400)]
    log = Log(cores=4)
    log.job(0, [(0, tasks, 2000)], 2000)
    log.end(2000).write(tmp_path / "log")
    conf = tmp_path / "a.conf"
    assert main(["advise", str(tmp_path / "log"), "--apply", str(conf)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("tiny_tasks: Tasks are tiny, at most 1.9 of 2.0 s.")
    assert "    --conf spark.sql.shuffle.partitions=12\n" in said
    assert "spark.sql.shuffle.partitions 12" in conf.read_text()
    assert main(["advise", "--json", "-", str(tmp_path / "log")]) == 0
    assert json.loads(capsys.readouterr().out)["advice"][0]["rule"] == "tiny_tasks"


def test_settings_go_where_options_end(submit):
    own = [submit, "--master", "local[2]", "-v", "--conf=a.b=1", "--conf", "x.y=mine", "app.py", "--conf", "x.y=app"]
    words, _ = with_settings(own, {"x.y": "ours"})
    assert words == [*own[:7], "--conf", "x.y=ours", *own[7:]]
    assert with_settings([submit, "-f", "query.sql"], {"x.y": "1"})[0][-2:] == ["--conf", "x.y=1"]
