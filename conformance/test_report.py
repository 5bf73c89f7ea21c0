# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap report` on logs that a real Spark writes, in each of its forms: what was planted is found, and a real
browser shows the page.
"""

import os
import re
import signal
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import PATIENCE

from sparkgap import report
from sparkgap.report.shares.parts import PARTS

APPLICATION = r"""
import os, sys, time
from pyspark.sql import SparkSession

import sparkgap


def sleep(seconds):
    return lambda i: time.sleep(seconds(i)) or i


def fail_once(i):
    from pyspark import TaskContext

    if i == 0 and TaskContext.get().attemptNumber() == 0:
        time.sleep(1)
        raise ValueError("planted")
    return i


def planted(spark):
    sc = spark.sparkContext
    sc.setJobDescription("workers start")
    sc.parallelize(range(4), 4).map(sleep(lambda i: 0.1)).count()
    sc.setJobDescription("skew <b>")
    sc.parallelize(range(16), 16).map(sleep(lambda i: 3 if i == 15 else 0.1)).count()
    sc.setJobDescription("few")
    sc.parallelize([0], 1).map(sleep(lambda i: 2)).count()
    time.sleep(2)
    sc.setJobDescription("lost")
    sc.parallelize(range(2), 2).map(fail_once).count()
    sc.setJobDescription(None)


def session(**conf):
    builder = sparkgap.configure(SparkSession.builder).master("local[2,3]").appName("planted & <i>real</i>")
    builder = builder.config("spark.ui.enabled", "false").config("spark.eventLog.enabled", "true")
    for key, value in {"dir": "file://" + sys.argv[1], "rolling.enabled": "false", "compress": "false", **conf}.items():
        builder = builder.config("spark.eventLog." + key, value)
    return builder.getOrCreate()


def stream(spark):
    # Two batches: a file in each.
    folder = sys.argv[1] + "/../words"
    for i in range(2):
        os.makedirs(folder, exist_ok=True)
        with open(folder + "/" + str(i), "w") as file:
            file.write("a\nb\nc\n")
    rows = spark.readStream.option("maxFilesPerTrigger", "1").text(folder)
    query = rows.writeStream.queryName("<words>").format("noop").trigger(availableNow=True)
    query.option("checkpointLocation", sys.argv[1] + "/../checkpoint").start().awaitTermination()


spark = session()
planted(spark)
spark.range(0, 1000000, 1, 4).selectExpr("id % 10 k", "id v").groupBy("k").sum("v").collect()
edges = spark.createDataFrame([(1, 2), (2, 3), (3, 1)], "src bigint, dst bigint")
sparkgap.graph.pagerank(edges).count()
sparkgap.mpi.run(["sleep", "1"])
try:
    sparkgap.graph.pagerank(edges, src="nothing")
except sparkgap.SparkGapError:
    pass
try:
    sparkgap.mpi.run(["false"])
except sparkgap.SparkGapError:
    pass
stream(spark)
spark.stop()
for codec in ("zstd", "lz4", "snappy", "lzf"):
    spark = session(compress="true", **{"compression.codec": codec})
    spark.range(100).selectExpr("sum(id)").collect()
    spark.stop()
spark = session(compress="true", **{"rolling.enabled": "true"})
spark.range(100).selectExpr("sum(id)").collect()
print("written", flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """The log of each form by its name; the process that wrote the last one was killed."""
    place = tmp_path_factory.mktemp("logs")
    (place.parent / "app.py").write_text(APPLICATION)
    alone = {"start_new_session": True}
    words = [sys.executable, place.parent / "app.py", place]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **alone) as process:
        try:
            assert process.stdout.readline() == "written\n"
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # the JVM too, which else would finish its log
            process.wait(60 * PATIENCE)
    found = {(re.search(r"\.(\w+)$", log.name) or [None, "plain"])[1]: log for log in place.iterdir() if log.is_file()}
    found["rolling"] = next(log for log in place.iterdir() if log.is_dir())
    return found


def add_up(found):
    for table in (found.stages, found.jobs, found.executions):
        for row in table.to_pylist():
            assert sum(row[f"{part.key}_s"] for part in PARTS) == pytest.approx(row["wall_s"], abs=1e-6)
    assert sum(found.breakdown["seconds"].to_pylist()) == pytest.approx(found.wall_s)


