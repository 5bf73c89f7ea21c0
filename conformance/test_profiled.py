# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap profile` on a real Spark: what tasks were made to wait for is found, which no event log says."""

import collections
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest
from conftest import PATIENCE, wait_for

from sparkgap import report
from sparkgap.profile import run as profiles

APPLICATION = r"""
import os, subprocess, time
from pyspark.sql import SparkSession

spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
query = lambda: spark.range(0, 120_000_000, 1, 2).selectExpr("max(xxhash64(id))").collect()
query()  # the JVM compiles it here, for which it would wait long below
burners = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(3 * os.cpu_count())]
try:
    spark.sparkContext.setJobDescription("contended")
    query()
finally:
    for burner in burners:
        burner.kill()
spark.sparkContext.setJobDescription("python")
spark.sparkContext.parallelize(range(2), 2).map(lambda i: time.sleep(2)).count()
spark.stop()
"""


@pytest.fixture(scope="module")
def profiled(tmp_path_factory):
    place = tmp_path_factory.mktemp("profile")
    (place / "app.py").write_text(APPLICATION)
    words = [
        sys.executable,
        "-m",
        "sparkgap",
        "profile",
        "--stacks",
        "--out",
        place / "out",
        "--",
        sys.executable,
        place / "app.py",
    ]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            said = process.communicate(timeout=120 * PATIENCE)[1]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    assert process.returncode == 0, said
    return place / "out"


def test_what_tasks_wait_for(profiled):
    found = report.load(profiled)
    assert found.warnings == []
    jobs = {row["description"]: row for row in found.jobs.to_pylist()[::-1]}
    busy = {name: sum(row[f"{part}_s"] for part in PARTS_OF_TASKS) for name, row in jobs.items()}
    # Six threads that burn and two tasks on two processors: the tasks have a quarter of the time, or less.
    (jvm,) = found.processors.to_pylist()
    assert jvm["executor"] == "driver" and jvm["collector"] in ("Serial", "Parallel", "G1")
    assert jvm["tasks_s"] > 0.5 and jvm["jit_s"] > 0.5 and jvm["rest_s"] > 0
    contended = jobs["contended"]
    assert contended["run_queue_s"] > 0.5 * busy["contended"] and contended["cpu_s"] > 0
    assert jobs["python"]["other_wait_s"] > 0.8 * busy["python"]
    for row in (contended, jobs["python"]):
        assert row["off_cpu_s"] < 0.15 * row["wall_s"]


PARTS_OF_TASKS = ("cpu", "gc", "run_queue", "file_io", "other_wait", "off_cpu", "deserialize", "serialize", "scheduler")


def test_what_the_host_did(profiled):
    found = report.load(profiled)
    columns = found.machine.to_pydict()
    assert found.machine.num_rows >= 5 and columns["at_s"][-1] > 2
    spent = columns["user_s"][-1] - columns["user_s"][0]
    assert found.processors["tasks_s"][0].as_py() < spent, "burners ran too"
    found.write_html(profiled / "page.html")
    page = (profiled / "page.html").read_text()
    assert "Processors, of all that runs here" in page and "Memory: at most" in page


def test_what_the_processors_ran(profiled):
    """Tasks run one stage at a time here, so their samples need no marks."""
    found = report.load(profiled)
    rows = [row for row in found.stacks.to_pylist() if row["task"]]
    generated = [row for row in rows if any("GeneratedClass" in frame for frame in row["frames"])]
    assert sum(row["samples"] for row in generated) > 0.5 * sum(row["samples"] for row in rows)
    longest = max(found.stages.to_pylist(), key=lambda row: row["cpu_s"])["stage"]
    assert longest in {row["stage"] for row in generated}
    assert any(not row["task"] for row in found.stacks.to_pylist()), "the driver's own"
    assert min(found.heaps["used_bytes"].to_pylist()) > 0 and found.collections.num_rows > 0
    assert (profiled / "recordings").exists() is False
    found.write_html(profiled / "page.html")
    assert 'id="flame"' in (profiled / "page.html").read_text()


def test_tasks_mark_their_stage(tmp_path):
    """Two stages beside each other in one executor, which sends what it recorded."""
    (tmp_path / "job.py").write_text(
        "import threading, sparkgap\n"
        "conf = {'spark.ui.enabled': 'false', 'spark.executor.memory': '512m'}\n"
        "spark = sparkgap.session('local-cluster[1,2,512]', conf=conf)\n"
        "work = lambda: spark.range(0, 600_000_000, 1, 1).selectExpr('max(xxhash64(id))').collect()\n"
        "threads = [threading.Thread(target=work) for _ in range(2)]\n"
        "[each.start() for each in threads]\n[each.join() for each in threads]\nspark.stop()\n"
    )
    with (tmp_path / "said").open("wb") as said:
        words = [sys.executable, str(tmp_path / "job.py")]
        ended = profiles.run(words, tmp_path / "out", {}, said, stacks=True)
    assert ended.status == 0, (tmp_path / "said").read_text()
    found = report.load(tmp_path / "out")
    assert {row["executor"] for row in found.heaps.to_pylist()} == {"0", "driver"}
    by_stage = {}
    for row in found.stacks.to_pylist():
        if row["task"]:
            by_stage[row["stage"]] = by_stage.get(row["stage"], 0) + row["samples"]
    first, second = sorted(by_stage, key=lambda stage: -by_stage[stage])[:2]
    assert None not in (first, second) and by_stage[second] > 0.2 * by_stage[first], by_stage
    assert by_stage.get(None, 0) < 0.2 * by_stage[first], by_stage


