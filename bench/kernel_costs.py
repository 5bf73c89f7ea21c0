# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make bench-kernel-costs`: what `sparkgap report` says that a kernel would take, beside what it takes.

Each job runs as it is, for the advice, and by `python -m sparkgap.accelerate`, in a fresh JVM each. The jobs are none
of those that the model of costs was made from. Writes bench/results/kernel-costs.{json,md}.
"""

import argparse
import datetime
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import machine
import results

from sparkgap import report

JOB_S = 900
APPLICATION = """
import sys
from pyspark.ml import classification, clustering, regression
from pyspark.ml.functions import array_to_vector
from pyspark.sql import SparkSession, functions as F

estimator, rows, width, seed = sys.argv[1], *map(int, sys.argv[2:5])
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
counts = estimator in ("LDA", "NaiveBayes")
each = "floor(rand({0}) * rand({0} + 500) * 4)" if counts else "randn({0})"
values = [F.expr(each.format(seed + i)) for i in range(width)]
table = spark.range(0, rows, 1, 4).select((F.col("id") % 3 % 2).cast("double").alias("label"), *(
    v.alias(f"v{i}") for i, v in enumerate(values)))
table = table.select("label", array_to_vector(F.array(*(f"v{i}" for i in range(width))).cast("array<double>"))
                     .alias("features")).cache()
table.count()
made = {
    "KMeans": lambda: clustering.KMeans(k=40, maxIter=10, seed=1),
    "LDA": lambda: clustering.LDA(k=10, maxIter=10, seed=1),
    "LogisticRegression": lambda: classification.LogisticRegression(maxIter=30, regParam=0.01),
    "LinearRegression": lambda: regression.LinearRegression(regParam=0.01, solver="normal"),
    "NaiveBayes": lambda: classification.NaiveBayes(),
}[estimator]().fit(table)
spark.stop()
"""
# Estimator, rows, features.
JOBS = {
    "KMeans, 200,000 x 12": ("KMeans", 200_000, 12),
    "KMeans, 1,500,000 x 5": ("KMeans", 1_500_000, 5),
    "LogisticRegression, 300,000 x 40": ("LogisticRegression", 300_000, 40),
    "LogisticRegression, 1,500,000 x 10": ("LogisticRegression", 1_500_000, 10),
    "LinearRegression, 600,000 x 50": ("LinearRegression", 600_000, 50),
    "NaiveBayes, 400,000 x 60": ("NaiveBayes", 400_000, 60),
    "LDA, 20,000 x 80": ("LDA", 20_000, 80),
}


def once(job, folder, how, number):
    """What a report says of the job as it is, or of its native run."""
    place = folder / f"{how}-{number}"
    place.mkdir()
    confs = f"--driver-memory 3g --conf spark.eventLog.enabled=true --conf spark.eventLog.dir={place.as_uri()}"
    words = [sys.executable, *(["-m", "sparkgap.accelerate"] if how == "native" else []), folder / "app.py"]
    subprocess.run(
        [*map(str, words), *map(str, JOBS[job]), str(100 * number)],
        env={**os.environ, "PYSPARK_SUBMIT_ARGS": f"{confs} pyspark-shell"},
        capture_output=True,
        timeout=JOB_S,
        check=True,
    )
    return report.load(place)


def measured(job, rounds, folder):
    runs = []
    for number in range(rounds):
        plain, native = (once(job, folder, how, number) for how in ("plain", "native"))
        (advice,) = [each for each in plain.advice if each.rule == "native_kernel"] or [None]
        stages = {row["stage"]: row["wall_s"] for row in plain.stages.to_pylist()}
        took = None if advice is None else sum(stages[stage] for stage in advice.stages)
        runs.append({
            "library_s": took,
            "expected_s": None if advice is None else took - advice.expected.gain_s,
            "least_s": None if advice is None else took - advice.expected.most_s,
            "most_s": None if advice is None else took - advice.expected.least_s,
            "call_s": sum(row["wall_s"] for row in native.calls.to_pylist()),
            "gained_s": plain.wall_s - native.wall_s,
        })  # fmt: skip
        print(job, runs[-1], file=sys.stderr, flush=True)
    return runs


def middle(runs, key):
    values = [run[key] for run in runs if run[key] is not None]
    return statistics.median(values) if values else None


def markdown(result):
    lines = [
        results.measured_on(result),
        "",
        f"Seconds, local[2], medians of {result['rounds']} rounds in turn. *expected*: what the advice says that the"
        " kernel's call takes, and between which values; *took*: what the call took in the same job accelerated.",
        "",
        "| job | Spark's stages | expected | took | within | whole job faster by |",
        "|---|---:|---:|---:|---|---:|",
    ]
    for job, runs in result["costs"].items():
        found = {key: middle(runs, key) for key in runs[0]}
        call, gained = found["call_s"], found["gained_s"]
        if found["expected_s"] is None:
            lines.append(f"| {job} | | no advice | {call:.2f} | | {gained:.1f} |")
            continue
        within = "yes" if found["least_s"] <= call <= found["most_s"] else "no"
        expected = f"{found['expected_s']:.2f} ({found['least_s']:.2f} to {found['most_s']:.2f})"
        lines.append(f"| {job} | {found['library_s']:.2f} | {expected} | {call:.2f} | {within} | {gained:.1f} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", nargs="*", default=list(JOBS))
    parser.add_argument("--out", type=Path, default=results.PLACE, help="folder for the results")
    args = parser.parse_args()
    command = " ".join(["make bench-kernel-costs", *([f'ARGS="{" ".join(sys.argv[1:])}"'] if sys.argv[1:] else [])])
    result = {"date": datetime.date.today().isoformat(), "command": command, "machine": machine.describe()}
    result["rounds"] = args.rounds
    result["costs"] = {}
    for job in args.jobs:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "app.py").write_text(APPLICATION)
            result["costs"][job] = measured(job, args.rounds, Path(folder))
    print(markdown(result))
    print(results.keep("kernel-costs", result, markdown(result), args.out), file=sys.stderr)


if __name__ == "__main__":
    main()
