# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make bench-advice`: what advice promises beside what it gains, on jobs that are made to need it.

Each job is run by `sparkgap advise --prove`, in a fresh JVM each time; the job that spills has its folder on a slow
disk, for here the page cache takes what it spills. Needs root. Writes bench/results/advice.{json,md}.
"""

import argparse
import contextlib
import datetime
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import machine
import pyspark
import results
from slow_folder import slow_folder

from sparkgap import spec

JOB_S = 1800
SLOW_MB_PER_S = 40
ON_SLOW_DISK = {"spill"}
WITH_STACKS = {"heap_tight", "serializer"}
TWO_EXECUTORS = "local-cluster[2,1,1024]"
MASTERS = {"locality_wait": TWO_EXECUTORS}
START = """
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.getOrCreate()
"""
# By the rule that the job is made for: what it does, and the options that it is started with.
JOBS = {
    "tiny_tasks": (
        'spark.range(0, 400000, 1, 2).selectExpr("id % 1000 k", "id v").groupBy("k").sum("v").collect()',
        {"sql.shuffle.partitions": "1500", "sql.adaptive.enabled": "false"},
    ),
    "too_few_tasks": (
        'spark.range(0, 8000000, 1, 2).selectExpr("id % 50000 k", "id v").groupBy("k").agg(F.max("v").alias("m"))'
        '.selectExpr("*", "explode(sequence(1, 90000)) e").selectExpr("max(xxhash64(m, e))").collect()',
        {"sql.shuffle.partitions": "1", "sql.adaptive.enabled": "false"},
    ),
    "spill": (
        'spark.range(0, 24000000, 1, 4).selectExpr("xxhash64(id) k", "cast(id as string) v").sort("k")'
        '.write.format("noop").mode("overwrite").save()',
        {"sql.shuffle.partitions": "2", "sql.adaptive.enabled": "false", "memory.fraction": "0.1"},
    ),
    # Lists of strings by key are objects of Java, and nearly fill the heap.
    "gc": (
        'spark.range(0, 5000000, 1, 4).selectExpr("id % 300000 k", "cast(id as string) v").groupBy("k")'
        '.agg(F.collect_list("v").alias("l")).selectExpr("max(size(l))").collect()',
        {
            "sql.shuffle.partitions": "2",
            "sql.adaptive.enabled": "false",
            "sql.objectHashAggregate.sortBased.fallbackThreshold": "100000000",
        },
    ),
    # The same, beside a cached table that takes a third of the heap, with the collector that stops for all of it.
    "store": (
        'table = spark.range(0, 20000000, 1, 8).selectExpr("id k", "xxhash64(id) v").cache()\n'
        'table.count(); table.selectExpr("min(v)").collect()\n'
        'table.where("k < 2500000").selectExpr("k % 100000 k", "cast(v as string) v").groupBy("k")'
        '.agg(F.collect_list("v").alias("l")).selectExpr("max(size(l))").collect()\n'
        'table.selectExpr("max(v)").collect()',
        {
            "driver.extraJavaOptions": "-XX:+UseParallelGC",
            "sql.shuffle.partitions": "2",
            "sql.adaptive.enabled": "false",
            "sql.objectHashAggregate.sortBased.fallbackThreshold": "100000000",
        },
    ),
    # Nine of ten rows have one key, and the other side is too large to send.
    "skew": (
        'left = spark.range(0, 24000000, 1, 4).selectExpr("if(id % 10 < 9, 0, id % 2000000) k", "xxhash64(id) v")\n'
        'right = spark.range(0, 2000000, 1, 4).selectExpr("id k", "repeat(string(id), 8) s")\n'
        'left.join(right, "k").selectExpr("max(xxhash64(v, s))").collect()',
        {
            "sql.shuffle.partitions": "16",
            "sql.autoBroadcastJoinThreshold": "-1",
            "sql.adaptive.coalescePartitions.enabled": "false",
        },
    ),
    "broadcast_join": (
        'right = spark.range(0, 100000).selectExpr("id k", "string(id) s")\n'
        'spark.range(0, 16000000, 1, 4).selectExpr("id % 100000 k", "id v").join(right, "k")'
        '.selectExpr("max(xxhash64(v, s))").collect()',
        {"sql.autoBroadcastJoinThreshold": "-1"},
    ),
    "python_start": (
        'spark.range(0, 40000, 1, 40).select(F.udf(lambda i: i + 1, "long")("id")).write.format("noop")'
        '.mode("overwrite").save()',
        {"python.worker.reuse": "false"},
    ),
    # The program keeps four fifths of a gigabyte of rows, which no pool of Spark's counts, and goes on.
    "heap_tight": (
        "parts = [spark.range(i, i + 500000, 1, 1) for i in range(0, 7000000, 500000)]\n"
        "kept = [part.selectExpr('cast(id as string) s')._jdf.collectAsList() for part in parts]\n"
        "for _ in range(4):\n"
        '    spark.range(0, 1500000, 1, 4).selectExpr("id % 100000 k", "cast(id as string) v").groupBy("k")'
        '.agg(F.collect_list("v").alias("l")).selectExpr("max(size(l))").collect()',
        {
            "driver.maxResultSize": "0",
            "sql.shuffle.partitions": "2",
            "sql.adaptive.enabled": "false",
            "sql.objectHashAggregate.sortBased.fallbackThreshold": "100000000",
        },
    ),
    # Pairs of a number and a string as objects, from task to task.
    "serializer": (
        "pair = spark._jvm.org.apache.spark.sql.Encoders\n"
        'rows = spark.range(0, 1500000, 1, 4).selectExpr("id _1", "cast(id as string) _2")._jdf\n'
        'rows = getattr(rows, "as")(pair.tuple(pair.LONG(), pair.STRING())).toJavaRDD()\n'
        "for _ in range(6):\n"
        "    rows.repartition(4).count()",
        {},
    ),
    # All that is cached lies on one executor, as the other was busy then; tasks come to it one after the other.
    "locality_wait": (
        "import threading, time\n"
        "sc = spark.sparkContext\n"
        "while len(sc._jsc.sc().statusTracker().getExecutorInfos()) < 3:\n"
        "    time.sleep(0.1)\n"
        "busy = threading.Thread(target=sc.parallelize([12], 1).map(time.sleep).count)\n"
        "busy.start()\n"
        "time.sleep(3)\n"
        "rows = sc.parallelize(range(4), 4).cache()\n"
        "rows.count()\n"
        "busy.join()\n"
        "for s in (1, 1, 1, 1, 4):\n"
        "    rows.map(lambda _, s=s: time.sleep(s)).count()",
        {},
    ),
    # As many rows on both sides. The advice is for memory: here the shuffle of both takes longer.
    "large_broadcast": (
        'right = spark.range(0, 18000000, 1, 4).selectExpr("id k", "repeat(cast(id as string), 12) s")\n'
        'spark.range(0, 18000000, 1, 4).selectExpr("id k", "id v").join(right, "k")'
        '.selectExpr("max(xxhash64(v, s))").collect()',
        {"sql.autoBroadcastJoinThreshold": "4g", "driver.memory": "12g", "driver.maxResultSize": "0"},
    ),
}


def proven(rule, rounds, folder, slow):
    """What `sparkgap advise --prove` says of the job, for machines. `slow`: the folder for Spark's files, or None."""
    work, options = JOBS[rule]
    job = folder / f"{rule}.py"
    job.write_text(f"{START}\n{work}\nspark.stop()\n")
    options = {"ui.enabled": "false", "driver.memory": "1g", **options}
    if slow is not None:
        options["local.dir"] = slow
    confs = [word for key, value in options.items() for word in ("--conf", f"spark.{key}={value}")]
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    advise = [sys.executable, "-m", "sparkgap", "advise", "--prove", "--rounds", str(rounds), "--out", folder / rule]
    advise += ["--json", "-", *(["--stacks"] if rule in WITH_STACKS else [])]
    done = subprocess.run(
        [*advise, "--", submit, "--master", MASTERS.get(rule, "local[2]"), *confs, job],
        stdout=subprocess.PIPE,
        timeout=JOB_S,
        check=True,
        env={**os.environ, "SPARK_SCALA_VERSION": "2.13"},  # as local clusters of a Spark from pip ask for
    )
    found = json.loads(done.stdout.replace(str(spec.JAR.resolve()).encode(), b"sparkgap.jar"))
    del found["command"]  # like the jar's place, it has this machine's folders
    return found


