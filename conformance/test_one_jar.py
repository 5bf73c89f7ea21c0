# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The jar alone: a Spark that has nothing of sparkgap but `--jars` and `spark.plugins` runs kernels on its hosts."""

import ast
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import oracle
import pytest
from conftest import ROOT
from connect_server import connect_server

EDGES = [("ann", "bob"), ("bob", "cho"), ("cho", "ann"), ("dee", "ann")]
# No word of sparkgap: only SQL.
JOB = """
import os, sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
assert "sparkgap" not in sys.modules
spark.createDataFrame({edges}, ["src", "dst"]).repartition(6).createOrReplaceTempView("edges")
for ranks in {ranks}:
    call = spark.sql(f"CALL sparkgap.graph.pagerank(edges => 'edges', max_iterations => 20, ranks => {{ranks}})")
    table = call.collect()[0]["table"]
    rows = spark.table(table).collect()
    print("RANKS", {{row["id"]: row["pagerank"] for row in rows}})
print("DOCTOR", [tuple(row) for row in spark.sql("CALL sparkgap.launch.doctor()").collect()])
spark.stop()
"""


@pytest.fixture(scope="module")
def jar(tmp_path_factory):
    folder = tmp_path_factory.mktemp("jar")
    made = subprocess.run(
        [sys.executable, ROOT / "python" / "one_jar.py", "--out", folder], capture_output=True, text=True, timeout=200
    )
    assert made.returncode == 0, made.stderr
    return Path(made.stdout.strip())


def submit(jar, folder, ranks, conf, environment=None, within=()):
    """What the job prints, of a spark-submit that knows the jar and no Python of ours, after the words of `within`."""
    import pyspark

    job = folder / "job.py"
    job.write_text(JOB.format(edges=EDGES, ranks=ranks))
    settings = {
        "spark.plugins": "org.sparkgap.spark.SparkGapPlugin",
        "spark.log.level": "ERROR",
        "spark.ui.enabled": "false",
        **conf,
    }
    words = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
    home = Path(pyspark.__file__).parent
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "SPARK_CONF_DIR")}
    done = subprocess.run(
        [*within, home / "bin" / "spark-submit", "--jars", jar, *words, job],
        capture_output=True,
        text=True,
        timeout=200,
        cwd=folder,
        env={**clean, "SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable, **(environment or {})},
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout.splitlines()


def check(lines, count):
    expected = oracle.pagerank(EDGES)
    found = [ast.literal_eval(line.removeprefix("RANKS ")) for line in lines if line.startswith("RANKS")]
    assert len(found) == count
    for ranks in found:
        assert ranks == {name: pytest.approx(rank, abs=2e-9) for name, rank in expected.items()}


def test_on_this_host(jar, tmp_path, store):
    """One rank and two: the second needs the jar's MPI too. PATH has no other."""
    unpacked = tmp_path / "tmp"
    unpacked.mkdir()
    conf = {
        "spark.master": "local[2]",
        "spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={unpacked}",
        "spark.sparkgap.store.dir": store.path / "one-jar",
    }
    java = Path(shutil.which("java")).parent
    lines = submit(jar, tmp_path, (1, 2), conf, {"PATH": f"{java}:/usr/bin:/bin"})
    check(lines, 2)
    (folder,) = unpacked.glob("sparkgap-*-native/*")
    assert folder.stat().st_mode & 0o777 == 0o700
    doctor = {row[0]: row for row in ast.literal_eval(lines[-1].removeprefix("DOCTOR "))}
    assert f"in {folder}" in str(doctor["kernels"]) and f"{folder}/mpi/bin/mpiexec" in str(doctor["mpiexec"])
    shutil.rmtree(store.path / "one-jar")


# What a user types, by shell; the last line shows a rank.
TYPED = {
    "spark-shell": """
val edges = Seq(("ann", "bob"), ("bob", "cho"), ("cho", "ann"), ("dee", "ann")).toDF("src", "dst")
edges.createOrReplaceTempView("edges")
spark.sql("CALL sparkgap.graph.pagerank(edges => 'edges', max_iterations => 20, result => 'ranks')").collect()
println("RANK " + spark.table("sparkgap.store.ranks").where("id = 'dee'").head().getDouble(1))
""",
    "pyspark": """
edges = spark.createDataFrame([("ann", "bob"), ("bob", "cho"), ("cho", "ann"), ("dee", "ann")], ["src", "dst"])
edges.createOrReplaceTempView("edges")
_ = spark.sql("CALL sparkgap.graph.pagerank(edges => 'edges', max_iterations => 20, result => 'ranks')").collect()
print("RANK", spark.table("sparkgap.store.ranks").where("id = 'dee'").head()[1])
""",
    "spark-sql": """
CREATE TEMPORARY VIEW edges AS
SELECT * FROM VALUES ('ann', 'bob'), ('bob', 'cho'), ('cho', 'ann'), ('dee', 'ann') AS (src, dst);
CALL sparkgap.graph.pagerank(edges => 'edges', max_iterations => 20, result => 'ranks');
SELECT concat('RANK ', pagerank) FROM sparkgap.store.ranks WHERE id = 'dee';
""",
}


@pytest.mark.parametrize("shell", TYPED)
def test_shells(jar, tmp_path, store, shell):
    import pyspark

    home = Path(pyspark.__file__).parent
    settings = {
        "spark.plugins": "org.sparkgap.spark.SparkGapPlugin",
        "spark.ui.enabled": "false",
        "spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={tmp_path}",
        "spark.sparkgap.store.dir": store.path / "one-jar",
    }
    words = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "SPARK_CONF_DIR")}
    done = subprocess.run(
        [home / "bin" / shell, "--master", "local[2]", "--jars", jar, *words],
        input=TYPED[shell],
        capture_output=True,
        text=True,
        timeout=200,
        cwd=tmp_path,
        # As on a terminal, where pyspark makes its session.
        env={**clean, "SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON_OPTS": "-i"},
    )
    found = [line.partition("RANK ")[2] for line in done.stdout.splitlines() if "RANK 0" in line]
    assert found, done.stdout[-2000:] + done.stderr[-3000:]
    assert float(found[-1]) == pytest.approx(oracle.pagerank(EDGES)["dee"], abs=2e-9)
    shutil.rmtree(store.path / "one-jar", ignore_errors=True)


