# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Every public call in a session that cannot take it: without the plugin, stopped, of another version, with its JVM
killed. One error each, in one form, whose advice works.
"""

import functools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from doors import NO_SESSION, calls, public

import sparkgap
from sparkgap import environment

FORM = re.compile(r"[^:\n]+: expected [^\n]+, found [^\n]+\. [^\n]+[.?]")
WITHOUT = (
    "session: expected a Spark session with spark.plugins=org.sparkgap.spark.SparkGapPlugin, found one that was started"
    " without it. "
)
CLEAN = {k: v for k, v in os.environ.items() if "REMOTE" not in k and "CONNECT" not in k}


@functools.cache  # a fixture of the module is made anew whenever pytest goes from one mode to the other
def visits(mode):
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("doors.py"), mode],
        capture_output=True,
        text=True,
        timeout=600,
        env=CLEAN,
    )
    said = [line for line in done.stdout.splitlines() if line.startswith("{")]
    assert said, done.stderr[-3000:]
    return mode, json.loads(said[-1]), done.stderr[-3000:]


@pytest.fixture(params=["classic", "connect"])
def visited(request):
    return visits(request.param)


def test_no_door_is_forgotten():
    """A new public name stands in doors.py: what calls it, or why it needs no session."""
    found, known = {f"{where}.{name}" for where, name in public()}, set(calls())
    excused = {f"{where}.{name}" for where, names in NO_SESSION.items() for name in names}
    assert found - known == excused & found, "names that doors.py does not know"
    assert not excused & known


@pytest.mark.parametrize(
    ("state", "cls", "words"),
    [
        ("nothing runs", "ArgumentError", "spark: expected a Spark session, found none. "),
        ("plain", "ArgumentError", WITHOUT),
        ("stopped", "ArgumentError", ""),
        ("killed", "LaunchError", "spark: expected "),
    ],
)
def test_every_door_of_a_session_that_is_none(visited, state, cls, words):
    mode, found, errors = visited
    assert state in found, errors
    assert len(found[state]) > (40 if state != "nothing runs" else 5)
    for name, (kind, text) in found[state].items():
        assert (kind, text.startswith(words)) == (cls, True) or kind in LATER.get(state, ()), (
            f"{mode}, {state}: {name}: {kind}: {text}"
        )
        assert FORM.fullmatch(text), f"{name}: {text}"


# A method that asks Spark for the user's own tables first hears of the stop from Spark itself.
LATER = {"stopped": ["LaunchError"]}


def test_the_advice_works(visited):
    mode, found, errors = visited
    advice = {
        "classic": "Do spark.stop(), then spark = sparkgap.session(); or",
        "connect": "Do spark.stop(), then spark = sparkgap.session(remote='local[*]').",
    }[mode]
    assert all(text.removeprefix(WITHOUT).startswith(advice) for _, text in found["plain"].values())
    assert found.get("after it") == {"count": 2}, errors
    assert found.get("once more") == {"count": 2}, errors


def test_spark_submit_is_told_what_to_add(tmp_path):
    """And what it is told works as it stands."""
    (tmp_path / "job.py").write_text(
        "from pyspark.sql import SparkSession\nimport sparkgap\nspark = SparkSession.builder.getOrCreate()\n"
        "edges = spark.createDataFrame([(1, 2), (2, 1)], 'src bigint, dst bigint')\n"
        "try: print('rows', sparkgap.graph.pagerank(edges).count())\nexcept sparkgap.SparkGapError as e: print(e)\n"
    )
    import pyspark

    submit = [
        Path(pyspark.__file__).parent / "bin" / "spark-submit",
        "--master",
        "local[1]",
        "--driver-memory",
        "1g",
        "--conf",
        "spark.ui.enabled=false",
    ]
    environ = {**CLEAN, "PYSPARK_PYTHON": sys.executable}

    def run(*words):
        done = subprocess.run(
            [*submit, *words, tmp_path / "job.py"],
            capture_output=True,
            text=True,
            timeout=300,
            env=environ,
            cwd=tmp_path,
        )
        return next(line for line in done.stdout.splitlines() if line.startswith(("rows", "session")))

    said = run()
    assert said.startswith(WITHOUT) and FORM.fullmatch(said)
    words = re.search(r"Do spark-submit (.*) and the rest as before\.", said).group(1).split()
    assert words[0] == "--driver-class-path"
    assert run(*words) == "rows 2"


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_another_version_in_spark_is_refused(spark, monkeypatch):
    monkeypatch.setattr(environment, "own_version", lambda: "9.9")
    other = spark.newSession()
    with pytest.raises(
        sparkgap.ArgumentError,
        match=r"session: expected sparkgap 9\.9 in Spark, as in this Python, found [\d.]+\. Install the same version",
    ):
        sparkgap.store.ls(spark=other)


@pytest.mark.parametrize("wrong", [5, "spark", object()])
def test_something_else_than_a_session_is_refused(wrong):
    with pytest.raises(sparkgap.ArgumentError, match="spark: expected a SparkSession, found "):
        sparkgap.store.ls(spark=wrong)


INTERRUPTED = """
import os, signal, sys, threading, time
import sparkgap
from pyspark.sql import functions as F
spark = sparkgap.session("local[2]", conf={"spark.ui.enabled": "false", "spark.driver.memory": "1g"})
slow = F.udf(lambda x: time.sleep(600) or x, "bigint")
edges = spark.range(4).select(slow("id").alias("src"), "id").toDF("src", "dst")
def cancel():
    while not spark.sparkContext.statusTracker().getActiveStageIds(): time.sleep(0.05)
    spark.interruptAll()
threading.Thread(target=cancel, daemon=True).start()
try: sparkgap.graph.pagerank(edges)
except sparkgap.SparkGapError as e: print(type(e).__name__, e)
print(sparkgap.graph.rmat(scale=3).count())
spark.stop()
"""


def test_a_call_that_somebody_cancels(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=300, env=CLEAN, cwd=tmp_path
    )
    assert done.stdout.splitlines() == [
        "LaunchError call: expected to run to its end, found that it was cancelled. Do run it again.",
        "128",
    ], done.stderr[-3000:]
