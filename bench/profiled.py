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
APPLICATION = """
import os, time
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", "16")


def work(rows):
    table = spark.range(0, rows, 1, 16).selectExpr("id % 100000 k", "id v", "cast(id as string) t")
    return table.groupBy("k").agg(F.sum("v"), F.max("t")).selectExpr("count(*)").collect()


work(1000000)
begin = time.monotonic()
for _ in range(4):
    work(8000000)
seconds = time.monotonic() - begin
jvm = spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid()
ticks = open(f"/proc/{jvm}/stat").read().rpartition(")")[2].split()[11:13]
print("SECONDS", seconds, sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK"), flush=True)
spark.stop()
"""


def once(folder, how, number):
    """Seconds of the warm part of the job, seconds of all of it, and CPU seconds of all processes."""
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
    warm, jvm = next(map(float, line.split()[1:]) for line in done.stdout.splitlines() if line.startswith("SECONDS"))
    cpu = jvm + after.children_user + after.children_system - before.children_user - before.children_system
    return {"warm_s": warm, "whole_s": whole, "cpu_s": cpu}


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

    def share(name, key):
        """Of each round, beside the run as it is in the same round."""
        ratios = [run[key] / plain[key] - 1 for run, plain in zip(runs[name], runs["as it is"], strict=True)]
        return statistics.median(ratios)

    more = share("profile", "warm_s")
    lines = [
        f"{m['processor']}, {m['cores']} cores; Java {m['java']}, Spark {m['packages']['pyspark']}; load"
        f" {m['load_1min']} at start; commit {m['commit']}{' + changes' if m['changed'] else ''}; {result['date']};"
        f" `{result['command']}`.",
        "",
        f"Seconds, local[2]; median (least to most) of {len(runs['as it is'])} rounds in turn.",
        "",
        "| | queries, warm | whole process | CPU | queries beside as it is | CPU beside as it is |",
        "|---|---:|---:|---:|---:|---:|",
        *(
            f"| {name} | {cell(name, 'warm_s')} | {cell(name, 'whole_s')} | {cell(name, 'cpu_s')} |"
            f" {100 * share(name, 'warm_s'):+.1f} % | {100 * share(name, 'cpu_s'):+.1f} % |"
            for name in runs
        ),
        "",
        f"Budget of a profile: {100 * BUDGET:.0f} % of wall time; {100 * more:+.1f} % (median of rounds),"
        f" {'kept' if more <= BUDGET else 'MISSED'}.",
    ]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
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