def test_an_application_is_built_against_it(jar, tmp_path, store):
    """As docs/attach.md says: installed for Maven, compiled against, and started by spark-submit; with Spark 4.0."""
    import pyspark

    tried = "0.1.0-tried"  # so that what its user has installed stays
    pom = tmp_path / "sparkgap.pom"
    pom.write_text(re.sub(r"<version>0[^<]*", f"<version>{tried}", jar.with_suffix(".pom").read_text(), count=1))
    application = tmp_path / "application"
    shutil.copytree(ROOT / "examples" / "scala", application, ignore=shutil.ignore_patterns("target"))
    installed = Path.home() / ".m2" / "repository" / "org" / "sparkgap" / "sparkgap-spark_2.13" / tried
    try:
        for words in (
            ["install:install-file", f"-Dfile={jar}", f"-DpomFile={pom}"],
            ["package", f"-Dsparkgap.version={tried}"],
        ):
            done = subprocess.run(
                ["mvn", "--batch-mode", "--quiet", *words], cwd=application, capture_output=True, text=True, timeout=280
            )
            assert done.returncode == 0, done.stdout[-3000:]
    finally:
        shutil.rmtree(installed, ignore_errors=True)
    settings = {
        "spark.plugins": "org.sparkgap.spark.SparkGapPlugin",
        "spark.ui.enabled": "false",
        "spark.log.level": "ERROR",
        "spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={tmp_path}",
        "spark.sparkgap.store.dir": store.path / "one-jar",
    }
    words = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
    home = Path(pyspark.__file__).parent

    packaged = application / "target" / "ten-lines-1.jar"

    def ten_lines(where, environ):
        done = subprocess.run(
            [home / "bin" / "spark-submit", *where, "--jars", jar, "--class", "TenLines", packaged],
            capture_output=True,
            text=True,
            timeout=200,
            cwd=tmp_path,
            env={**environ, "SPARK_HOME": str(home)},
        )
        lines = done.stdout.splitlines()
        found = {words[1]: float(words[2]) for words in map(str.split, lines) if words[:1] == ["RANK"]}
        assert found == {name: pytest.approx(rank, abs=2e-9) for name, rank in oracle.pagerank(EDGES).items()}, (
            done.stderr
        )
        assert "COMPONENTS 1" in lines

    ten_lines(["--master", "local[2]", *words], os.environ)
    # The same jar as a client of a Connect server that has nothing of sparkgap but the jar.
    with connect_server(tmp_path, settings, ["--jars", jar]) as (address, environ):
        ten_lines(["--remote", address], environ)
    shutil.rmtree(store.path / "one-jar", ignore_errors=True)


