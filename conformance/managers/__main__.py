# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`python conformance/managers yarn|standalone`: kernels, the cache, a program and faults on three hosts of a manager.

A process of its own, because a JVM knows one manager's configuration. Prints a JSON line for each: what it was, seconds
and what was wrong, which is "" where nothing was.
"""

import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

if not __package__:  # started by the folder's name
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

import test_cluster
import test_cluster_ml
import test_mapreduce
import test_profiled
from cluster import Cluster, hdfs, standalone, yarn
from cluster.problem import until
from faults import Scene, Work, named, struck
from faults.faults import Fault

import sparkgap
from sparkgap import report

MANAGERS = {"standalone": standalone, "yarn": yarn}
PYTHON = Path(sparkgap.__file__).parent.parent
CORES = 2
STORE = "/dev/shm/sparkgap-managers"
SILENCE_S = 4
APPLICATION_MASTER = r"^\S*java .*\.yarn\.ExecutorLauncher"
RANK_ENDED = b"of pagerank: signal 9 (SIGKILL)"
BEYOND = "memory beyond the container"
NEXT_ATTEMPT = "the application's next attempt"
# Of a container: Spark's heap, and beside it the store's files and the ranks.
SETTINGS = {
    "spark.executor.cores": CORES,
    "spark.executor.instances": test_cluster.HOSTS,
    "spark.executor.memoryOverhead": "512m",
    "spark.default.parallelism": CORES * test_cluster.HOSTS,
    "spark.sql.shuffle.partitions": 4,
    "spark.sparkgap.store.dir": STORE,
    "spark.sparkgap.launch.silence": f"{SILENCE_S}s",
    "spark.scheduler.minRegisteredResourcesRatio": 1.0,
}


def timed(what, body):
    """A line of what the body says is wrong, and how long it took."""
    begin = time.monotonic()
    try:
        wrong = body() or ""
    except Exception as e:
        wrong = f"{type(e).__name__}: {e}"
    print(json.dumps({"what": what, "s": time.monotonic() - begin, "wrong": wrong}), flush=True)


def kernels(spark):
    edges = test_cluster.frame(spark, "bigint").repartition(6)
    for kernel in test_cluster.KERNELS:

        def once(kernel=kernel):
            run, given = getattr(sparkgap.graph, kernel), test_cluster.given(kernel, "bigint")
            alone, found = run(edges, ranks=1, threads=1, **given), run(edges, threads=1, **given)
            if found.sparkgap.ranks != test_cluster.HOSTS:
                return f"{found.sparkgap.ranks} ranks"
            test_cluster.agree(kernel, found.toArrow(), alone.toArrow())
            return ""

        timed(kernel, once)
    for kernel in test_cluster_ml.GIVEN:
        timed(kernel, lambda kernel=kernel: _ranks(test_cluster_ml.learnt(spark, kernel)[1]))


def _ranks(found):
    return "" if found == test_cluster.HOSTS else f"{found} ranks"


def cache(spark):
    table = test_cluster.frame(spark, "bigint").repartition(6).cache()
    first = table.groupBy("src").count().count()
    call = sparkgap.graph.pagerank(table, threads=1).sparkgap
    again = table.groupBy("src").count().count()
    table.unpersist(blocking=True)
    return "" if first == again and call.bytes_copied == 0 else f"{first}, {again}, {call.bytes_copied} bytes copied"


def beyond_the_container(spark):
    """What YARN would kill is refused, while the host has it; the session goes on."""
    edges = test_cluster.frame(spark, "bigint").repartition(6)
    spark.conf.set("spark.sparkgap.launch.memoryBytes", f"{800 * test_cluster.HOSTS}m")
    try:
        sparkgap.graph.degree(edges)
        return "not refused"
    except sparkgap.errors.ResourceError as e:
        if "in a container of YARN on" not in str(e) or "raise spark.executor.memoryOverhead" not in str(e):
            return str(e)
    finally:
        spark.conf.unset("spark.sparkgap.launch.memoryBytes")
    return _ranks(sparkgap.graph.degree(edges).sparkgap.ranks)


def program(spark):
    rows = spark.range(0, 600, 1, 6)
    said = sparkgap.mpi.run("wc", args=["-l", "{inputs.t}"], inputs={"t": rows}, formats={"t": "csv"}, ranks=1).printed
    return "" if said.split()[:1] in (["600"], ["601"]) else said


def files(spark, url):
    """HDFS has what a job reads, and what it writes."""
    edges = test_cluster.frame(spark, "bigint")
    edges.repartition(6).write.parquet(f"{url}/edges")
    found = sparkgap.graph.degree(spark.read.parquet(f"{url}/edges"))
    found.write.parquet(f"{url}/degrees")
    if sorted(spark.read.parquet(f"{url}/degrees").collect()) != sorted(found.collect()):
        return "other degrees than were written"
    return ""


def durable(url):
    """The copy of a published table, read where its host lost it. One host publishes, so that has no manager."""
    spark = sparkgap.session("local[2]", conf={"spark.ui.enabled": "false", "spark.sparkgap.store.dir": STORE})
    try:
        edges, expected = test_cluster.frame(spark, "bigint"), sorted(test_cluster.rows("bigint"))
        sparkgap.store.publish(edges, "far", durable=f"{url}/durable", wait_s=60)
        shutil.rmtree(Path(STORE) / "published")  # as after a restart of the host
        again = sorted(map(tuple, spark.table("sparkgap.published.far").collect()))
        return "" if again == expected else f"{len(again)} rows, not {len(expected)}"
    finally:
        spark.stop()


def strike_node(scene):
    """The manager's own process on the host that is struck; its containers live on, or die with it."""
    scene.host.kill(scene.cluster.worker_pid(scene.number))


