# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a client of a server may have done there, and what a program may see of its server: docs/servers.md."""

import json
import shutil
import subprocess
import sys

import pytest
from conftest import CANARY, CONF
from connect_server import connect_server

import sparkgap
from sparkgap import ArgumentError, spec
from sparkgap.settings import settings_for

# Everything that a program can try without breaking in: its own environment, that of every process that there is, and
# the memory of those above it.
SPY = """
import csv, os, sys

mark, out = sys.argv[1:]
rank = os.path.basename(out).partition(".")[0]


def read(path):
    try:
        return open(path, "rb").read()
    except OSError:
        return b""


def parent(pid):
    return int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])


above, pid = [], os.getppid()
while pid > 0:
    above.append(pid)
    pid = parent(pid)
leaks = [name for name, value in os.environ.items() if mark in value]
leaks += [
    f"environ of {pid}"
    for pid in os.listdir("/proc")
    if pid.isdigit() and mark.encode() in read(f"/proc/{pid}/environ")
]
for pid in above:
    try:
        open(f"/proc/{pid}/mem", "rb").close()
        if read(f"/proc/{pid}/comm").strip() not in (b"sparkgap-rank", b"hydra_pmi_proxy"):
            leaks.append(f"memory of {pid}")
    except OSError:
        pass
commands = " ".join(read(f"/proc/{pid}/comm").decode().strip() for pid in above)
csv.writer(open(out, "w")).writerow(
    [rank, commands, len(read(f"/proc/{above[0]}/environ")) > 0, "; ".join(leaks) or "none"]
)
"""
SEEN = {"outputs": {"seen": "rank int, above string, guard boolean, leaks string"}, "formats": {"seen": "csv"}}


def spied(run, ranks):
    """What each rank has found; it must have seen the JVM above it, and its own guard's environment."""
    rows = sorted(
        run(
            "/usr/bin/env", ["python3", "-c", SPY, CANARY, "{outputs.seen}/{rank}.csv"], ranks=ranks, threads=1, **SEEN
        ).seen.collect()
    )
    assert [row.rank for row in rows] == list(range(ranks))
    assert all(row.above.startswith("sparkgap-rank") and "java" in row.above.split() for row in rows), rows
    assert all(row.guard for row in rows), "a process of its own domain it can look into: the spy works"
    return {row.leaks for row in rows}


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_programs_find_no_secret_of_the_driver(spark, tmp_path):
    assert spark.sql("SELECT reflect('java.lang.System', 'getenv', 'SPARKGAP_TEST_SECRET')").first()[0] == CANARY
    for ranks in (1, 2):
        assert spied(sparkgap.mpi.run, ranks) == {"none"}
    describe = tmp_path / "describe"
    describe.write_text(
        f"#!/bin/sh\ncat /proc/self/environ > {tmp_path}/own\ncat /proc/[0-9]*/environ > {tmp_path}/all 2> /dev/null\n"
    )
    describe.chmod(0o700)
    with pytest.raises(ArgumentError, match="--describe to print what the program takes"):
        sparkgap.graph.run(describe, spark.createDataFrame([(1, 2)], ["src", "dst"]))
    own = (tmp_path / "own").read_text()
    assert "PATH=" in own and CANARY not in own + (tmp_path / "all").read_text(errors="replace")


