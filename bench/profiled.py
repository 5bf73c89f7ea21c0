# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make bench-profile`: what `sparkgap profile` costs the application that it looks at.

One job in a fresh JVM each, interleaved: as it is, with Spark's event log, under `sparkgap profile`, and with its
`--stacks`. Writes bench/results/profile.{json,md}.
"""

import argparse
import datetime
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import machine
import results

BUDGET = 0.03  # of the wall time
JOB_S = 300
OWN_THREADS = ("spark-listener-group-eventLog",)  # of the JVM, what a profile adds in local mode
APPLICATION = f"""
import os, time
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", "16")
management = spark.sparkContext._jvm.java.lang.management.ManagementFactory.getThreadMXBean()
jvm = spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid()


def work(rows):
    table = spark.range(0, rows, 1, 16).selectExpr("id % 100000 k", "id v", "cast(id as string) t")
    return table.groupBy("k").agg(F.sum("v"), F.max("t")).selectExpr("count(*)").collect()


def ticks(pid):
    fields = open("/proc/%d/stat" % pid).read().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def threads():
    ids = [id for id in management.getAllThreadIds() if (found := management.getThreadInfo(id)) is not None
           and found.getThreadName() in {OWN_THREADS}]
    return sum(management.getThreadCpuTime(id) for id in ids) / 1e9


def counted():
    return time.monotonic(), ticks(jvm), ticks(os.getppid()) + threads()


for _ in range(4):
    work(8000000)
begin = counted()
for _ in range(10):
    work(8000000)
warm = [after - before for before, after in zip(begin, counted())]
print("COUNTED", *warm, ticks(jvm), flush=True)
spark.stop()
"""


def once(folder, how, number):
    """Seconds: of the job's warm part, of CPU of its JVM in it, and of the profile's own threads; then of the whole
    job, and of CPU of all its processes.
    """
    words, environ = [sys.executable, str(folder / "app.py")], dict(os.environ)
    place = folder / f"{how.replace(' ', '-')}-{number}"
    if how == "event log":
        place.mkdir()
        confs = f"--conf spark.eventLog.enabled=true --conf spark.eventLog.dir={place.as_uri()}"
        environ["PYSPARK_SUBMIT_ARGS"] = f"{confs} pyspark-shell"
    elif how.startswith("profile"):
        words = [sys.executable, "-m", "sparkgap", *how.split(), "--out", str(place), "--", *words]
    begin, before = time.monotonic(), os.times()
    done = subprocess.run(words, env=environ, capture_output=True, text=True, timeout=JOB_S, check=True)
    whole, after = time.monotonic() - begin, os.times()
    words = next(line.split()[1:] for line in done.stdout.splitlines() if line.startswith("COUNTED"))
    warm, warm_cpu, own_cpu, jvm = map(float, words)
    cpu = jvm + after.children_user + after.children_system - before.children_user - before.children_system
    return {"warm_s": warm, "warm_cpu_s": warm_cpu, "own_cpu_s": own_cpu, "whole_s": whole, "cpu_s": cpu}


def measure(rounds, folder):
    (folder / "app.py").write_text(APPLICATION)
    runs = {name: [] for name in ("as it is", "event log", "profile", "profile --stacks")}
    for number in range(rounds + 1):  # the first fills the page cache
        for how in runs:
            found = once(folder, how, number)
            if number:
                runs[how].append(found)
            print(f"round {number}: {how} {found['warm_s']:.2f} s", file=sys.stderr, flush=True)
    return runs


def markdown(result):
    m, runs = result["machine"], result["profile"]

    def cell(name, key):
        values = [run[key] for run in runs[name]]
        return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"

    def beside(name, key):
        return [run[key] / plain[key] - 1 for run, plain in zip(runs[name], runs["as it is"], strict=True)]

    def percents(values):
        low, middle, high = (f"{100 * found(values):+.1f}" for found in (min, statistics.median, max))
        return f"{middle} % ({low} to {high})"

    def more(name, key):
        return percents(beside(name, key))

    def own(name):
        return percents([run["own_cpu_s"] / run["warm_cpu_s"] for run in runs[name]])

    found = statistics.median(beside("profile", "warm_s"))
    lines = [
        f"{m['processor']}, {m['cores']} cores; Java {m['java']}, Spark {m['packages']['pyspark']}; load"
        f" {m['load_1min']} at start; commit {m['commit']}{' + changes' if m['changed'] else ''}; {result['date']};"
        f" `{result['command']}`.",
        "",
        f"Seconds, local[2]; median (least to most) of {len(runs['as it is'])} rounds in turn.",
        "",
        "| | warm queries | their CPU | of it the profile's own | whole process | its CPU |",
        "|---|---:|---:|---:|---:|---:|",
        *(
            f"| {name} | {cell(name, 'warm_s')} | {cell(name, 'warm_cpu_s')} | {cell(name, 'own_cpu_s')} |"
            f" {cell(name, 'whole_s')} | {cell(name, 'cpu_s')} |"
            for name in runs
        ),
        "",
        "Beside the run as it is in the same round; median (least to most). The own threads are those that only a"
        " profile has: the sampler's process and the JVM's writer of the event log.",
        "",
        "| | warm queries | their CPU | own threads, of their CPU | whole process | its CPU |",
        "|---|---:|---:|---:|---:|---:|",
        *(
            f"| {name} | {more(name, 'warm_s')} | {more(name, 'warm_cpu_s')} | {own(name)} | {more(name, 'whole_s')} |"
            f" {more(name, 'cpu_s')} |"
            for name in list(runs)[1:]
        ),
        "",
        f"Budget of a profile: {100 * BUDGET:.0f} % of wall time; {100 * found:+.1f} % (median of rounds),"
        f" {'kept' if found <= BUDGET else 'MISSED'}.",
    ]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--out", type=Path, default=results.PLACE, help="folder for the results")
    args = parser.parse_args()
    command = " ".join(["make bench-profile", *([f'ARGS="{" ".join(sys.argv[1:])}"'] if sys.argv[1:] else [])])
    result = {"date": datetime.date.today().isoformat(), "command": command, "machine": machine.describe()}
    with tempfile.TemporaryDirectory() as folder:
        result["profile"] = measure(args.rounds, Path(folder))
    print(markdown(result))
    print(results.keep("profile", result, markdown(result), args.out), file=sys.stderr)


if __name__ == "__main__":
    main()
