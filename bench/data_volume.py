# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make bench-data-volume`: where the time goes as data grows and the heap does not, by `sparkgap profile`.

The five workloads of Awan et al. 2015 ("How Data Volume Affects Spark Based Data Analytics on a Scale-up Server",
arXiv:1507.08340) at two sizes, on text whose words are as frequent as Zipf's law says. Files are not in the page cache
where this user may drop it. Writes bench/results/data-volume.{json,md}.
"""

import argparse
import datetime
import os
import sys
import tempfile
from pathlib import Path

import machine
import numpy as np
import pyspark
import results

from sparkgap import report
from sparkgap.profile import run as profiles

APPLICATION = """
import sys
from pyspark.ml import Pipeline, classification, clustering, feature
from pyspark.sql import SparkSession, functions as F

work, text, out, scale = *sys.argv[1:4], float(sys.argv[4])
spark = SparkSession.builder.getOrCreate()
lines = spark.read.text(text)
words = F.split("value", " ")


def classify():
    stages = [feature.HashingTF(inputCol="words", outputCol="features", numFeatures=10000),
              classification.NaiveBayes()]
    few = lines.limit(20000).select(words.alias("words"), (F.length("value") % 2).cast("double").alias("label"))
    model = Pipeline(stages=stages).fit(few)
    return model.transform(lines.select(words.alias("words"))).select(F.col("prediction").cast("string"))


def cluster():
    points = spark.range(0, int(scale * 1e6), 1, 8).select(
        F.array(*(F.rand(i) for i in range(20))).alias("features")).cache()
    points.count()
    return clustering.KMeans(k=8, maxIter=4, seed=1).fit(points)


if work == "word count":
    counted = lines.select(F.explode(words).alias("word")).groupBy("word").count()
    counted.selectExpr("concat(word, ' ', count)").write.text(out)
elif work == "grep":
    lines.where("value like '%the%'").write.text(out)
elif work == "sort":
    lines.sort("value").write.text(out)
elif work == "naive bayes":
    classify().write.text(out)
else:
    cluster()
spark.stop()
"""
WORKLOADS = ("word count", "grep", "sort", "naive bayes", "k-means")
# Columns of the table: parts that are told together.
GROUPS = {
    "CPU": ("cpu",),
    "GC": ("gc",),
    "files, shuffles": ("file_io", "shuffle_write", "fetch_wait"),
    "processors": ("run_queue",),
    "other waits": ("other_wait", "off_cpu"),
}
_VOCABULARY, _WORDS_OF_A_LINE, _BLOCK = 10_000, 12, 1 << 26


def write_text(folder, size, seed):
    """Files of text, `size` bytes of it in all. Blocks repeat; their lines are in another order each time."""
    folder.mkdir()
    draw = np.random.default_rng(seed)
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    vocabulary = np.array(
        ["the", *("".join(draw.choice(letters, draw.integers(3, 11))) for _ in range(_VOCABULARY - 1))]
    )
    share = 1 / np.arange(1, _VOCABULARY + 1)
    n = _BLOCK // (_WORDS_OF_A_LINE * 6)
    drawn = draw.choice(_VOCABULARY, (n, _WORDS_OF_A_LINE), p=share / share.sum())
    lines = [" ".join(row) for row in vocabulary[drawn].tolist()]
    written = number = 0
    while written < size:
        draw.shuffle(lines)
        text = "\n".join(lines).encode()[: max(1, size - written)]
        (folder / f"part-{number:03}").write_bytes(text + b"\n")
        written, number = written + len(text), number + 1


def forget_files():
    """Whether the kernel was told to drop what it has of files."""
    os.sync()
    try:
        Path("/proc/sys/vm/drop_caches").write_text("3\n")
    except OSError:
        return False
    return True


def once(work, text, size, folder, heap):
    is_cold = forget_files()
    submit = str(Path(pyspark.__file__).parent / "bin" / "spark-submit")
    options = ["--master", "local[2]", "--driver-memory", heap, "--conf", "spark.ui.enabled=false"]
    words = [submit, *options, folder / "app.py", work, text, folder / "written", str(size)]
    with (folder / "said").open("wb") as said:
        ended = profiles.run(list(map(str, words)), folder / "profile", {}, said)
    if ended.status != 0:
        raise RuntimeError(f"{work}: {(folder / 'said').read_text()[-2000:]}")
    found = report.load(folder / "profile")
    parts = {row["part"]: row["seconds"] for row in found.breakdown.to_pylist()}
    return {
        "wall_s": found.wall_s,
        "parts_s": parts,
        "spilled_bytes": int(found.application.tasks["disk_spilled"].sum()),
        "file_cache_dropped": is_cold,
    }


def busy(run):
    """Of the time in which slots had a task, the share of each group; and the seconds of that time."""
    shares = {name: sum(run["parts_s"][part] for part in parts) for name, parts in GROUPS.items()}
    whole = sum(shares.values()) + sum(run["parts_s"][part] for part in ("deserialize", "serialize", "scheduler"))
    return {name: seconds / whole for name, seconds in shares.items()}, whole


def markdown(result):
    lines = [
        results.measured_on(result),
        "",
        f"local[2], a heap of {result['heap']}, one run each. Text in GB, for k-means millions of points. *busy*:"
        " seconds of the wall time in which slots had a task; then what that was.",
        "",
        "| workload | size | wall s | busy s | " + " | ".join(GROUPS) + " | spilled GB |",
        "|---|---:|---:|---:|" + "---:|" * (len(GROUPS) + 1),
    ]
    for run in result["runs"]:
        shares, whole = busy(run)
        cells = " | ".join(f"{100 * share:.0f} %" for share in shares.values())
        spilled = f"{run['spilled_bytes'] / 1e9:.2f}"
        lines.append(f"| {run['work']} | {run['size']:g} | {run['wall_s']:.1f} | {whole:.1f} | {cells} | {spilled} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="0.25,2", help="of the text in GB, and of k-means' points in millions")
    parser.add_argument("--heap", default="1g")
    parser.add_argument("--workloads", default=",".join(WORKLOADS))
    parser.add_argument("--out", type=Path, default=results.PLACE, help="folder for the results")
    args = parser.parse_args()
    command = " ".join(["make bench-data-volume", *([f'ARGS="{" ".join(sys.argv[1:])}"'] if sys.argv[1:] else [])])
    result = {"date": datetime.date.today().isoformat(), "command": command, "machine": machine.describe()}
    result |= {"heap": args.heap, "runs": []}
    for size in map(float, args.sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            write_text(Path(folder) / "text", int(size * 1e9), 1)
            for number, work in enumerate(args.workloads.split(",")):
                own = Path(folder) / str(number)
                own.mkdir()
                (own / "app.py").write_text(APPLICATION)
                run = {"work": work, "size": size, **once(work, Path(folder) / "text", size, own, args.heap)}
                print(work, size, f"{run['wall_s']:.1f} s", file=sys.stderr, flush=True)
                result["runs"].append(run)
    print(markdown(result))
    print(results.keep("data-volume", result, markdown(result), args.out), file=sys.stderr)


if __name__ == "__main__":
    main()