def test_what_was_planted_is_found(logs):
    found = report.load(logs["plain"])
    add_up(found)
    assert found.warnings == []
    jobs = {row["description"]: row for row in found.jobs.to_pylist()}
    stages = {row["job"]: row for row in found.stages.to_pylist()}
    skew, few, lost = (stages[jobs[name]["job"]] for name in ("skew <b>", "few", "lost"))
    # 15 tasks of 0.1 s and one of 3 s on two slots: while the last runs, the other slot is idle.
    assert 1.3 < skew["tail_s"] <= skew["longest_task_s"] / 2 and skew["longest_task_s"] > 3
    assert 2 < skew["skew_s"] < skew["wall_s"]
    assert few["too_few_s"] == pytest.approx(few["longest_task_s"] / 2, rel=0.05)
    assert 0.9 < few["off_cpu_s"] <= few["longest_task_s"] / 2
    assert lost["lost_attempts"] == 1 and 0.49 < lost["lost_s"] < 0.5 * lost["wall_s"] + 0.1
    assert found.share("between") * found.wall_s > 2
    execution = found.executions.to_pylist()[0]
    assert execution["jobs"] and execution["cpu_s"] > 0
    ran = [[node.partition(" (")[0] for node in row["plan"]] for row in found.stages.to_pylist() if row["plan"]]
    assert ran[:2] == [["Range", "HashAggregate", "Exchange"], ["Exchange", "HashAggregate"]], ran
    assert max(row["replay_error"] for row in (skew, few)) < 0.25


def test_what_was_lost_is_named(logs):
    (row,) = report.load(logs["plain"]).faults.to_pylist()
    assert row["kind"] == "task failed" and row["what"].endswith("ValueError: planted"), row


def test_batches_of_a_stream(logs):
    found = report.load(logs["plain"])
    rows = found.batches.to_pylist()
    assert [(row["query"], row["batch"], row["rows"]) for row in rows] == [("<words>", 0, 3), ("<words>", 1, 3)]
    assert all(0 < sum(dict(row["phases"]).values()) <= row["wall_s"] + 0.1 for row in rows)
    assert rows[0]["begin_s"] + rows[0]["wall_s"] <= rows[1]["begin_s"] + 0.1


def test_what_joins_shuffle_and_scans_read(tmp_path):
    (tmp_path / "log").mkdir()
    program = """
import sys
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
for key, value in eval(sys.argv[1]).items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
small, large = spark.range(20000), spark.range(1000000).selectExpr("id % 40000 id", "id x")
large.join(small, "id", sys.argv[2]).selectExpr("sum(x)").collect()
spark.read.parquet("files").selectExpr("sum(id)").collect()
spark.stop()
"""
    conf = {
        f"spark.eventLog.{key}": value for key, value in {"enabled": "true", "dir": f"file://{tmp_path}/log"}.items()
    }
    conf |= {"spark.sql.autoBroadcastJoinThreshold": "-1"}
    (tmp_path / "files").mkdir()
    for i in range(120):
        pq.write_table(pa.table({"id": [i]}), tmp_path / "files" / f"{i}.parquet")
    words = [sys.executable, "-c", program, repr(conf), "left"]
    subprocess.run(words, check=True, timeout=100 * PATIENCE, cwd=tmp_path, stderr=subprocess.DEVNULL)
    found = report.load(tmp_path / "log")
    (join,) = found.application.joins
    assert join.kind == "LeftOuter" and join.larger > 30 * join.smaller > 0 and len(join.stages) >= 2, join
    (scan,) = found.application.scans
    assert scan.files == 120 and 0 < scan.bytes < 120 * 3000 and scan.stages, scan
    assert "broadcast_join" in {advice.rule for advice in found.advice}


def test_operations_of_connect(tmp_path):
    (tmp_path / "log").mkdir()
    log = {"enabled": "true", "dir": f"file://{tmp_path}/log", "rolling.enabled": "false", "compress": "false"}
    program = """
import sys, sparkgap
spark = sparkgap.session(remote="local[1]", conf=eval(sys.argv[1]))
spark.addTag("nightly")
spark.range(10).selectExpr("sum(id)").collect()
try:
    spark.sql("select nothing").collect()
except Exception:
    spark.stop()
"""
    conf = {f"spark.eventLog.{name}": value for name, value in log.items()} | {"spark.ui.enabled": "false"}
    subprocess.run([sys.executable, "-c", program, repr(conf)], check=True, timeout=100 * PATIENCE, cwd=tmp_path)
    found = report.load(tmp_path / "log")
    rows = found.operations.to_pylist()
    ours = next(row for row in rows if row["jobs"] and "nightly" in row["tags"])
    assert ours["outcome"] == "" and ours["execution_s"] <= ours["wall_s"]
    assert any("nothing" in row["outcome"] for row in rows if row["outcome"].startswith("failed")), rows


