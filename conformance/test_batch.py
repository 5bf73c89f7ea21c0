# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap cluster` in jobs of a real Slurm with two hosts: it comes, it runs, it ends, and nothing of it is left."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from cluster.cluster import everywhere
from cluster.daemon import JVM
from cluster.host import Host
from cluster.network import Network
from cluster.slurm import Slurm
from conftest import HADOOP, PATIENCE, ROOT, require_hosts, wait_for

from sparkgap import processes, report

APPLICATION = """
import json, sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
sc = spark.sparkContext
def where(_):
    import os
    return [os.environ.get("SPARK_EXECUTOR_DIRS", "")]
import time
while len(sc._jsc.sc().statusTracker().getExecutorInfos()) < 3:
    time.sleep(0.1)
from sparkgap import graph
edges = spark.createDataFrame([(1, 2), (2, 3), (3, 1)], "src bigint, dst bigint")
ranks = graph.pagerank(edges, progress=False).count()
from pyspark.ml.feature import VectorAssembler
from sparkgap.ml.regression import LinearRegression
rows = VectorAssembler(inputCols=["x"], outputCol="features").transform(
    spark.range(0, 1000, 1, 4).selectExpr("double(id) as x", "3.0 * id + 2 as label"))
fit = LinearRegression().fit(rows)
print("SAID", json.dumps({
    "ranks": ranks,
    "fit": [fit.coefficients[0], fit.intercept],
    "executors": len(sc._jsc.sc().statusTracker().getExecutorInfos()) - 1,
    "places": sorted(set(sc.parallelize(range(64), 64).mapPartitions(where).collect())),
    "authenticate": sc.getConf().get("spark.authenticate"),
}), flush=True)
if len(sys.argv) > 1:
    time.sleep(float(sys.argv[1]))
spark.stop()
"""
SMALL = ["--conf", "spark.executor.memory=512m", "--conf", "spark.driver.memory=512m"]
SMALL += ["--conf", f"spark.executor.extraJavaOptions={JVM}"]


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    """Nodes with a network, a /tmp and a /dev/shm of their own; they see the folders of tests as they are here."""
    require_hosts()
    network = Network()
    shared = [*everywhere(), tmp_path_factory.getbasetemp()]
    head, *hosts = [Host(network, n + 1, name, shared) for n, name in enumerate(("head", "n1", "n2"))]
    try:
        for host in (head, *hosts):
            host.start()
        with Slurm(tmp_path_factory.mktemp("slurm"), hosts=hosts, head=head) as made:
            yield made
    finally:
        for host in (head, *hosts):
            host.die()
        network.close()


@pytest.fixture
def place(tmp_path):
    (tmp_path / "app.py").write_text(APPLICATION)
    return tmp_path


def script(*words, options=SMALL):
    own = [sys.executable, "-m", "sparkgap", "cluster", "run", "--no-probe", *options, "--", sys.executable, "app.py"]
    return f"#!/bin/bash\nexec {shlex.join(map(str, [*own, *words]))}\n"


def said(place):
    text = (place / "out").read_text()
    (line,) = [line for line in text.splitlines() if line.startswith("SAID ")]
    return json.loads(line.removeprefix("SAID "))


def test_a_program_in_a_job(slurm, place):
    job = slurm.submit(place, script(options=[*SMALL, "--report"]), "--nodes=2", "--exclusive", "--mem=3000")
    assert slurm.wait(job) == "COMPLETED", (place / "out").read_text()
    found = said(place)
    assert found["ranks"] == 3 and found["executors"] == 2 and found["authenticate"] == "true"
    assert found["fit"] == pytest.approx([3, 2])
    assert len(found["places"]) == 2, "each node has a folder of its own for shuffles"
    wait_for("nothing of it", lambda: not slurm.left(job), found=lambda: slurm.left(job))
    folder = place / f"sparkgap-cluster-{job}"
    assert list((folder / "conf").iterdir()) == [], "the secret is gone"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert "cluster: spark.executor.cores = 2: 2 processors of a node" in (place / "out").read_text()
    (profile,) = folder.glob("profile-*")
    reported = report.load(profile)
    assert set(reported.machine["host"].to_pylist()) == {"n1", "n2"}, "both nodes are looked at"
    assert [call["kernel"] for call in reported.calls.to_pylist()] == ["pagerank", "linreg"]
    assert "<html" in (folder / "report.html").read_text()[:300]


TERASORT = """
set -e
tera() {{ {python} -m sparkgap mapreduce --session tera {jar} "$@"; }}
tera teragen -Dmapreduce.job.maps=2 20000 gen
tera terasort -Dmapreduce.job.reduces=2 gen sorted
tera teravalidate sorted valid
"""


