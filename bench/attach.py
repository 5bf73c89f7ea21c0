# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make bench-attach`: from spark-submit to the first result, of plain Spark and with the one jar attached.

Three jobs in a fresh JVM each, interleaved: a table made and aggregated by plain Spark; the same with sparkgap attached
and not used; and a graph ranked by a native kernel. The programs were unpacked before. Writes
bench/results/attach.{json,md}.
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
import pyspark
import results

ROOT = Path(__file__).resolve().parent.parent
BUDGET_S = 0.5
JOB_S = 120
TABLE = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
edges = spark.createDataFrame([("ann", "bob"), ("bob", "cho"), ("cho", "ann"), ("dee", "ann")], ["src", "dst"])
"""
PLAIN = TABLE + 'edges.groupBy("dst").count().orderBy("count").show()\nprint("FIRST", flush=True)\nspark.stop()\n'
RANKED = (
    TABLE
    + """
edges.createOrReplaceTempView("edges")
spark.sql("CALL sparkgap.graph.pagerank(edges => 'edges', max_iterations => 20, result => 'ranks')").collect()
spark.table("sparkgap.store.ranks").orderBy("pagerank").show()
print("FIRST", flush=True)
spark.stop()
"""
)


def once(folder, job, jar):
    """Seconds to the first result, seconds to the end, and CPU seconds of all processes."""
    home = Path(pyspark.__file__).parent
    attach = ["--jars", jar, "--conf", "spark.plugins=org.sparkgap.spark.SparkGapPlugin"] if jar else []
    words = ["--master", "local[2]", "--conf", "spark.ui.enabled=false", "--conf", "spark.log.level=ERROR"]
    store = ["--conf", f"spark.sparkgap.store.dir={folder}/store"]
    begin, before = time.monotonic(), os.times()
    with subprocess.Popen(
        [home / "bin" / "spark-submit", *words, *store, *attach, folder / job],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable},
    ) as child:
        first = next((time.monotonic() - begin for line in child.stdout if line.startswith("FIRST")), None)
        child.stdout.read()
        status = child.wait(JOB_S)
    if status != 0 or first is None:
        raise SystemExit(f"{job}: expected a result, found exit {status}. Run it by hand.")
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {"first_s": first, "whole_s": time.monotonic() - begin, "cpu_s": cpu}


def measure(rounds, folder):
    done = subprocess.run(
        [sys.executable, ROOT / "python" / "one_jar.py", "--out", folder], capture_output=True, text=True, check=True
    )
    jar = Path(done.stdout.strip())
    (folder / "plain.py").write_text(PLAIN)
    (folder / "ranked.py").write_text(RANKED)
    cells = {
        "plain Spark": ("plain.py", None),
        "attached, not used": ("plain.py", jar),
        "attached, a kernel": ("ranked.py", jar),
    }
    runs = {name: [] for name in cells}
    for number in range(rounds + 1):  # the first fills the page cache, and unpacks
        for name, (job, attached) in cells.items():
            found = once(folder, job, attached)
            if number:
                runs[name].append(found)
            print(f"round {number}: {name} {found['first_s']:.2f} s", file=sys.stderr, flush=True)
    return runs


def markdown(result):
    m, runs = result["machine"], result["attach"]

    def cell(name, key):
        values = [run[key] for run in runs[name]]
        return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"

    def median(name):
        return statistics.median(run["first_s"] for run in runs[name])

    more = median("attached, not used") - median("plain Spark")
    lines = [
        f"{m['processor']}, {m['cores']} cores; Java {m['java']}, Spark {m['packages']['pyspark']}; load"
        f" {m['load_1min']} at start; commit {m['commit']}{' + changes' if m['changed'] else ''}; {result['date']};"
        f" `{result['command']}`.",
        "",
        f"Seconds from spark-submit, local[2]; median (least to most) of {len(runs['plain Spark'])} rounds in turn.",
        "",
        "| | first result | end | CPU |",
        "|---|---:|---:|---:|",
        *(f"| {name} | {cell(name, 'first_s')} | {cell(name, 'whole_s')} | {cell(name, 'cpu_s')} |" for name in runs),
        "",
        f"Budget of the same job with sparkgap attached: {BUDGET_S} s above plain Spark; {more:.2f} s,"
        f" {'kept' if more <= BUDGET_S else 'MISSED'}.",
    ]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--out", type=Path, default=results.PLACE, help="folder for the results")
    args = parser.parse_args()
    command = " ".join(["make bench-attach", *([f'ARGS="{" ".join(sys.argv[1:])}"'] if sys.argv[1:] else [])])
    result = {"date": datetime.date.today().isoformat(), "command": command, "machine": machine.describe()}
    with tempfile.TemporaryDirectory() as folder:
        result["attach"] = measure(args.rounds, Path(folder))
    print(markdown(result))
    print(results.keep("attach", result, markdown(result), args.out), file=sys.stderr)


if __name__ == "__main__":
    main()
