# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A study on a real Spark: cut off by kill -9 and gone on with, with a run that its budget ends, and its page."""

import json
import os
import signal
import subprocess
import sys

import pyarrow.parquet as pq
import pytest
from conftest import PATIENCE, wait_for

from sparkgap import processes
from sparkgap.lab import study

STUDY = """
title = "A study of one's own"
source = "Nobody"
question = "Does it go on?"
repeats = { tiny = 1, small = 1, full = 1 }
size = { tiny = "1m", small = "1m", full = "1m" }
base = { heap = "512m" }
[[experiments]]
name = "volume"
workloads = ["wordcount"]
factors = { data = [1] }
[[experiments]]
name = "caches"
workloads = ["kmeans"]
factors = { cache = ["store"] }
[[experiments]]
name = "budgets"
workloads = ["grep"]
factors = { budget = ["96m", "4g"], instances = [2] }
[[experiments]]
name = "mine"
workloads = ["own"]
factors = { heap = ["600m"] }
[workload]
command = ["PYTHON", "APPLICATION"]
[[figures]]
name = "1"
title = "Data processed per second"
experiment = "volume"
x = "data"
y = "dps"
"""


APPLICATION = """
import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
spark.range(1_000_000).selectExpr("max(xxhash64(id))").collect()
with open(f"{__file__}.memory", "a") as file:
    file.write(spark.conf.get("spark.driver.memory", "its own") + "\\n")
spark.stop()
"""
# Little of Spark: it runs eight times, and what it does is not the matter.
LITTLE = """
from pyspark import SparkConf, SparkContext
conf = SparkConf().setMaster("local[2]").setAppName("little").set("spark.ui.enabled", "false")
context = SparkContext(conf=conf)
context.range(1000, numSlices=2).sum()
context.stop()
"""
CMS = "the collector CMS left Java with version 14"
EXAMPLES = "Hadoop's examples are in no place of HADOOP_HOME"


def lab(*words, **more):
    return subprocess.Popen([sys.executable, "-m", "sparkgap", "lab", *map(str, words)], stderr=subprocess.PIPE, **more)


def test_a_study_that_is_cut_off(tmp_path):
    file, out = tmp_path / "mine.toml", tmp_path / "out"
    application = tmp_path / "app.py"
    application.write_text(APPLICATION)
    file.write_text(STUDY.replace("PYTHON", sys.executable).replace("APPLICATION", str(application)))
    words = ["run", file, "--scale", "tiny", "--out", out]
    with lab(*words) as process:
        wait_for("the first row", lambda: list((out / "rows").glob("*.json")), 120)
        # The lab, an instance of the next run, its application, and a JVM.
        wait_for("another run", lambda: len(processes.tree(process.pid)) >= 4, 60)
        below = [each.pid for each in processes.tree(process.pid)]
        os.kill(process.pid, signal.SIGKILL)
    rows = list((out / "rows").glob("*.json"))
    assert 1 <= len(rows) < 5, "it struck while the study ran"
    wait_for("the end of all that it had started", lambda: not any(map(processes.command, below)))

    with lab(*words, "--resume", text=True) as process:
        said = process.communicate(timeout=600 * PATIENCE)[1]
    assert process.returncode == 0, said
    assert f"{len(rows)} of 5 runs are there from before" in said and "it died, which is a result too" in said
    table = pq.read_table(out / "results.parquet").to_pylist()
    by_levels = {(row["workload"], row.get("level_budget")): row for row in table}
    assert len(by_levels) == 5
    died = by_levels["grep", "96m"]
    assert died["state"] == "died" and died["why"].startswith("the memory budget was used up")
    assert {file.name.partition("-")[0] for file in (out / "died").iterdir()} == {"grep"}, "what it printed"
    done = [row for row in table if row["state"] == "done"]
    assert len(done) == 4
    for row in done:
        parts = sum(value for name, value in row.items() if name.startswith("share_") and value is not None)
        assert abs(parts - 1) < 1e-6, "a report's parts are the wall time"
        assert row["work_s"] <= row["wall_s"] < row["elapsed_s"]
        assert row["cpu_user_s"] > 0 and row["others_share"] is not None and row["peak_bytes"] > 1 << 26
    assert (tmp_path / "app.py.memory").read_text().splitlines()[-1] == "600m"
    side_by_side = by_levels["grep", "4g"]
    assert side_by_side["instances"] == 2 and len(json.loads(side_by_side["each_work_s"])) == 2
    assert max(json.loads(side_by_side["each_work_s"])) == side_by_side["work_s"]
    page = (out / "page.html").read_text()
    assert "A study of one&#39;s own" in page and "the memory budget was used up" in page
    assert not (out / "work").exists()


@pytest.mark.deadline(3)
@pytest.mark.parametrize("name", study.names())
def test_studies_run(tmp_path, name):
    """As small as they can be: what they measure so says nothing, and no finding is judged by it."""
    out = tmp_path / "out"
    with lab("run", name, "--scale", "tiny", "--out", out, text=True) as process:
        said = process.communicate(timeout=600 * PATIENCE)[1]
    assert process.returncode == 0, said
    rows = pq.read_table(out / "results.parquet").to_pylist()
    assert {(row["state"], row["why"]) for row in rows} <= {("done", ""), ("left out", CMS), ("left out", EXAMPLES)}, (
        said
    )
    for row in rows:
        assert (row.get("struck_s") is not None) == (row.get("level_fault") in ("executor", "application")), row
    assert all(row["dollars"] > 0 and row["work_s"] > 0 for row in rows if row["state"] == "done")
    page = (out / "page.html").read_text()
    assert "<rect" in page and "Confirmed" not in page and "Contradicted" not in page


@pytest.mark.deadline(2)
def test_what_helps_ones_own_application(tmp_path):
    """Which of them is faster is a matter of the machine; what is kept is what is faster. kill -9 costs one run."""
    application = tmp_path / "app.py"
    application.write_text(LITTLE)
    words = ["mine", "--minutes", "0.1", "--out", tmp_path / "out", "--json", tmp_path / "j", "--apply", tmp_path / "a"]
    environ = {**os.environ, "SPARK_SUBMIT_OPTS": "-XX:TieredStopAtLevel=1"}  # the collector is what is tried
    own, rows = ["--", sys.executable, application], tmp_path / "out" / "rows"
    with lab(*words, *own, env=environ) as process:
        wait_for("a row of the first round", lambda: list(rows.glob("as_it_is-1.json")), 120)
        os.kill(process.pid, signal.SIGKILL)
    assert len(list(rows.glob("*.json"))) < 7, "it struck while there was more to do"
    with lab(*words, "--resume", *own, text=True, env=environ) as process:
        said = process.communicate(timeout=600 * PATIENCE)[1]
    assert process.returncode == 0 and "runs are there from before" in said and "for the first time" not in said, said
    found = json.loads((tmp_path / "j").read_text())
    (candidate,) = found["candidates"]
    assert candidate["name"] == "collector=Parallel" and len(candidate["runs_s"]) == len(found["before"]["runs_s"]) == 3
    assert candidate["low_s"] <= candidate["gain_s"] <= candidate["high_s"]
    assert any("minutes are too few" in each["why"] for each in found["left_out"])
    is_faster = candidate["low_s"] > 0
    assert found["winner"] == ("collector=Parallel" if is_faster else None)
    assert ("UseParallelGC" in (tmp_path / "a").read_text()) == is_faster
    assert pq.read_table(tmp_path / "out" / "results.parquet").num_rows == 7