def test_mapreduce_jobs_of_hadoop(slurm, place):
    """Each is a program of its own, and all share a session of the cluster's, which ends with the job."""
    (jar,) = HADOOP.glob("hadoop-mapreduce-examples-*.jar")
    (place / "tera.sh").write_text(TERASORT.format(python=sys.executable, jar=jar))
    text = script().replace(shlex.join([sys.executable, "app.py"]), "bash tera.sh")
    job = slurm.submit(place, text, "--nodes=2", "--exclusive", "--mem=3000")
    assert slurm.wait(job) == "COMPLETED", (place / "out").read_text()
    assert "Failed map tasks" not in (place / "out").read_text(), "both nodes see the jobs' files"
    parts = [(place / "sorted" / f"part-r-{i:05}").read_bytes() for i in range(2)]
    keys = [part[i : i + 10] for part in parts for i in range(0, len(part), 100)]
    assert len(keys) == 20000 and keys == sorted(keys) and all(len(part) > 500_000 for part in parts)
    (found,) = (place / "valid").glob("part-r-*")
    assert found.read_text().split()[0] == "checksum", "an error is a line of its own, before it"
    wait_for("nothing of it", lambda: not slurm.left(job), found=lambda: slurm.left(job))


def test_a_job_that_is_cancelled(slurm, place):
    job = slurm.submit(place, script(600), "--nodes=2", "--exclusive", "--mem=3000")
    wait_for("the program's words", lambda: (place / "out").exists() and "SAID" in (place / "out").read_text(), 120)
    slurm.ask("scancel", job)
    assert slurm.wait(job) == "CANCELLED"
    wait_for("nothing of it", lambda: not slurm.left(job), 60, found=lambda: slurm.left(job))


WAITS = """
import time
from pyspark.sql import SparkSession
import sparkgap
spark = SparkSession.builder.getOrCreate()
sparkgap.store.publish(spark.range(0, 300000, 1, 4).selectExpr("id as src", "id * 7 % 300000 as dst"), "edges")
print("SAID published", flush=True)
time.sleep(600)
"""


def test_before_its_limit_a_job_keeps_its_tables(slurm, place):
    """Slurm looks each half minute, and sends the signal 45 to 75 seconds before the limit."""
    (place / "app.py").write_text(WAITS)
    options = [*SMALL, "--tables", str(place / "kept")]
    limit = ["--time=2", "--signal=B:TERM@45"]
    job = slurm.submit(place, script(options=options), "--nodes=2", "--exclusive", "--mem=3000", *limit)
    ended = slurm.wait(job)
    text = (place / "out").read_text()
    assert "SAID published" in text, f"the signal came too early: {text}"
    assert ended == "FAILED", "it ended by the signal, before its limit"
    assert (place / "kept" / "edges.json").exists()
    assert sum(f.stat().st_size for f in place.glob("kept/edges/*/*")) > 300000 * 16
    wait_for("nothing of it", lambda: not slurm.left(job), 60, found=lambda: slurm.left(job))


def test_a_node_whose_worker_does_not_come(slurm, place):
    options = [*SMALL, "--conf", "spark.local.dir=/proc/none"]
    job = slurm.submit(place, script(options=options), "--nodes=2", "--exclusive", "--mem=3000")
    assert slurm.wait(job) == "FAILED"
    text = (place / "out").read_text()
    assert "cluster: expected 2 workers, found n" in text and "/proc/none" in text, text
    wait_for("nothing of it", lambda: not slurm.left(job), found=lambda: slurm.left(job))


def test_too_little_memory(slurm, place):
    job = slurm.submit(place, script(options=[]), "--nodes=2", "--exclusive", "--mem=500")
    assert slurm.wait(job) == "FAILED"
    text = (place / "out").read_text()
    assert "of memory on each node, found 0.5 GiB on n" in text and "--mem" in text, text


def test_started_and_stopped_by_hand(slurm, place):
    """Two of them side by side, one on each node."""
    own = f"{sys.executable} -m sparkgap cluster"
    text = (
        f"#!/bin/bash\nset -e\neval $({own} start --no-probe {shlex.join(SMALL)})\n{own} status --json > status.json\n"
        f"{sys.executable} -c 'from pyspark.sql import SparkSession as S\n"
        "print(S.builder.getOrCreate().range(9).repartition(2).count())'\n"
        f"touch ready; until [ -e go ]; do sleep 0.1; done\n{own} stop\n{own} status --json > after.json || true\n"
    )
    places = [place / name for name in ("a", "b")]
    jobs = []
    for each in places:
        each.mkdir()
        jobs.append(slurm.submit(each, text, "--nodes=1", "--exclusive", "--mem=3000"))
    wait_for(
        "both",
        lambda: all((each / "ready").exists() for each in places),
        120,
        found=lambda: [(each / "out").read_text() if (each / "out").exists() else "" for each in places],
    )
    masters = set()
    for each in places:
        status = json.loads((each / "status.json").read_text())
        assert status["state"] == "up" and status["alive"] == len(status["workers"]) == 1
        masters.add(status["master"])
        (each / "go").touch()
    assert len(masters) == 2
    for job, each in zip(jobs, places, strict=True):
        assert slurm.wait(job) == "COMPLETED" and "9\n" in (each / "out").read_text()
        assert json.loads((each / "after.json").read_text())["state"] == "ended"
        assert not slurm.left(job)