def earlier(jobs, file):
    """The results, newest first, of the jobs that are not measured now."""
    if not file.exists():
        return []
    last = json.loads(file.read_text())
    parts = [{name: value for name, value in last.items() if name != "earlier"}, *last.get("earlier", [])]
    for part in parts:
        part["advice"] = {rule: found for rule, found in part["advice"].items() if rule not in jobs}
    return [part for part in parts if part["advice"]]


def markdown(result):
    return "\n".join(map(table, [result, *result["earlier"]]))


def table(result):
    lines = [
        results.measured_on(result),
        "",
        f"Seconds, local[2], {result['rounds']} rounds in turn; intervals of 95 %. A job is made for the advice of its"
        f" name. That of {', '.join(ON_SLOW_DISK)} has Spark's folder on a disk of {SLOW_MB_PER_S} MB/s, that of"
        f" {', '.join(MASTERS)} is on {TWO_EXECUTORS}.",
        "",
        "| job | wall time | advice | promised at most | measured | verdict |",
        "|---|---:|---|---:|---:|---|",
    ]
    for rule, found in result["advice"].items():
        before = sorted(found["before_s"])
        rows = [(each, each["rule"]) for each in found["trials"]]
        rows += [(each, each["rule"]) for each in found["not_tried"]]
        for each, name in rows:
            gain = each.get("gain_s")
            measured = "" if gain is None else f"{gain:.2f} ({each['low_s']:.2f} to {each['high_s']:.2f})"
            most = "" if each["gain_at_most_s"] is None else f"{each['gain_at_most_s']:.2f}"
            wall = f"{before[len(before) // 2]:.2f}" if before else ""
            lines.append(f"| {rule} | {wall} | {name} | {most} | {measured} | {each.get('verdict', 'not tried')} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", default=",".join(JOBS), help="results of others stay as they are")
    parser.add_argument("--out", type=Path, default=results.PLACE, help="folder for the results")
    args = parser.parse_args()
    jobs = args.jobs.split(",")
    command = " ".join(["make bench-advice", *([f'ARGS="{" ".join(sys.argv[1:])}"'] if sys.argv[1:] else [])])
    result = {"date": datetime.date.today().isoformat(), "command": command, "machine": machine.describe()}
    result |= {"rounds": args.rounds, "advice": {}, "earlier": earlier(jobs, args.out / "advice.json")}
    with tempfile.TemporaryDirectory() as folder:
        for rule in jobs:
            with contextlib.ExitStack() as stack:
                has_slow = rule in ON_SLOW_DISK
                slow = stack.enter_context(slow_folder(Path(folder), SLOW_MB_PER_S)) if has_slow else None
                result["advice"][rule] = proven(rule, args.rounds, Path(folder), slow)
            print(markdown(result), file=sys.stderr)  # what there is, where a later job fails
    print(markdown(result))
    print(results.keep("advice", result, markdown(result), args.out), file=sys.stderr)


if __name__ == "__main__":
    main()
