# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Writes the classes that Spark loads, as the JVM keeps them: a JVM that is given them starts in half of the time.

`python dev/class_archive.py FOLDER` writes a file for each class path: `classes.jsa` of drivers with sparkgap's jar,
`plain.jsa` of those without it, `executor.jsa` of executors; and `java/bin/java`, which is Java with the one that fits.
They are good for this JVM and these jars; with others Java passes over them.
"""

import os
import shlex
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sparkgap import environment

WAIT_S = 180
SESSION = """
import sys, sparkgap

folder = sys.argv[1]
spark = sparkgap.session(
    "local[2]",
    conf={
        "spark.ui.enabled": "false",
        "spark.driver.host": "localhost",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sparkgap.store.dir": folder + "/memory",
        "spark.sparkgap.store.diskDir": folder + "/disk",
    },
)
edges = spark.createDataFrame(
    [(i, i * 7 % 100, str(i)) for i in range(300)], "src bigint, dst bigint, name string"
).cache()
edges.write.parquet(folder + "/edges")
edges = spark.read.parquet(folder + "/edges").repartition(2).cache()
edges.groupBy("src").count().join(edges, "src").orderBy("name").collect()
sparkgap.graph.pagerank(edges).agg({"pagerank": "sum"}).collect()
sparkgap.graph.components(edges, engine="spark").count()
with sparkgap.graph.build(edges) as graph:
    graph.bfs(source=1).toArrow()
sparkgap.store.publish(edges, "edges").rdd.map(len).count()
spark.stop()
"""


PLAIN = """
import sys
from pyspark.sql import SparkSession

builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
builder = builder.config("spark.eventLog.enabled", "true").config("spark.eventLog.dir", sys.argv[1])
builder = builder.config("spark.driver.host", "localhost").config("spark.driver.bindAddress", "127.0.0.1")
spark = builder.getOrCreate()
rows = spark.createDataFrame([(i, i * 7 % 100, str(i)) for i in range(300)], "src bigint, dst bigint, name string")
rows.write.parquet(sys.argv[1] + "/rows")
rows = spark.read.parquet(sys.argv[1] + "/rows").repartition(2).cache()
rows.groupBy("src").count().join(rows, "src").orderBy("name").collect()
rows.rdd.map(len).count()
spark.stop()
"""


EXECUTORS = """
import os, sys, sparkgap

os.environ["SPARK_HOME"] = os.path.dirname(__import__("pyspark").__file__)
spark = sparkgap.session(
    "local-cluster[1,2,512]",
    conf={
        "spark.ui.enabled": "false",
        "spark.driver.host": "localhost",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "512m",
        "spark.executor.extraJavaOptions": sys.argv[2],
        "spark.sparkgap.store.dir": sys.argv[1] + "/memory",
    },
)
edges = spark.createDataFrame([(i, i * 7 % 100, str(i)) for i in range(300)], "src bigint, dst bigint, name string")
edges = edges.repartition(2).cache()
edges.groupBy("src").count().join(edges, "src").orderBy("name").collect()
sparkgap.graph.pagerank(edges).agg({"pagerank": "sum"}).collect()
spark.stop()
"""
# Spark names the class path first. Without the last two options Java copies an archive to an address by chance.
JAVA = """#!/bin/sh
case "$1 $2" in
"-cp "*/sparkgap*.jar:*/pyspark/conf:*) archive=classes ;;
"-cp "*/pyspark/conf:*) archive=plain ;;
*) exec {java} "$@" ;;
esac
exec {java} -Xlog:disable -XX:SharedArchiveFile={folder}/$archive.jsa \\
  -XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0 "$@"
"""
OPTIONS = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xlog:disable"


def archive(target, session, spark_options, *words):
    """Runs a session, one of whose JVMs writes at its end what it was told by `{part}` in the words or options."""
    part = target.with_suffix(".part")
    for old in (part, target):
        old.unlink(missing_ok=True)
    env = os.environ | {"SPARK_SUBMIT_OPTS": spark_options.format(part=part), "PYTHONWARNINGS": "ignore"}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", session, folder, *(word.format(part=part) for word in words)],
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=WAIT_S,
        )
    if done.returncode != 0:
        sys.exit(done.stderr[-3000:])
    # The JVM writes after Python has ended; the file is whole when it grows no more.
    end, size = time.monotonic() + WAIT_S, -1
    while time.monotonic() < end and (size <= 0 or part.stat().st_size != size):
        size = part.stat().st_size if part.exists() else -1
        time.sleep(1)
    if not part.exists():
        sys.exit(
            f"class archive: expected {part} within {WAIT_S} s, found none. Do run again; tests need it only to be"
            " fast."
        )
    part.rename(target)


def main(folder):
    writes = f"{OPTIONS} -XX:ArchiveClassesAtExit={{part}}"
    with ThreadPoolExecutor() as all_at_once:
        for made in (
            all_at_once.submit(archive, folder / "classes.jsa", SESSION, writes),
            all_at_once.submit(archive, folder / "plain.jsa", PLAIN, writes),
            all_at_once.submit(archive, folder / "executor.jsa", EXECUTORS, OPTIONS, writes),
        ):
            made.result()
    program = folder / "java" / "bin" / "java"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(JAVA.format(java=shlex.quote(environment.java()), folder=shlex.quote(str(folder))))
    program.chmod(0o755)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