def test_killed_it_takes_all_with_it(slurm, place):
    """kill -9 of the keeper, and of the command that runs a program."""
    job = slurm.submit(place, script(600), "--nodes=1", "--exclusive", "--mem=3000")
    wait_for("the keeper", lambda: keeper(job), 60 * PATIENCE)
    wait_for("a worker", lambda: "registered" in worker_of(place, job), 60)
    os.kill(keeper(job), 9)
    wait_for("nothing of it but the program", lambda: not [w for w in slurm.left(job) if "sparkgap.cluster." in w], 60)
    slurm.ask("scancel", job)
    slurm.wait(job)
    wait_for("nothing of it", lambda: not slurm.left(job), 60, found=lambda: slurm.left(job))


def keeper(job):
    found = [
        each.pid
        for each in processes.everyone()
        if "sparkgap.cluster.keeper" in each.command() and f"-{job}" in each.command()
    ]
    return found[0] if found else 0


def worker_of(place, job):
    files = list((place / f"sparkgap-cluster-{job}" / "nodes").glob("*.json"))
    return files[0].read_text() if files else ""


PUBLISHES = """
import os, sys, time
from pathlib import Path
from pyspark.sql import SparkSession
import sparkgap
from sparkgap import processes, report
spark = SparkSession.builder.config("spark.task.maxFailures", "1").getOrCreate()
sc = spark.sparkContext
while len(sc._jsc.sc().statusTracker().getExecutorInfos()) < 3:
    time.sleep(0.1)
def hosts(table):
    return table.rdd.mapPartitions(lambda rows: [__import__("socket").gethostname()]).distinct().count()
edges = spark.range(0, 300000, 1, 4).selectExpr("id as src", "id * 7 % 300000 as dst")
if sys.argv[1] == "first":
    sparkgap.store.publish(edges, "edges")
    sparkgap.store.publish(sparkgap.graph.build(edges, name="web"), "web")
    here = sc.master.removeprefix("spark://").split(":")[0]
    (worker,) = [each.pid for each in processes.everyone() if f"deploy.worker.Worker --host {here} " in each.command()]
    os.kill(worker, 9)
    while not any('"failed"' in file.read_text() for file in Path(os.environ["SPARK_CONF_DIR"], "../nodes").glob("*")):
        time.sleep(0.1)
    print(spark.table("sparkgap.published.edges").count(), "rows without it", flush=True)
else:
    table = spark.table("sparkgap.published.edges")
    print("SAID", [table.agg({"dst": "sum"}).first()[0], hosts(table),
                   sparkgap.graph.load("published.web").pagerank(progress=False).count()], flush=True)
spark.stop()
"""


def test_tables_of_the_job_before(slurm, place):
    """A table and a graph of both nodes that one job has published are there in the next one, and both nodes read."""
    (place / "app.py").write_text(PUBLISHES)
    kept = place / "kept"
    for part in ("first", "then"):
        options = [*SMALL, "--tables", str(kept)]
        job = slurm.submit(place, script(part, options=options), "--nodes=2", "--exclusive", "--mem=3000")
        assert slurm.wait(job) == "COMPLETED", (place / "out").read_text()
        assert not slurm.left(job), "what was kept is not where it was"
    text = (place / "out").read_text()
    assert "SAID [44999850000, 2, 300000]" in text and "brought 2 tables" in text, text
    assert sorted(f.name for f in kept.glob("*.json")) == ["edges.json", "web.json"]
    assert len(list(kept.glob("*/*"))) == 2, "the second job has changed nothing, and copied nothing"


def test_the_plan_is_proved(slurm, place):
    """A sort with the plan, with Spark's own settings and with the slowest folder; the nodes are measured for it."""
    own = f"{sys.executable} -m sparkgap cluster prove --rounds 1 --size 8m --json --scratch {place}"
    text = f"#!/bin/bash\nexec {own} {shlex.join(SMALL)} > proof.json\n"
    job = slurm.submit(place, text, "--nodes=2", "--exclusive", "--mem=3000")
    assert slurm.wait(job) == "COMPLETED", (place / "out").read_text()
    found = json.loads((place / "proof.json").read_text())
    assert found["nodes"] == ["n1", "n2"] and set(found["ways"]) | set(found["left_out"]) == {
        *("plan", "defaults", "slowest folder")
    }
    assert all(len(each["seconds"]) == 1 and each["median_s"] > 1 for each in found["ways"].values())
    assert found["ways"]["plan"]["times"] == 1 and found["ways"]["defaults"]["settings"]["spark.local.dir"] == "/tmp"
    folder = place / f"sparkgap-cluster-{job}"
    assert json.loads((folder / "proof.json").read_text()) == found
    for each in json.loads((folder / "plan.json").read_text())["nodes"]:
        assert each["network"]["bytes_per_s"] > 1e6 and each["network"]["device"] == "eth0", each
    assert "network: " in (place / "out").read_text()
    wait_for("nothing of it", lambda: not slurm.left(job), found=lambda: slurm.left(job))


