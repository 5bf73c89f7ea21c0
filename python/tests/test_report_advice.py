# Copyright 2026 the sparkgap authors. Over 400 lines: each rule is tried on all jobs.
# SPDX-License-Identifier: Apache-2.0
"""Each rule fires on the job that was made for it, and is silent on all others."""

import json

import pytest
from event_log import BEGIN, Log, drawn

from sparkgap import report, spec
from sparkgap.cli.app import main


def waves(n, seconds, slots=4, **parts):
    """Tasks of one length, wave after wave, and when the last ends."""
    ms = int(seconds * 1000)
    return [(i // slots * ms, (i // slots + 1) * ms, {"cpu": ms, **parts}) for i in range(n)], -(-n // slots) * ms


def one_stage(log, tasks, end, **properties):
    log.job(0, [(0, tasks, end)], end, **properties)
    return log.end(end)


def balanced():
    return one_stage(Log(cores=4), *waves(12, 1))


def gc():
    return one_stage(Log(cores=4), *waves(12, 1, cpu=600, gc=400))


def spill():
    return one_stage(Log(cores=4), *waves(12, 1, cpu=500, spilled=10**9))


def skew():
    tasks, _ = waves(12, 1)
    return one_stage(Log(cores=4), [*tasks, (3000, 12000, {"cpu": 9000})], 12000)


def tiny_tasks():
    return one_stage(Log(cores=4), *waves(400, 0.02, cpu=8, deserialize=6, run=10))


def too_few_tasks():
    return one_stage(Log(cores=4), [(0, 8000, {"cpu": 8000})] * 2, 8000)


def locality_wait():
    log = Log(cores=4)
    tasks = [(0, 5000, {"cpu": 5000})] * 2 + [(3000, 5000, {"cpu": 2000})] * 2
    one_stage(log, tasks, 5000)
    for event in log.events:
        if event["Event"] == "SparkListenerTaskEnd" and event["Task Info"]["Task ID"] >= 2:
            event["Task Info"]["Locality"] = "ANY"
    return log


def driver():
    log = Log(cores=4)
    tasks, end = waves(12, 1)
    log.job(4000, [(4000, [(4000 + a, 4000 + b, parts) for a, b, parts in tasks], 4000 + end)], 4000 + end)
    return log.end(4000 + end)


def no_executors():
    log = Log(cores=4)
    tasks, end = waves(12, 1)
    log.job(0, [(0, tasks, end + 2000)], end + 2000)
    log.say("ExecutorRemoved", **{"Timestamp": BEGIN + end, "Executor ID": "0", "Removed Reason": "idle"})
    return log.end(end + 2000)


def idle_slots():
    """An executor that comes and has nothing to do, for the driver works at the end."""
    log = one_stage(Log(cores=4), *waves(12, 1))
    log.events.pop()
    log.executor(1, 16, at=3000)
    return log.end(4200)


def executor_count():
    """Two of eight tasks take three seconds each, in which two slots do the work of the other six."""
    tasks = [(0, 3000, {"cpu": 3000})] * 2 + [(0, 1000, {"cpu": 1000})] * 6
    return one_stage(Log(cores=4, executors=2), tasks, 3000)


def native_kernel():
    log = one_stage(Log(cores=4), *waves(12, 1))
    for event in log.events:
        if "Stage Info" in event:
            event["Stage Info"]["Stage Name"] = "mapPartitions at GraphImpl.scala:207"
    return log


SQL = "org.apache.spark.sql.execution.ui.SparkListener"


def planned(plan, counted, driver=()):
    """A job of one stage that ran a plan."""
    log = Log(cores=4)
    log.say(SQL + "SQLExecutionStart", executionId=3, description="x", time=BEGIN, sparkPlanInfo=plan)
    one_stage(log, *waves(12, 1))
    log.say(SQL + "DriverAccumUpdates", executionId=3, accumUpdates=[list(each) for each in driver])
    (done,) = (event["Stage Info"] for event in log.events if event["Event"] == "SparkListenerStageCompleted")
    done["Accumulables"] = [{"ID": number, "Value": str(value)} for number, value in counted.items()]
    return log


def node(name, *children, text="", **metrics):
    named = [{"name": key.replace("_", " "), "accumulatorId": number} for key, number in metrics.items()]
    return {"nodeName": name, "simpleString": text or name, "metrics": named, "children": list(children)}


def joined(kind="Inner", left=30e6, right=900e6):
    sides = [node("Sort", node("AQEShuffleRead", node("Exchange", node("Scan x"), data_size=n))) for n in (1, 2)]
    join = node("SortMergeJoin", *sides, text=f"SortMergeJoin [k#1L], [k#2L], {kind}, (a#1 < b#2)")
    return planned(node("WholeStageCodegen (1)", join), {1: int(left), 2: int(right)})


def broadcast_join():
    return joined()


def small_files():
    scan = node("Scan parquet ", number_of_files_read=7, size_of_files_read=8, number_of_output_rows=9)
    return planned(scan, {9: 1000}, [(7, 5000), (8, 50_000_000)])


def large_broadcast(size=3_000_000_000, **settings):
    times = {"time_to_collect": 2, "time_to_build": 3, "time_to_broadcast": 4}
    plan = node("BroadcastHashJoin", node("Scan x"), node("BroadcastExchange", data_size=1, **times))
    log = planned(plan, {}, [(1, size), (2, 1000), (3, 200), (4, 300)])
    log.events[2]["Spark Properties"] = settings
    return log


def large_partitions(of="Shuffle Read Metrics", counter="Local Bytes Read", most=8_000_000_000):
    log = one_stage(Log(cores=4), *waves(12, 1))
    (task,) = (e for e in log.events if e["Event"] == "SparkListenerTaskEnd" and e["Task Info"]["Task ID"] == 5)
    task["Task Metrics"][of][counter] = most
    return log


def cached(**settings):
    """Collections take much of a job that reads a cached table."""
    plan = node("InMemoryTableScan", number_of_output_rows=5)
    log = planned(plan, {5: 10})
    for event in log.events:
        if event["Event"] == "SparkListenerTaskEnd":
            event["Task Metrics"]["JVM GC Time"], event["Task Metrics"]["Executor CPU Time"] = 400, 600_000_000
    log.events[2]["Spark Properties"] = settings
    return log


def executor_cores(**settings):
    log = one_stage(Log(cores=32), *waves(96, 1, slots=32, cpu=600, gc=400))
    log.events[2]["Spark Properties"] = {"spark.executor.cores": "32", **settings}
    return log


class Recorded:
    """A profile with stacks: a log, and lines about what Java ran in it."""

    def __init__(self, log, lines):
        self._log, self._lines = log, lines

    def write(self, path):
        (path / "eventlog").mkdir(parents=True)
        (path / "profile.json").write_text("{}")
        (path / "stacks.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in self._lines))
        self._log.write(path / "eventlog" / "app-1")
        return path


def sampled(*inner, serializer=""):
    """A balanced job, a third of whose tasks' samples have each of these innermost frames, below a task's own."""
    frames = ["java.lang.Thread.run", "org.apache.spark.scheduler.Task.run", *inner]
    lines = [{"frame": name} for name in frames] + [{"stack": [0, 1, 2 + i]} for i in range(len(inner))]
    sample = {"at_ms": BEGIN + 100, "executor": "0", "task": True, "stage": 0, "n": 50}
    log = balanced()
    log.events[2]["Spark Properties"] = {"spark.serializer": serializer}
    return Recorded(log, [*lines, *({**sample, "of_stack": i} for i in range(len(inner)))])


def serializer():
    return sampled("java.io.ObjectOutputStream.writeObject0", "org.example.Job.a", "org.example.Job.b")


def heaps(before, after, pause_ms=500.0, job=None):
    """A balanced job, or another, with three collections, of a heap of 1 GB."""
    lines = []
    for at in (1000, 1500, 2000):
        row = {"executor": "0", "heap_committed": 10**9, "heap_most": 10**9}
        lines += [{"at_ms": BEGIN + at, "heap_used": before, **row}, {"at_ms": BEGIN + at, "heap_used": after, **row}]
        gc = {"collector": "G1Full", "cause": "x", "pause_ms": pause_ms, "longest_ms": pause_ms}
        lines.append({"at_ms": BEGIN + at, "executor": "0", **gc})
    return Recorded(job or balanced(), lines)


def heap_tight():
    return heaps(990_000_000, 950_000_000)


def heap_too_big(used=10**9, **settings):
    log = one_stage(Log(cores=4), *waves(12, 1, executor_metrics={"JVMHeapMemory": used}))
    log.events[2]["Spark Properties"] = settings or {"spark.executor.memory": "8g"}
    return log


def scratch():
    return one_stage(Log(cores=4), *waves(12, 1, cpu=500, shuffle_write=500, written=5_000_000))


def python_start(reuse="false"):
    times = {"time to start Python workers": 300, "time to initialize Python workers": 100}
    times["time to run Python workers"] = 500
    own = [{"ID": i, "Name": name, "Update": str(ms)} for i, (name, ms) in enumerate(times.items())]
    log = one_stage(Log(cores=4), *waves(12, 1, accumulables=own))
    log.events[2]["Spark Properties"] = {"spark.python.worker.reuse": reuse}
    return log


JOBS = [
    python_start,
    serializer,
    heap_tight,
    heap_too_big,
    scratch,
    large_broadcast,
    large_partitions,
    broadcast_join,
    small_files,
    gc,
    spill,
    skew,
    tiny_tasks,
    too_few_tasks,
    locality_wait,
    driver,
    no_executors,
    idle_slots,
    executor_count,
    native_kernel,
]


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.__name__)
def test_each_rule_fires_on_its_own_job_alone(tmp_path, job):
    found = report.load(job().write(tmp_path / "log"))
    assert [advice.rule for advice in found.advice] == [job.__name__]
    (advice,) = found.advice
    assert advice.evidence and advice.action and advice.unsure.startswith(("measured", "bounded", "inferred"))
    assert advice.gain_s is None or 0 < advice.gain_s <= found.wall_s
    assert advice.as_json() == found.as_json()["advice"][0]
    found.write_html(tmp_path / "page.html")
    assert advice.title in (tmp_path / "page.html").read_text()


def test_a_balanced_job_gets_none(tmp_path):
    found = report.load(balanced().write(tmp_path / "log"))
    assert found.advice == []
    found.write_html(tmp_path / "page.html")
    assert "The numbers give no cause for advice." in (tmp_path / "page.html").read_text()


def test_half_of_the_executors_as_their_manager_says_it(tmp_path):
    for master, setting in (("yarn", ("spark.executor.instances", "1")), ("spark://a:7077", ("spark.cores.max", "4"))):
        log = executor_count()
        log.events[2]["Spark Properties"] = {"spark.master": master}
        (advice,) = report.load(log.write(tmp_path / master[:4])).advice
        assert dict([setting]) == advice.settings and " 0 ms more of 3.00 s" in advice.evidence
    log.events[2]["Spark Properties"] = {"spark.dynamicAllocation.enabled": "true"}
    assert report.load(log.write(tmp_path / "dynamic")).advice == []


@pytest.mark.parametrize(
    ("job", "gain"),
    [
        (gc, 1.2),
        (skew, 8),
        (too_few_tasks, 4),
        (no_executors, 2),
        (driver, 4),
        (locality_wait, 1.5),
        (tiny_tasks, 1.94),
        (serializer, 1),
        (python_start, 1.2),
        (heap_tight, 1.5),
        (scratch, 1.425),  # it writes 10 MB/s, and could write 200
    ],
)
def test_the_gain_is_what_a_replay_without_it_gives(tmp_path, job, gain):
    (advice,) = report.load(job().write(tmp_path / "log")).advice
    assert advice.gain_s == pytest.approx(gain, rel=0.15)


def graph_job(name, seconds=1):
    log = one_stage(Log(cores=4), *waves(12, seconds))
    for event in log.events:
        if "Stage Info" in event:
            event["Stage Info"]["Stage Name"] = name
    return log


@pytest.mark.parametrize(
    ("name", "kernel"),
    [
        ("reduce at PageRank.scala:1", 0.25),  # of 3 s
        ("collect at NaiveBayes.scala:1", 0.82),
        ("mapPartitions at GraphImpl.scala:207", 0.22),  # any algorithm of GraphX
    ],
)
def test_what_a_kernel_would_take_is_said_with_its_error(tmp_path, name, kernel):
    (advice,) = report.load(graph_job(name).write(tmp_path / "log")).advice
    assert advice.expected.gain_s == pytest.approx(3 - kernel, abs=0.01)
    assert 0 <= advice.expected.least_s < advice.expected.gain_s < advice.expected.most_s == advice.gain_s
    assert advice.as_json()["expected"] == advice.expected._asdict()


def test_a_library_is_known_by_its_sql_too(tmp_path):
    """A stage of SQL is named for a thread of Spark's; what asked for it, its execution says."""
    log = planned(node("Scan x"), {})
    log.events = [
        e | {"description": "collect at NaiveBayes.scala:213"} if "sparkPlanInfo" in e else e for e in log.events
    ]
    for event in log.events:
        if event["Event"] == "SparkListenerJobStart":
            event["Properties"] = {"spark.sql.execution.id": "3"}
    (advice,) = report.load(log.write(tmp_path / "log")).advice
    assert (advice.rule, advice.stages) == ("native_kernel", (0,)) and "NaiveBayes" in advice.evidence
    shared = graph_job("treeAggregate at Summarizer.scala:238")
    assert report.load(shared.write(tmp_path / "log")).advice == [], "others use it too"


def test_a_kernel_is_not_advised_for_less_than_its_call_takes(tmp_path):
    assert report.load(graph_job("reduce at PageRank.scala:1", 0.01).write(tmp_path / "log")).advice == []


@pytest.mark.parametrize(
    ("job", "setting"),
    [
        (joined(), "64m"),
        (joined("RightOuter"), "64m"),
        (joined("LeftOuter", 900e6, 99e6), "128m"),
        (joined("LeftSemi", 900e6, 1e5), "1m"),
        (joined("LeftOuter"), None),  # the side that may be sent is the large one
        (joined("FullOuter"), None),
        (joined(left=300e6), None),  # too much to send
        (joined(left=200e6), None),  # not much less than the other
        (joined(left=0), None),  # nothing is known of it
    ],
)
def test_a_side_is_sent_that_may_be(tmp_path, job, setting):
    found = report.load(job.write(tmp_path / "log")).advice
    settings = [advice.settings["spark.sql.autoBroadcastJoinThreshold"] for advice in found]
    assert settings == ([] if setting is None else [setting])


@pytest.mark.parametrize(
    "job",
    [
        sampled("java.io.ObjectOutputStream.writeObject0", serializer="org.apache.spark.serializer.KryoSerializer"),
        sampled("java.io.ObjectInputStream.readObject", *(f"org.example.Job.f{i}" for i in range(12))),  # one in 13
        heaps(990_000_000, 500_000_000),  # garbage alone
        heaps(990_000_000, 950_000_000, pause_ms=1.0),  # costs nothing
        python_start(reuse="true"),
        heap_too_big(5 << 30),
        large_broadcast(900_000_000),
        large_partitions(most=4_900_000_000),
        heap_too_big(10**9, **{"spark.executor.memory": "1536m"}),  # small enough
        heap_too_big(10**9, **{"spark.executor.memory": "a lot"}),
        heap_too_big(10**9, **{"spark.master": "local[4]", "spark.executor.memory": "8g"}),  # tasks are in the driver
        one_stage(Log(cores=4), *waves(12, 1, cpu=500, shuffle_write=500, written=50_000_000)),  # 100 MB/s
        one_stage(Log(cores=4), *waves(12, 1, cpu=990, shuffle_write=10, written=10_000)),  # little of it
    ],
)
def test_no_advice_where_it_would_not_help(tmp_path, job):
    assert report.load(job.write(tmp_path / "log")).advice == []


def test_a_heap_is_advised_with_room(tmp_path):
    settings = {"spark.master": "local[*]", "spark.driver.memory": "6144"}  # MiB
    (advice,) = report.load(heap_too_big(2 << 30, **settings).write(tmp_path / "log")).advice
    assert advice.settings == {"spark.driver.memory": "2458m"}
    (advice,) = report.load(heap_tight().write(tmp_path / "profile")).advice
    assert advice.settings == {"spark.executor.memory": "1430m"}


def test_no_collector_is_tried_on_a_full_heap(tmp_path):
    """One that stops for all of it would stop again and again: such a job of ours did not end."""
    for after, settings in (
        (950_000_000, {}),
        (500_000_000, {"spark.executor.extraJavaOptions": "-XX:+UseParallelGC"}),
    ):
        job = heaps(990_000_000, after, job=gc())
        found = {each.rule: each for each in report.load(job.write(tmp_path / str(after))).advice}
        assert found["gc"].settings == settings and ("heap_tight" in found) == (not settings)


def test_what_is_too_large_for_one_is_cut(tmp_path):
    def settings(job):
        (advice,) = report.load(job.write(tmp_path / "log")).advice
        return advice.settings

    held = one_stage(Log(cores=4), *waves(12, 1, cpu=500, spilled=10**9, peak=3 * 10**8))
    assert settings(held) == {"spark.sql.shuffle.partitions": str(12 * 8)}, (
        "in halves of what a task had, and one more for what did fit"
    )
    assert settings(large_partitions()) == {"spark.sql.shuffle.partitions": str(12 * 32)}  # of 250 MB each
    assert settings(large_partitions("Input Metrics", "Bytes Read")) == {"spark.sql.files.maxPartitionBytes": "128m"}
    threshold = "spark.sql.autoBroadcastJoinThreshold"
    assert settings(large_broadcast()) == {threshold: "-1"}  # Spark took it for less than 10 MB
    assert settings(large_broadcast(**{threshold: "4g"})) == {threshold: "10m"}


def test_cached_tables_go_into_the_store(tmp_path, monkeypatch):
    def rules(**settings):
        found = report.load(cached(**settings).write(tmp_path / "log")).advice
        return {advice.rule: advice for advice in found}

    plugin = {"spark.plugins": "org.sparkgap.spark.SparkGapPlugin"}
    assert rules(**plugin).keys() == rules(**{"spark.sql.cache.serializer": "org.example.Mine"}).keys() == {"gc"}
    assert rules(**plugin, **{"spark.sparkgap.store.cache": "false"})["store"].settings == {
        "spark.sparkgap.store.cache": "true"
    }
    monkeypatch.setattr(spec, "JAR", tmp_path / "sparkgap.jar")
    assert rules().keys() == {"gc", "store"} and rules()["store"].settings == {}  # there is none
    spec.JAR.touch()
    assert rules()["store"].settings == {
        **plugin,
        "spark.jars": str(spec.JAR),
        "spark.driver.extraClassPath": str(spec.JAR),
    }
    assert rules(**{"spark.jars": "mine.jar"})["store"].settings == {}  # its own would be lost
    assert rules()["store"].gain_s == pytest.approx(1.2, rel=0.15)


def test_executors_of_many_cores_are_parted(tmp_path):
    def found(**settings):
        return {a.rule: a for a in report.load(executor_cores(**settings).write(tmp_path / "log")).advice}

    more = {"spark.executor.memory": "30g", "spark.executor.instances": "2"}
    assert found(**more).keys() == {"gc", "executor_cores"}
    assert found(**more)["executor_cores"].settings == {
        "spark.executor.cores": "11",
        "spark.executor.memory": "10240m",
        "spark.executor.instances": "6",
    }
    assert found()["executor_cores"].settings == {"spark.executor.cores": "11"}
    assert found(**{"spark.master": "local[32]"}).keys() == {"gc"}  # one JVM is all there is


def test_settings_as_a_file_with_reasons(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    log = gc()
    of_spark = "-Djava.net.preferIPv6Addresses=false --add-opens=java.base/java.lang=ALL-UNNAMED"
    log.events[2]["Spark Properties"] = {"spark.master": "local[4]", "spark.driver.extraJavaOptions": of_spark}
    log.write(tmp_path / "log")
    assert main(["report", "log", "--apply", "advice.conf"]) == 0
    lines = (tmp_path / "advice.conf").read_text().splitlines()
    assert "spark.driver.extraJavaOptions -XX:+UseParallelGC" in lines
    reason = lines[lines.index("spark.driver.extraJavaOptions -XX:+UseParallelGC") - 1]
    assert reason == "# Garbage collection is high: 4.80 s of 12.0 s in which tasks ran (40.0 %)"
    assert "advice: Garbage collection is high, at most 1.2 s" in " ".join(capsys.readouterr().out.split())
    # Options of a log can name programs; they are not copied.
    log.events[2]["Spark Properties"]["spark.driver.extraJavaOptions"] = f"{of_spark} -XX:OnError=evil"
    log.write(tmp_path / "log")
    assert main(["report", "log", "--apply", "advice.conf"]) == 0
    assert "evil" not in (tmp_path / "advice.conf").read_text()
    (tmp_path / "mine.conf").write_text("spark.master yarn\n")
    assert main(["report", "log", "--apply", "mine.conf"]) == 2
    assert (tmp_path / "mine.conf").read_text() == "spark.master yarn\n"
    balanced().write(tmp_path / "log")
    assert main(["report", "log", "--apply", "advice.conf"]) == 0
    assert "# No setting is advised." in (tmp_path / "advice.conf").read_text()


def test_skew_settings_are_for_sql(tmp_path):
    def settings(**properties):
        tasks, _ = waves(12, 1)
        log = one_stage(Log(cores=4), [*tasks, (3000, 12000, {"cpu": 9000})], 12000, **properties)
        (advice,) = report.load(log.write(tmp_path / "log")).advice
        return advice.settings

    assert settings() == {}
    assert "spark.sql.adaptive.skewJoin.skewedPartitionFactor" in settings(**{"spark.sql.execution.id": "0"})


@pytest.mark.parametrize("seed", range(20))
def test_advice_never_promises_more_than_there_is(tmp_path, seed):
    found = report.load(drawn(seed).write(tmp_path / "log"))
    assert all(advice.gain_s is None or 0 <= advice.gain_s <= found.wall_s + 1e-6 for advice in found.advice)