def test_native_calls_are_in_the_log(logs):
    found = report.load(logs["plain"])
    pagerank, sleep, false = found.calls.to_pylist()
    assert (pagerank["kernel"], pagerank["rows_in"], pagerank["rows_out"]) == ("pagerank", 3, 3)
    assert {"export_s", "launch_s", "compute_s"} <= set(dict(pagerank["phases"])) and not pagerank["failed"]
    assert sleep["kernel"] == "sleep" and 1 <= sleep["wall_s"] < 1 + 10 * PATIENCE
    assert 1 <= found.share("native") * found.wall_s <= sum(row["wall_s"] for row in (pagerank, sleep, false)) + 0.1
    assert (false["kernel"], false["failed"]) == ("false", True)


@pytest.mark.parametrize("form", ["zstd", "lz4", "snappy", "lzf"])
def test_every_form_of_spark_is_read(logs, form):
    found = report.load(logs[form])
    add_up(found)
    assert found.warnings == [] and found.executions.num_rows == 1 and found.tasks.num_rows >= 1
    assert (found.application.name, found.application.spark_version[:2]) == ("planted & <i>real</i>", "4.")


def test_the_log_of_a_killed_application(logs):
    found = report.load(logs["rolling"])
    add_up(found)
    assert found.warnings[0].startswith("The log is unfinished")
    assert found.application.name == "planted & <i>real</i>"


def test_a_browser_shows_it(logs, tmp_path):
    page = tmp_path / "page.html"
    report.load(logs["plain"]).write_html(page)
    words = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile"]
    words += ["--enable-logging=stderr", "--timeout=20000", "--virtual-time-budget=20000", "--dump-dom", page.as_uri()]
    done = subprocess.run(words, capture_output=True, text=True, timeout=100 * PATIENCE)
    assert "CONSOLE" not in done.stderr
    assert re.search(r'<html[^>]* data-ready="\d+"', done.stdout), done.stderr
    assert re.search(r'<canvas[^>]* data-paint-ms="', done.stdout)
    assert "&lt;words&gt;" in done.stdout and "ValueError: planted" in done.stdout
    assert "skew &lt;b&gt;" in done.stdout and "planted &amp; &lt;i&gt;real&lt;/i&gt;" in done.stdout


COLLECTED = r"""
import sys
from pyspark.sql import SparkSession

options = "-XX:+Use" + sys.argv[2] + "GC -Xlog:gc:file=" + sys.argv[1] + "/gc.log"
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
builder = builder.config("spark.driver.extraJavaOptions", options).config("spark.driver.memory", "1g")
builder = builder.config("spark.eventLog.enabled", "true")
spark = builder.config("spark.eventLog.dir", "file://" + sys.argv[1] + "/log").getOrCreate()
spark.range(0, 50_000_000, 1, 1).selectExpr("max(xxhash64(id))").collect()
spark.sparkContext.setJobDescription("collected")
spark.range(0, 20, 1, 1).selectExpr("reflect('java.lang.System', 'gc')").collect()
spark.stop()
"""


@pytest.mark.parametrize("collector", ["G1", "Parallel", "Z"])
def test_what_collections_stop_tasks_for(tmp_path, collector):
    """Tasks ask for a collection again and again; how long each stopped them, the JVM's own log says."""
    (tmp_path / "log").mkdir()
    (tmp_path / "app.py").write_text(COLLECTED)
    words = [sys.executable, tmp_path / "app.py", tmp_path, collector]
    own = {**os.environ, "SPARK_SUBMIT_OPTS": ""}  # the tests' JVMs have a collector
    subprocess.run(words, check=True, capture_output=True, timeout=120 * PATIENCE, env=own)
    found = report.load(tmp_path / "log")
    add_up(found)
    collected = sum(row["gc_s"] for row in found.jobs.to_pylist() if row["description"] == "collected")
    lines = (tmp_path / "gc.log").read_text().splitlines()
    called = [place for place, line in enumerate(lines) if "(System.gc())" in line]
    pauses = re.findall(r" Pause .* ([\d.]+)ms", "\n".join(lines[called[0] : called[-1] + 1]) if called else "")
    asked = [advice for advice in found.advice if advice.rule == "gc"]
    if collector == "Z":  # what it does beside the tasks is no pause
        assert (collected, pauses, asked) == (0, [], []) and "ZGC" in " ".join(found.warnings)
        return
    # the JVM drops a call that comes while native code holds an array, so not all of the twenty need be there
    assert len(pauses) >= 5 and collected == pytest.approx(sum(map(float, pauses)) / 1e3, rel=0.1)
    assert found.share("gc") * found.wall_s == pytest.approx(collected, rel=0.2, abs=0.05)
    assert bool(asked) == (collected > 0.1 * found.application.tasks["run"].sum() / 1e3)