LASTS = """
import time
from pathlib import Path
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
sc = spark.sparkContext
while len(sc._jsc.sc().statusTracker().getExecutorInfos()) < 3:
    time.sleep(0.1)
Path("there").touch()
def slow(rows):
    time.sleep(0.5)
    return rows
print("SAID", sc.parallelize(range(40), 40).mapPartitions(slow).count(), flush=True)
spark.stop()
"""


def test_a_node_that_dies(slurm, place):
    """As if its power went. The program ends on the other node."""
    (place / "app.py").write_text(LASTS)
    job = slurm.submit(place, script(), "--nodes=2", "--exclusive", "--mem=3000", "--no-kill")
    wait_for("two executors", (place / "there").exists, 120)
    assert not (place / "out").exists() or "SAID" not in (place / "out").read_text(), "it runs while the node dies"
    slurm.hosts["n2"].die()
    try:
        assert slurm.wait(job) == "COMPLETED", (place / "out").read_text()
        assert "SAID 40" in (place / "out").read_text()
        wait_for("nothing of it", lambda: not slurm.left(job), 60, found=lambda: slurm.left(job))
    finally:
        slurm.hosts["n2"].start()
        slurm.begin_node("n2")
        wait_for("idle nodes", slurm.is_idle, 90, found=slurm.words)


GREEDY = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.config("spark.task.maxFailures", 1).getOrCreate()
def takes(rows):
    held = [bytearray(b"x" * (100 << 20)) for _ in range(40)]
    return [len(held)]
print(spark.sparkContext.parallelize(range(1), 1).mapPartitions(takes).collect())
"""


@pytest.mark.skipif(
    not Path("/sys/fs/cgroup/memory/memory.limit_in_bytes").exists(), reason="control groups of version 1"
)
def test_a_job_that_takes_more_memory_than_its_own(tmp_path, place):
    """The kernel ends a task's Python, or all of the job: the program fails, and nothing is left."""
    require_hosts()
    (place / "app.py").write_text(GREEDY)
    (tmp_path / "slurm").mkdir()
    with Slurm(tmp_path / "slurm", nodes=1, is_limited=True) as limited:
        job = limited.submit(place, script(), "--nodes=1", "--exclusive", "--mem=2500")
        assert limited.wait(job) in ("FAILED", "OUT_OF_MEMORY"), (place / "out").read_text()
        text = (place / "out").read_text()
        assert "[40]" not in text and ("oom" in text.lower() or "Python worker exited" in text), text[-3000:]
        wait_for("nothing of it", lambda: not limited.left(job), 60, found=lambda: limited.left(job))


def block():
    """That of docs/batch.md, for two small nodes."""
    (body,) = re.findall(r"^```py\n(.*?)^```$", (ROOT / "docs" / "batch.md").read_text(), re.MULTILINE | re.DOTALL)
    said = 'nodes=4, time="01:00:00"'
    assert said in body
    small = 'nodes=2, memory="3000", conf=conf, probe=False, folder=sys.argv[1]'
    conf = "conf = {'spark.executor.memory': '512m', 'spark.driver.memory': '512m'}"
    last = "    print(spark.range(100).repartition(4).count(), cluster.master)\n    spark.stop()\n"
    return f"import sys, sparkgap\n{conf}\n{body.replace(said, small)}{last}"


def test_a_block_of_python(slurm, place):
    """Outside of a job, on a host that is no node: it asks for one, and gives it back."""
    words = [sys.executable, "-c", block(), str(place / "own")]
    said = slurm.head.run(words, 240 * PATIENCE, slurm.environ)
    assert said.startswith(f"100 spark://{slurm.head.address}:"), said
    assert slurm.ask("squeue", "--noheader").strip() == ""
    assert not [each.command() for each in processes.everyone() if str(place) in each.command()]


def test_outside_of_an_allocation():
    words = [sys.executable, "-m", "sparkgap", "cluster", "status"]
    environ = {key: value for key, value in os.environ.items() if not key.startswith(("SLURM_", "PBS_"))}
    done = subprocess.run(words, env=environ, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "sbatch, salloc" in done.stderr