def test_programs_find_no_secret_of_an_executor(hosts):
    seen = (
        hosts.range(0, 6, 1, 6)
        .selectExpr("reflect('java.lang.System', 'getenv', 'SPARKGAP_TEST_SECRET')")
        .distinct()
        .collect()
    )
    assert [row[0] for row in seen] == [CANARY]
    assert spied(sparkgap.mpi.run, 3) == {"none"}


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_what_a_program_inherits(spark, monkeypatch):
    """Of the driver's environment where things are; of `env` all, and what stands above the program has none of
    that.
    """
    words = [
        "-c",
        (
            "cat /proc/self/environ | tr '\\0' '\\n' | cut -d= -f1 > {outputs.own}; cat /proc/$PPID/environ | tr '\\0'"
            " '\\n' | grep -c COLOUR || true"
        ),
    ]
    done = sparkgap.mpi.run(
        "/bin/sh",
        words,
        outputs={"own": "name string"},
        formats={"own": "csv"},
        env={"COLOUR": "dark red", "LD_PRELOAD": ""},
    )
    names = {row.name for row in done.own.collect()}
    assert {"PATH", "COLOUR", "SPARKGAP_JOB", "OMP_NUM_THREADS", "TMPDIR"} <= names
    assert not [n for n in names if n.startswith(("SPARK_", "PYSPARK", "_SPARK", "SPARKGAP_TEST"))], names
    assert done.printed == "0"
    with pytest.raises(ArgumentError, match=r"env.COLOUR: expected a value without NUL characters"):
        sparkgap.mpi.run("true", env={"COLOUR": "red\0LD_PRELOAD=/x.so"})


@pytest.mark.parametrize("spark", ["connect"], indirect=True)
def test_paths_of_programs_are_no_settings_of_a_session(spark, edges, tmp_path):
    """A client that could set them could run its own programs in place of ours."""
    mark = tmp_path / "ran"
    for name in ["sparkgap-rank", "mpiexec"]:
        (tmp_path / name).write_text(f"#!/bin/sh\ntouch {mark}\n")
        (tmp_path / name).chmod(0o700)
    for kernel in spec.NATIVE.glob("sparkgap-*.json"):
        shutil.copy(kernel, tmp_path)
    others = {
        "store.dir": tmp_path,
        "store.diskDir": tmp_path,
        "topology.lockDir": tmp_path,
        "store.memoryBytes": "1",
        "launch.programs": "refuse",
        "launch.allowedPrograms": "/bin",
    }
    for short, value in {"launch.kernelDir": tmp_path, "launch.mpiexec": tmp_path / "mpiexec", **others}.items():
        key = f"spark.sparkgap.{short}"
        before = spark.conf.get(key, None)
        spark.conf.set(key, str(value))
        try:
            with pytest.raises(
                ArgumentError,
                match=(
                    rf"^{key}: expected .* as where Spark was started, found '{value}' in this session\. Do unset it"
                    r" here"
                ),
            ) as caught:
                sparkgap.graph.pagerank(edges, ranks=2)
            assert "\n" not in str(caught.value)
        finally:
            spark.conf.unset(key) if before is None else spark.conf.set(key, before)
    assert not mark.exists()
    assert sparkgap.graph.pagerank(edges, ranks=2).count() == 4


def test_a_list_of_programs(own, store, tmp_path):
    """A server in this process that was told to be like one for others, with a list."""
    (tmp_path / "listed").mkdir()
    script, other = tmp_path / "listed" / "script", tmp_path / "other"
    for path in (script, other):
        path.write_text("#!/bin/sh\necho ran\n")
        path.chmod(0o755)
    (tmp_path / "listed" / "out").symlink_to(other)
    (tmp_path / "link").symlink_to(script)
    listed = {
        "spark.sparkgap.launch.programs": "auto",
        "spark.sparkgap.launch.allowedPrograms": f"{tmp_path / 'listed'}, {shutil.which('true')}",
    }
    spark = sparkgap.session(remote="local[2]", conf={**CONF, "spark.sparkgap.store.dir": str(store.path), **listed})
    for program in (script, tmp_path / "link", tmp_path / "listed" / ".." / "listed" / "script"):
        assert sparkgap.mpi.run(program, env={"LC_ALL": "C", "OMP_SCHEDULE": "static"}).printed == "ran"
    assert sparkgap.mpi.run("true", ranks=2).sparkgap.ranks == 2
    for program in (other, tmp_path / "listed" / "out", "sh", tmp_path / "listed" / ".." / "other"):
        with pytest.raises(
            ArgumentError, match=r"^program: expected a program that spark.sparkgap.launch.allowedPrograms has, found /"
        ):
            sparkgap.mpi.run(program)
    edges = spark.createDataFrame([(1, 2)], ["src", "dst"])
    with pytest.raises(
        ArgumentError, match=r"^program: expected a program that spark.sparkgap.launch.allowedPrograms has"
    ):
        sparkgap.graph.run(other, edges)
    for name in (
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "PYTHONPATH",
        "BASH_ENV",
        "PATH",
        "OMP_TOOL_LIBRARIES",
        "HYDRA_LAUNCHER_EXEC",
        "UCX_MODULE_DIR",
        "HOME",
    ):
        with pytest.raises(ArgumentError, match=f"^env: expected names among LANG, .*, found '{name}'"):
            sparkgap.mpi.run(script, env={name: "/x"})
    with pytest.raises(ArgumentError, match=r"^logs: expected no folder"):
        sparkgap.mpi.run(script, logs=tmp_path)
    assert sparkgap.graph.degree(edges).count() == 2