def heal_node(scene):
    """What ran below the old one ends, its folders being gone."""
    old = {e.pid for e in scene.cluster.executors() if e.host == scene.number}
    scene.cluster.repair()
    until("the old executor to end", lambda: not old & {e.pid for e in scene.cluster.executors()}, 90)


def masters(cluster):
    """(host, process) of what YARN ends an application's containers with, at most one."""
    return [(host, pid) for host in cluster.hosts if host.alive for pid in host.pids(APPLICATION_MASTER)]


def next_attempt(spark, cluster):
    """Where its master is killed, YARN ends all containers of the application, and begins again with new ones."""
    before = {e.pid for e in cluster.executors()}
    for host, pid in masters(cluster):
        host.kill(pid)

    def anew():
        now = {e.pid for e in cluster.executors()}
        return len(now) == test_cluster.HOSTS and not now & before

    until("executors of the next attempt alone", anew, 90, found=cluster.executors)
    known = spark.sparkContext._jsc.sc().getExecutorMemoryStatus
    until("Spark to know these alone", lambda: known().size() - 1 == test_cluster.HOSTS, 90)
    return _ranks(sparkgap.graph.degree(test_cluster.frame(spark, "bigint").repartition(6)).sparkgap.ranks)


def without_master(cluster, there):
    """The last of these hosts, or processes of one, but no host with the application's master: both would be lost."""
    found = {host.number for host, _ in masters(cluster)}
    return [number for number in there if number not in found][-1]


FAULTS = [
    named("cancel"),
    named("executor"),
    Fault("node", "`kill -9` of the manager's daemon", strike_node, heal=heal_node),
    named("rank"),
]


def in_cluster_mode(cluster):
    """A job that spark-submit hands over: its driver is in a container too. It goes by its host's name."""
    for host in cluster.hosts:
        for other in cluster.hosts:
            host.run(f"grep -qw {other.name} /etc/hosts || echo {other.address} {other.name} >> /etc/hosts")
    settings = {
        **sparkgap.settings_for("yarn", conf={**cluster.settings, **SETTINGS}),
        "spark.submit.deployMode": "cluster",
        "spark.driver.memory": "512m",
        "spark.executor.instances": 2,  # beside the driver's container
        "spark.yarn.maxAppAttempts": 1,
    }
    settings["spark.yarn.appMasterEnv.PYTHONPATH"] = f"{PYTHON}:{Path(__file__).parent.parent}"
    settings["spark.yarn.appMasterEnv.PYSPARK_PYTHON"] = sys.executable
    here = {"spark.driver.host", "spark.driver.bindAddress", "spark.master"}
    words = [word for key, value in settings.items() if key not in here for word in ("--conf", f"{key}={value}")]
    program = [standalone.SPARK_HOME / "bin" / "spark-submit", "--master", "yarn", *words]
    done = subprocess.run([*program, Path(__file__).with_name("job.py")], capture_output=True, text=True, timeout=180)
    return "" if done.returncode == 0 else done.stderr[-3000:]


def logs():
    """What YARN collects when an application has ended says how a rank did."""

    def there():
        return any(RANK_ENDED in file.read_bytes() for file in yarn.AGGREGATED.rglob("*") if file.is_file())

    until("the rank's end in the collected logs", there, 60, found=lambda: list(yarn.AGGREGATED.rglob("*")))


def profiled(cluster, folder):
    """Nothing of sparkgap is in the application; the sampler is beside its executors, and gone with them."""
    settings = {**cluster.settings, **SETTINGS}
    words = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
    program = [standalone.SPARK_HOME / "bin" / "spark-submit", "--master", "yarn", *words]
    profile = [sys.executable, "-m", "sparkgap", "profile", "--out", folder, "--", *program]
    job = folder.with_name("sleeping.py")
    job.write_text(test_profiled.FAR)
    done = subprocess.run([*profile, job, "stop"], capture_output=True, text=True, timeout=180)
    if done.returncode:
        return (done.stdout + done.stderr)[-3000:]
    found = report.load(folder)
    executors = sorted(row["executor"] for row in found.processors.to_pylist())
    row = found.jobs.to_pylist()[0]  # its tasks sleep
    if executors != ["1", "2", "3", "driver"] or row["other_wait_s"] < 0.5 * row["wall_s"]:
        return f"{executors}, {row}"
    until("the samplers' end", lambda: not any(host.pids("sparkgap-sampler") for host in cluster.hosts), 30)
    return "; ".join(found.warnings)


