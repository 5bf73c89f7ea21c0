# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap mapreduce` and the class path of `hadoop jar`: a job's jar as it is, on executors of their own."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pyspark
import pytest
from cluster.daemon import JVM
from conftest import PATIENCE, ROOT, wait_for

from sparkgap import report, spec

JARS = Path(pyspark.__file__).parent / "jars"
# What Spark's own launcher lets its JVMs open.
OPENS = re.findall(r"--add-opens=[^\s<]+", (ROOT / "pom.xml").read_text())
LINES = (100, 200, 300, 400)
EXECUTORS = {"executor.memory": "512m", "executor.extraJavaOptions": JVM, "ui.enabled": "false"}
EXECUTORS = [word for key, value in EXECUTORS.items() for word in ("--conf", f"spark.{key}={value}")]
CLUSTER = ["--master", "local-cluster[2,1,512]", *EXECUTORS]
JOB_S = 90 * PATIENCE


def made_job(place):
    """The jar of a job that keeps state in a static field."""
    source = ROOT / "conformance" / "StaticWords.java"
    subprocess.run(["javac", "-d", place / "classes", "-cp", JARS / "*", source], check=True)
    subprocess.run(["jar", "cfe", place / "job.jar", "StaticWords", "-C", place / "classes", "."], check=True)
    return place / "job.jar"


def made_input(place):
    (place / "in").mkdir()
    for i, lines in enumerate(LINES):
        (place / "in" / f"lines-{i}").write_text("line\n" * lines)
    return place / "in"


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    return made_job(tmp_path_factory.mktemp("job"))


@pytest.fixture
def place(tmp_path):
    made_input(tmp_path)
    return tmp_path


def counts(place):
    parts = sorted((place / "out").glob("part-?-*"))
    found = [int(line.split("\t")[1]) for part in parts for line in part.read_text().splitlines()]
    return sorted(filter(None, found))


def environment(place):
    """In which the job's staging area is in the place."""
    conf = place / "conf"
    conf.mkdir(exist_ok=True)
    setting = "<property><name>yarn.app.mapreduce.am.staging-dir</name><value>{}</value></property>"
    text = f"<configuration>{setting.format(place / 'staging')}</configuration>"
    (conf / "mapred-site.xml").write_text(text)
    return {**os.environ, "HADOOP_CONF_DIR": str(conf), "SPARK_SCALA_VERSION": "2.13"}


def left(place):
    """Files of the staging area."""
    return [file for file in (place / "staging").rglob("*") if file.is_file()]


def run(place, *words):
    words = list(map(str, words))
    return subprocess.run(words, capture_output=True, text=True, timeout=JOB_S, env=environment(place), cwd=place)


@pytest.mark.parametrize("master", ["local[2]", "local-cluster[2,1,512]"])
def test_static_state_is_of_one_task(job, place, master):
    """Neither tasks at the same time nor those that follow each other share a static field."""
    own = ["--master", master, *EXECUTORS]
    done = run(place, sys.executable, "-m", "sparkgap", "mapreduce", *own, job, place / "in", place / "out")
    assert done.returncode == 0, done.stderr[-3000:]
    assert counts(place) == sorted(LINES)
    assert "map 100%" in done.stderr and "Map input records=1000" in done.stderr
    assert not left(place)
    assert not list(place.glob("*.jar")) and not list(place.glob("spark-warehouse"))


def test_a_profile_of_a_job_whose_tasks_are_pinned(job, place):
    """The profile's settings, and affinity's, are options of the command."""
    settings = {"spark.plugins": "org.sparkgap.spark.SparkGapPlugin", "spark.sparkgap.topology.affinity": "pu"}
    confs = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
    words = ["mapreduce", "--master", "local[2]", *confs, job, place / "in", place / "out", "reduces=1"]
    profiled = [sys.executable, "-m", "sparkgap", "profile", "--out", place / "profile", "--"]
    done = run(place, *profiled, sys.executable, "-m", "sparkgap", *words)
    assert done.returncode == 0, done.stderr[-3000:]
    found = report.load(place / "profile")
    assert [row["name"] for row in found.stages.to_pylist()] == ["map: static", "reduce: static"]
    assert found.processors["executor"].to_pylist() == ["driver"], "threads were sampled"
    assert found.application.settings["spark.sparkgap.topology.affinity"] == "pu"
    assert f"processors={len(LINES)}\n" in done.stderr, "one for each map task"
    refused = run(place, *profiled, sys.executable, "-m", "sparkgap", "mapreduce", "--session", "s", job, "in", "out")
    assert refused.returncode == 2 and "found --session" in refused.stderr