CLIENT = """
import json, sys
import sparkgap

spark = sparkgap.session(remote=sys.argv[1])
edges = spark.createDataFrame([(1, 2), (2, 3), (3, 1)], ["src", "dst"])
said = {}


def tell(name, call):
    try:
        said[name] = call()
    except Exception as e:
        said[name] = [type(e).__name__, str(e)]


tell("mpi.run", lambda: sparkgap.mpi.run("touch", [sys.argv[2]]).printed)
tell(
    "sql",
    lambda: len(spark.sql(f"CALL sparkgap.mpi.run(program => '/bin/touch', args => array('{sys.argv[2]}'))").collect()),
)
tell("graph.run", lambda: sparkgap.graph.run(sys.argv[3], edges).count())
for key in ("kernelDir", "programs", "memoryBytes"):
    spark.conf.set(
        f"spark.sparkgap.launch.{key}", "0" if key == "memoryBytes" else "allow" if key == "programs" else "/tmp"
    )
    tell(key, lambda: sparkgap.graph.degree(edges).count())
    spark.conf.unset(f"spark.sparkgap.launch.{key}")
tell("pagerank", lambda: sparkgap.graph.pagerank(edges, ranks=2, threads=1).count())
tell(
    "doctor",
    lambda: [row.detail for row in spark.sql("CALL sparkgap.launch.doctor()").collect() if row.check == "programs"][0],
)
spark.stop()
print(json.dumps(said))
"""


def test_a_server_for_others_runs_no_programs_of_theirs(store, tmp_path):
    """Spark's own script starts it, as one that others are to use, and the client is another process."""
    mark, program = tmp_path / "ran", tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n")
    program.chmod(0o755)
    conf = {**settings_for("local[2]"), **CONF, "spark.sparkgap.store.dir": str(store.path)}
    with connect_server(tmp_path, conf) as (address, environ):
        done = subprocess.run(
            [sys.executable, "-c", CLIENT, address, mark, program],
            env=environ,
            capture_output=True,
            text=True,
            timeout=200,
        )
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout.splitlines()[-1])
    none = [
        "ArgumentError",
        (
            "program: expected an application that runs programs of its users, found that its users share a server of"
            " Spark Connect, and spark.sparkgap.launch.programs=auto. Do ask the server's administrator to set"
            " spark.sparkgap.launch.allowedPrograms, or use a session of your own."
        ),
    ]
    assert said["mpi.run"] == said["graph.run"] == none
    assert "that its users share a server of Spark Connect" in said["sql"][1]
    for key in ("kernelDir", "programs", "memoryBytes"):
        assert said[key][0] == "ArgumentError" and said[key][1].startswith(f"spark.sparkgap.launch.{key}: expected "), (
            said
        )
    assert not mark.exists()
    assert said["pagerank"] == 3
    assert (
        said["doctor"]
        == "programs of users do not run, as they share a server of Spark Connect; they cannot look into other"
        " processes"
    )