def mapreduce(cluster, place):
    """A job of Hadoop's in executors on all hosts, which see this side's files under the same names."""
    settings = {**cluster.settings, **SETTINGS}
    confs = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
    words = ["--master", cluster.master, *confs, test_mapreduce.made_job(place), test_mapreduce.made_input(place)]
    staging = f"yarn.app.mapreduce.am.staging-dir={place / 'staging'}"
    command = [sys.executable, "-m", "sparkgap", "mapreduce", *words, place / "out", staging]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=180)
    if done.returncode or f"Map input records={sum(test_mapreduce.LINES)}" not in done.stderr:
        return done.stderr[-3000:]
    found = test_mapreduce.counts(place)
    return "" if found == sorted(test_mapreduce.LINES) else f"{found}"


PLACES = ("memory", "data")  # of DataNodes


def chain(cluster, url, place):
    """The second job reads what the first has written from its executor's memory: HDFS has lost it meanwhile, where
    it was in memory alone."""
    source = Path(__file__).parent.parent / "ChainedLines.java"
    subprocess.run(["javac", "-d", place / "classes", "-cp", test_mapreduce.JARS / "*", source], check=True)
    job = place / "chain.jar"
    subprocess.run(["jar", "cfe", job, "ChainedLines", "-C", place / "classes", "."], check=True)
    (place / "old").write_text("old\n" * 1000)
    settings = {**cluster.settings, **SETTINGS, "spark.executor.instances": 1}
    settings["spark.sparkgap.mapreduce.chain"] = "memory"
    confs = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
    gate, out = place / "gate", place / "out"
    staging = f"-Dyarn.app.mapreduce.am.staging-dir={place / 'staging'}"
    words = ["--master", cluster.master, *confs, job, staging, place / "old", f"{url}/between", out, gate]
    with (place / "said").open("wb") as said:
        program = subprocess.Popen([sys.executable, "-m", "sparkgap", "mapreduce", *map(str, words)], stderr=said)
        try:
            until("the first job's end", lambda: gate.exists() or program.poll() is not None, 120)
            blocks_in = "find /run/spark/data /run/spark/memory -name 'blk_*' ! -name '*.meta' -print"
            cut = f"{blocks_in} -exec truncate -s 0 {{}} + 2> /dev/null; true"
            blocks = [line for host in cluster.hosts for line in host.run(cut).split()]
            gate.unlink()
            program.wait(120)
        finally:
            program.kill()
    text = (place / "said").read_text()
    names = {where: {block.rpartition("/")[2] for block in blocks if f"/{where}/" in block} for where in PLACES}
    if not names["memory"] or names["memory"] & names["data"]:
        return f"blocks of HDFS: {names}; {text[-3000:]}"
    if program.returncode or text.count("HDFS: Number of bytes read=4000\n") != 2:
        return text[-3000:]
    found = [file.read_text() for name in ("out-1", "out-2") for file in (place / name).glob("part-m-*")]
    return "" if found == ["old\n" * 1000, "new\n" * 1000] else f"{[text[:20] for text in found]}"


def faults(spark, cluster, work, those):
    choose = functools.partial(without_master, cluster)
    for fault in those:

        def once(fault=fault):
            outcome = struck(lambda: Scene(cluster, spark, Path(STORE), choose), fault, work)
            cluster.repair()
            cluster.wait_for_executors(spark)
            if outcome.came != fault.comes or not outcome.proof:
                return f"{outcome.came}: {outcome.text}"
            return "; ".join([*outcome.problems, outcome.text]) if outcome.problems else ""

        timed(f"fault {fault.name}", once)


def main():
    manager = MANAGERS[sys.argv[1]]
    with Cluster(hosts=test_cluster.HOSTS, cores=CORES, memory="512m", manager=manager) as cluster:
        spark = cluster.session(SETTINGS)
        try:
            kernels(spark)
            timed("cache", lambda: cache(spark))
            timed("program", lambda: program(spark))
            if manager is yarn:
                timed(BEYOND, lambda: beyond_the_container(spark))
            url = hdfs.start(cluster.host(1), cluster.hosts[1:])
            timed("HDFS", lambda: files(spark, url))
            work = Work(spark)
            work.size("native", 6.0)
            faults(spark, cluster, work, FAULTS[:-1])
            if manager is yarn:
                timed(NEXT_ATTEMPT, lambda: next_attempt(spark, cluster))
            faults(spark, cluster, work, FAULTS[-1:])
        finally:
            spark.stop()
        if manager is yarn:
            timed("logs", logs)
            timed("cluster mode", lambda: in_cluster_mode(cluster))
            with tempfile.TemporaryDirectory(dir=yarn.CONFIGURATION) as folder:
                timed("profile", lambda: profiled(cluster, Path(folder) / "profile"))
                timed("mapreduce", lambda: mapreduce(cluster, Path(folder)))
            with tempfile.TemporaryDirectory(dir=yarn.CONFIGURATION) as folder:
                timed("chain", lambda: chain(cluster, url, Path(folder)))
        try:
            timed("durable", lambda: durable(url))
        finally:
            shutil.rmtree(STORE, ignore_errors=True)


if __name__ == "__main__":
    main()