def test_sparks_pages_and_the_report_know_the_job(job, place):
    """What the pages show is in the event log: stages by the job's name, with its counters."""
    (place / "log").mkdir()
    own = ["--master", "local[2]", "--conf", "spark.eventLog.enabled=true"]
    own += ["--conf", f"spark.eventLog.dir=file://{place}/log", "--conf", "spark.eventLog.compress=false"]
    words = [*own, job, place / "in", place / "out", "reduces=2"]
    done = run(place, sys.executable, "-m", "sparkgap", "mapreduce", *words)
    assert done.returncode == 0, done.stderr[-3000:]
    stages = report.load(place / "log").stages.to_pylist()
    assert [(row["name"], row["tasks"]) for row in stages] == [("map: static", 4), ("reduce: static", 2)]
    last = {}
    for line in (line for file in place.glob("log/*/events*") for line in file.read_text().splitlines()):
        event = json.loads(line)
        if event["Event"] == "SparkListenerStageCompleted":
            info = event["Stage Info"]
            last[info["Stage Name"]] = {each["Name"]: each["Value"] for each in info["Accumulables"]}
    said = last["map: static"]["Hadoop counters"]
    assert "Map-Reduce Framework: " in said and "Map input records=1000" in said, said
    bytes_read = int(re.search(r"Bytes Read=(\d+)", said)[1])  # each task's own, with the files' checksums
    assert 0 <= bytes_read - sum(5 * n for n in LINES) <= 64 * len(LINES), said
    assert "Reduce output records=8" in last["reduce: static"]["Hadoop counters"]


def test_static_fields_of_tasks_that_ended_take_no_memory(job, place):
    """A hundred tasks with 8 MB each, in a JVM of 512."""
    for i in range(100):
        (place / "in" / f"few-{i}").write_text("line\n")
    words = ["--master", "local[2]", "--conf", "spark.driver.memory=512m", job, place / "in", place / "out"]
    done = run(place, sys.executable, "-m", "sparkgap", "mapreduce", *words)
    assert done.returncode == 0 and "OutOfMemory" not in done.stderr, done.stderr[-3000:]
    assert counts(place) == sorted([*LINES, *([1] * 100)])


def test_a_job_may_keep_it(job, place):
    words = ["--master", "local[1]", job, place / "in", place / "out", "sparkgap.mapreduce.classes=slot"]
    done = run(place, sys.executable, "-m", "sparkgap", "mapreduce", *words)
    assert done.returncode == 0, done.stderr[-3000:]
    assert max(counts(place)) == sum(LINES)


@pytest.mark.parametrize("own_first", [True, False])
def test_secrets_and_classes_that_a_job_brings(job, place, own_first):
    """A class of the job's jar that Spark has too is the job's where it asks for that, as on YARN."""
    source = place / "BagUtils.java"
    source.write_text("package org.apache.commons.collections4; public final class BagUtils {}")
    subprocess.run(["javac", "-d", place / "classes", source], check=True)
    own = shutil.copy(job, place / "own.jar")
    subprocess.run(["jar", "uf", own, "-C", place / "classes", "."], check=True)
    words = [own, place / "in", place / "out", "secret=mine", f"mapreduce.job.classloader={str(own_first).lower()}"]
    done = run(place, sys.executable, "-m", "sparkgap", "mapreduce", *CLUSTER, *words)
    assert done.returncode == 0, done.stderr[-3000:]
    assert f"secret of mine={len(LINES)}" in done.stderr
    assert f"classes of its own={len(LINES) if own_first else 0}\n" in done.stderr, done.stderr[-3000:]