# A container's /dev/shm, a home that takes no file, a folder for temporary files that runs no programs, a name that
# nobody knows, and no address but one of IPv6 beside the loopback.
POOR = """
mount -t tmpfs -o size=64m none /dev/shm
mount -t tmpfs -o ro none $1/home
mount -t tmpfs -o noexec,size=200m none $1/tmp
hostname nowhere.invalid
ip link set lo up
ip link add one type veth peer name other
ip link set other up
ip address add fd00::1/64 dev one nodad
ip link set one up
export HOME=$1/home SPARK_LOCAL_IP=fd00::1 SPARK_PREFER_IPV6=true
shift
exec "$@"
"""


def test_on_a_poor_host(jar, tmp_path):
    """One rank and two, whose MPI needs a network too. The jar unpacks where programs may run."""
    if os.getuid() != 0:
        pytest.skip("needs root: name spaces of a host's own")
    for name in ("home", "tmp", "local"):
        (tmp_path / name).mkdir()
    conf = {
        "spark.master": "local[2]",
        "spark.local.dir": tmp_path / "local",
        "spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={tmp_path}/tmp",
    }
    within = ["unshare", "--mount", "--uts", "--net", "sh", "-ec", POOR, "sh", tmp_path]
    lines = submit(jar, tmp_path, (1, 2), conf, within=within)
    check(lines, 2)
    doctor = {row[0]: row[2] for row in ast.literal_eval(lines[-1].removeprefix("DOCTOR "))}
    assert doctor["store"].startswith("/dev/shm/") and int(doctor["store"].split()[1]) < 64 << 20
    assert list((tmp_path / "local").glob("sparkgap-*-native/*/sparkgap-rank"))


def test_on_hosts_that_have_nothing(jar, tmp_path, sessions, hosts, cluster):
    """Each host unpacks what its executor got from Spark; none has the driver's folder."""
    sessions.stop()
    driver = tmp_path / "tmp"
    driver.mkdir()
    conf = {
        **cluster.settings,
        "spark.master": cluster.master,
        "spark.default.parallelism": 6,
        "spark.scheduler.minRegisteredResourcesRatio": 1.0,  # else ranks go to the executors that came first
        "spark.scheduler.maxRegisteredResourcesWaitingTime": "100s",
        "spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={driver}",
    }
    conf["spark.sparkgap.store.dir"] = "/dev/shm/sparkgap-one-jar"
    try:
        check(submit(jar, tmp_path, (3,), conf), 1)
        count = "ls -d /tmp/sparkgap-0-native/*/mpi/bin/mpiexec 2>/dev/null | wc -l"
        made = [int(host.run(count)) for host in cluster.hosts]
        assert sum(made) >= 2 and max(made) == 1, "once on each host that holds rows"
        assert not any(int(host.run(f"ls {driver} 2>/dev/null | wc -l")) for host in cluster.hosts)
    finally:
        for host in cluster.hosts:
            host.run("rm -rf /tmp/sparkgap-0-native /dev/shm/sparkgap-one-jar")
        shutil.rmtree("/dev/shm/sparkgap-one-jar", ignore_errors=True)


def test_what_the_jar_has_inside(jar):
    with zipfile.ZipFile(jar) as archive:
        names = archive.namelist()
    assert len(names) == len(set(names))
    for kernel in ("pagerank", "rank", "cpd.json"):
        assert f"sparkgap/native/{os.uname().machine}/sparkgap-{kernel}" in names
    pom = jar.with_suffix(".pom").read_text()
    assert "<artifactId>sparkgap-spark_2.13</artifactId>" in pom and "<scope>provided</scope>" in pom