def test_settings_of_a_trial_replace_the_commands_own(tmp_path):
    """What `sparkgap advise --prove` rests on (python/tests/test_proof.py); also for options of the JVM."""
    (tmp_path / "job.py").write_text(
        "import sys\nfrom pyspark.sql import SparkSession\nassert sys.argv[1:] == ['--conf', 'mine']\n"
        "spark = SparkSession.builder.getOrCreate()\nspark.range(9).repartition(3).count()\nspark.stop()\n"
    )
    submit = str(Path(pyspark.__file__).parent / "bin" / "spark-submit")
    confs = ["--conf", "spark.sql.shuffle.partitions=600", "--conf", "spark.eventLog.dir=file:/nowhere"]
    words = [submit, "--master", "local[2]", *confs, str(tmp_path / "job.py"), "--conf", "mine"]
    given = {"spark.sql.shuffle.partitions": "6", "spark.driver.extraJavaOptions": "-Dplanted=1"}
    with (tmp_path / "said").open("wb") as said:
        assert profiles.run(words, tmp_path / "out", given, said).status == 0, (tmp_path / "said").read_text()
    settings = report.load(tmp_path / "out").application.settings
    assert settings["spark.sql.shuffle.partitions"] == "6"
    assert settings["spark.driver.extraJavaOptions"].endswith(" -Dplanted=1"), "behind those of Spark itself"


FAR = """
import os, sys, time
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
spark.sparkContext.parallelize(range(6), 6).map(lambda i: time.sleep(3) or i).count()
spark.range(0, 200_000_000, 1, 6).selectExpr("max(xxhash64(id))").collect()
if sys.argv[1] == "die":
    os.kill(spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid(), 9)
spark.stop()
"""


@pytest.mark.parametrize("end", ["stop", "die"])
def test_executors_of_other_hosts(cluster, sessions, tmp_path, end):
    """Nothing of sparkgap is in the job, nor in its settings. What a driver heard before it died is there."""
    sessions.stop()
    (tmp_path / "job.py").write_text(FAR)
    settings = {**cluster.settings, "spark.scheduler.minRegisteredResourcesRatio": "1.0"}
    confs = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
    submit = str(Path(pyspark.__file__).parent / "bin" / "spark-submit")
    words = [submit, "--master", cluster.master, *confs, str(tmp_path / "job.py"), end]
    with (tmp_path / "said").open("wb") as said:
        ended = profiles.run(words, tmp_path / "out", {}, said, stacks=end == "stop")
    assert (ended.status == 0) == (end == "stop"), (tmp_path / "said").read_text()
    found = report.load(tmp_path / "out")
    if end == "stop":
        by_stage = collections.Counter()
        for row in found.stacks.to_pylist():
            if row["task"] and "GeneratedClass" in str(row["frames"]):
                by_stage[row["stage"]] += row["samples"]
        hashes = found.stages["stage"].to_pylist()[1]  # the one behind it, of one row, may be met in a sample or two
        assert by_stage[hashes] > 0.9 * by_stage.total(), by_stage
        lines = map(json.loads, (tmp_path / "out" / "stacks.jsonl").read_text().splitlines())
        of = {line["executor"] for line in lines if line.get("stage") is not None}
        assert of == {"0", "1", "2"}, "each sends what Java recorded, at its end at the latest"
    assert not any("no samples" in text or "damaged" in text for text in found.warnings), found.warnings
    assert {row["executor"] for row in found.processors.to_pylist()} == {"driver", "0", "1", "2"}
    names = {host.name for host in cluster.hosts}
    assert names < set(found.machine["host"].to_pylist()), "each host's own counters, and this side's"
    job = found.jobs.to_pylist()[0]
    assert job["other_wait_s"] > 0.5 * job["wall_s"], "tasks wait for Python, which sleeps"
    assert sorted(f.name for f in (tmp_path / "out").iterdir()) == [
        *("eventlog", "hosts.jsonl", "machine.jsonl", "profile.json", "samples.jsonl"),
        *(["stacks.jsonl"] if end == "stop" else []),
    ]
    wait_for("the samplers' end", lambda: not any(host.pids("sparkgap-sampler") for host in cluster.hosts))
    job = tmp_path / "job.py"  # files of an earlier run are not this one's
    left = [
        host.run(rf"find / -xdev -newer {job} \( -name 'sparkgap-*.pyz' -o -name 'sparkgap-*.jfr' \) 2>/dev/null; true")
        for host in cluster.hosts
    ]
    assert "".join(left) == ""
