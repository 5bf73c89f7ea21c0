# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Parts of a report that few jobs have: what Planted.java was made to spend its time on is found."""

import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest
from conftest import PATIENCE, ROOT
from disk_limit import slow_disk

from sparkgap import report
from sparkgap.report.shares.parts import BY_KEY, PARTS

SPARK = Path(pyspark.__file__).parent
SLOTS = 2
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.executor.memory": "512m",
    "spark.locality.wait": "10s",  # longer than a task takes
    "spark.executor.extraJavaOptions": "-XX:+UseSerialGC",
}
pytestmark = pytest.mark.hosts


@pytest.fixture(scope="module")
def profiled(tmp_path_factory):
    place = tmp_path_factory.mktemp("planted")
    classes, jar = place / "classes", place / "planted.jar"
    source = ROOT / "conformance" / "Planted.java"
    subprocess.run(["javac", "-nowarn", "-d", classes, "-cp", SPARK / "jars" / "*", source], check=True)
    subprocess.run(["jar", "cf", jar, "-C", classes, "."], check=True)
    confs = [f"--conf={key}={value}" for key, value in SETTINGS.items()]
    words = [sys.executable, "-m", "sparkgap", "profile", "--out", place / "out", "--", SPARK / "bin" / "spark-submit"]
    words += ["--master", f"local-cluster[{SLOTS},1,512]", *confs, "--class", "Planted", jar, place]
    with slow_disk(place, 16 << 20) as group:
        done = subprocess.run(
            words,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120 * PATIENCE,
            env={**os.environ, "SPARK_SCALA_VERSION": "2.13"},
            preexec_fn=lambda: group.write_text(str(os.getpid())),
        )
    assert done.returncode == 0, done.stdout[-3000:]
    found = report.load(place / "out")
    assert found.warnings == []
    return {row["description"]: row for row in found.jobs.to_pylist()}


@pytest.mark.parametrize("part", ["serialize", "deserialize", "file_io"])
def test_tasks_spend_their_time_on_it(profiled, part):
    job = profiled[part]
    tasks = sum(job[f"{each.key}_s"] for each in PARTS if each.group == "busy")
    assert job[f"{part}_s"] > 0.8 * tasks, {key: job[f"{key}_s"] for key in BY_KEY}


def test_a_slot_is_left_while_tasks_wait_for_another(profiled):
    """Of four tasks one after the other the first three have some behind them that wait."""
    job = profiled["pending"]
    tasks = job["other_wait_s"]
    assert job["pending_s"] == pytest.approx(3 / 4 * tasks, rel=0.15)
    assert job["tail_s"] == pytest.approx(1 / 4 * tasks, rel=0.15)