def test_a_task_that_lags(job, sessions, hosts, cluster):
    """Spark tries it on another host too: that attempt counts, and the first ends before it is done."""
    sessions.stop()
    speculation = {"": "true", ".interval": "100ms", ".quantile": "0.5", ".multiplier": "2"}
    conf = {**cluster.settings, **{f"spark.speculation{key}": value for key, value in speculation.items()}}
    own = [word for key, value in conf.items() for word in ("--conf", f"{key}={value}")]
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:  # which all hosts see
        place = Path(folder)
        made_input(place)
        words = [shutil.copy(job, place), place / "in", place / "out", f"lagged={place / 'lagged'}"]
        words += [f"lag.ms={int(JOB_S * 1000)}"]
        done = run(place, sys.executable, "-m", "sparkgap", "mapreduce", "--master", cluster.master, *own, *words)
        assert done.returncode == 0, done.stderr[-3000:]
        assert counts(place) == sorted(LINES) and f"Map input records={sum(LINES)}\n" in done.stderr
        assert "as speculatable" in done.stderr
        assert not (place / "lagged").exists() and not (place / "out" / "_temporary").exists()


def test_hadoops_own_command(job, place):
    """What `hadoop jar` starts with HADOOP_CLASSPATH set, and the framework named as for any other."""
    java = shutil.which("java")
    words = [java, *OPENS, "-cp", f"{spec.JAR}:{JARS}/*", "org.apache.hadoop.util.RunJar", job, place / "in"]
    done = run(place, *words, place / "out", "mapreduce.framework.name=sparkgap")
    assert done.returncode == 0, done.stderr[-3000:]
    assert len(counts(place)) == len(LINES) and "map 100%" in done.stderr
    assert "job_local" not in done.stderr and "SparkContext" in done.stderr


def test_a_job_that_fails(job, place):
    done = run(place, sys.executable, "-m", "sparkgap", "mapreduce", job, place / "nothing", place / "out")
    assert done.returncode == 1 and "Input path does not exist" in done.stderr


def executors(program):
    """The processes that Spark's workers in a program have started."""
    found = subprocess.run(["pgrep", "-P", str(program.pid), "-f", "CoarseGrainedExecutorBackend"], capture_output=True)
    return [int(pid) for pid in found.stdout.split()]


@pytest.mark.parametrize("stage", ["map", "reduce"])
def test_an_executor_dies(job, place, stage):
    """What it had done is done again where it is needed, and counted once."""
    reduces = ["reduces=2", "reduce.ms=4000"] if stage == "reduce" else []
    (place / "in" / "many").write_text("line\n" * 2_000)
    # Both have a map and a reducer, and each map has something for each reducer.
    both = {"spark.cores.max": 2, "spark.scheduler.minRegisteredResourcesRatio": 1}
    own = [word for key, value in both.items() for word in ("--conf", f"{key}={value}")]
    words = [*CLUSTER, *own, job, place / "in", place / "out", *reduces]
    command = [sys.executable, "-m", "sparkgap", "mapreduce", *map(str, words)]
    with (place / "said").open("wb") as said:
        process = subprocess.Popen(command, stderr=said, env=environment(place), cwd=place)
        try:
            attempts = f"out/_temporary/0/_temporary/attempt_*_{stage[0]}_*"
            wait_for("a task's output", lambda: list(place.glob(attempts)), JOB_S)
            assert len(executors(process)) == 2
            os.kill(executors(process)[0], signal.SIGKILL)
            assert process.wait(JOB_S) == 0, (place / "said").read_text()[-3000:]
        finally:
            process.kill()
    text = (place / "said").read_text()
    assert "Lost executor" in text and (stage == "map" or "FetchFailed" in text or "Resubmitted" in text), text[-3000:]
    assert counts(place) == sorted([*LINES, 2_000]) and f"Map input records={sum(LINES) + 2_000}" in text
    assert not left(place) and not (place / "out" / "_temporary").exists()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_job_ends_with_its_program(job, place, how):
    (place / "in" / "many").write_text("line\n" * 60_000)  # two minutes of it
    words = ["--master", "local[2]", job, place / "in", place / "out"]
    command = [sys.executable, "-m", "sparkgap", "mapreduce", *map(str, words)]
    with (place / "said").open("wb") as said:
        process = subprocess.Popen(command, stderr=said, env=environment(place), cwd=place)
        try:
            wait_for("a task's output", lambda: list(place.glob("out/_temporary/0/_temporary/*")))
            assert left(place)
            process.send_signal(how)
            assert process.wait(JOB_S) != 0
        finally:
            process.kill()
    assert not left(place) and not (place / "out" / "_temporary").exists(), (place / "said").read_text()[-3000:]
