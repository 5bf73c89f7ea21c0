# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make bench-ml`: estimators from a cached DataFrame to the model on the driver, beside MLlib and scikit-learn (with
scikit-learn-intelex where it is installed).

Planted data of 2 M rows (words: 100,000 documents, for topics 170,000 with 10 M numbers); each cell in a fresh process,
rounds interleaved. What has no end in time counts as a lower bound. How good a model is, numpy computes for all engines
alike. Writes bench/results/ml.{json,md}.
"""

import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import machine
import numpy as np
import results
from ml_tasks import TASKS, WIDTH, folder, quality, work, write

ROOT = Path(__file__).resolve().parent.parent
ENGINES = ("native", "spark", "sklearn")
AROUND_S = 400  # for what a process does besides its fit


def run(engine, name, data, args, out):
    """The figures of one process; {"failed": why} where it did not end well."""
    command = [
        sys.executable,
        str(ROOT / "bench" / "ml_engine.py"),
        engine,
        name,
        "--data",
        str(data),
        "--out",
        str(out),
        "--threads",
        str(args.threads),
    ]
    environ = {**os.environ, "OMP_NUM_THREADS": str(args.threads), "OPENBLAS_NUM_THREADS": str(args.threads)}
    done = subprocess.run(
        [*command, "--timeout", str(AROUND_S + args.timeout)], capture_output=True, text=True, env=environ
    )
    if done.returncode == -14:
        return {"failed": f"no end in {args.timeout} s", "deadline_s": args.timeout}
    if done.returncode != 0:
        return {"failed": (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1][:200]}
    figures = json.loads(done.stdout.strip().splitlines()[-1])
    if engine == "native":
        figures["work"] = work(TASKS[name], data, figures["rows"], figures["call"]["iterations"])
    with np.load(out) as model:
        return {**figures, "quality": quality(TASKS[name], data, dict(model))}


def measure(args):
    """{task: {engine: [figures of each round]}}"""
    runs = {name: {engine: [] for engine in args.engines} for name in args.tasks}
    place = folder(ROOT)
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(args.rounds):
            for name in args.tasks:
                task = TASKS[name]
                rows = max(WIDTH.get(task.data, 20) * 100, int(task.rows * args.share))
                data = place / f"ml-{task.data}-{rows}.parquet"
                write(task.data, rows, data)
                for engine in args.engines:
                    if (
                        (engine == "sklearn" and task.name == "LDA")
                        or (engine == "spark" and number >= args.mllib_rounds)
                        or any("failed" in r for r in runs[name][engine])
                    ):
                        continue
                    found = run(engine, name, data, args, Path(scratch) / "model.npz")
                    runs[name][engine].append(found)
                    print(
                        f"round {number + 1}/{args.rounds} {name} {engine}:"
                        f" {found.get('failed') or format(found['wall_s'], '.2f') + ' s'}",
                        file=sys.stderr,
                        flush=True,
                    )
    return runs


def median(runs, *path):
    values = []
    for found in runs:
        for key in path:
            found = found.get(key) if isinstance(found, dict) else None
        if found is not None:
            values.append(found)
    return statistics.median(values) if values else None


def _bound_s(described, name, ours):
    """Seconds below which no kernel can be."""
    if not ours or "work" not in ours[0]:
        return None
    moved, done = ours[0]["work"]
    speed = described["product_gflop_per_s"] * (2 if TASKS[name].name == "LDA" else 1)
    return max(moved / 1e9 / described["triad_gb_per_s"] if described["triad_gb_per_s"] else 0, done / 1e9 / speed)


def text(value, form=".2f"):
    return "" if value is None else format(value, form)


def markdown(result):
    m = result["machine"]
    intelex = m["packages"]["scikit-learn-intelex"]
    intelex = f", intelex {intelex}" if intelex else ""
    lines = [
        (
            f"Cached DataFrame to model on the driver, seconds of wall time, median of {result['rounds']} interleaved"
            f" rounds (MLlib {result['mllib_rounds']}), a fresh process each. {m['processor']}, {m['cores']} cores,"
            f" {m['triad_gb_per_s'] or 0:.1f} GB/s triad; Java {m['java']}, Spark {m['packages']['pyspark']},"
            f" scikit-learn {m['packages']['scikit-learn']}{intelex}; "
            f"load {m['load_1min']} at start; commit {m['commit']}{' + changes' if m['changed'] else ''};"
            f" {result['date']}; `{result['command']}`. Ours from a table that df.cache() keeps in the store, MLlib"
            " from Spark's own cache (heap 12 GB, Parallel, Kryo), scikit-learn from arrays. *Kernel*: compute, called"
            f" from Spark. *Bound*: bytes over the triad's or operations over {m['product_gflop_per_s']:.0f} Gflop/s,"
            " numpy's matrix product (LDA twice that), whichever is more; above 100 % is faster than that product."
            " *Quality*: mean squared error, log loss or squared distance; naive Bayes: hits."
        ),
        "",
        (
            "| task | rows | ours | CPU s | export | kernel | its bound | reached | MLlib | its CPU s | times |"
            " scikit-learn | its/kernel | copied B/row | ranks' peak B/row | quality: ours | MLlib | scikit-learn |"
        ),
        "|---|" + "---:|" * 17,
    ]
    budgets = ["", "| budget (quiet machine, 2 cores) | wanted | measured | |", "|---|---:|---:|---|"]
    for name, engines in result["runs"].items():
        ours, theirs, peer = (engines.get(e, []) for e in ENGINES)
        wall, kernel, rows = median(ours, "wall_s"), median(ours, "call", "phases", "compute_s"), median(ours, "rows")
        deadline = next((r["deadline_s"] for r in theirs if "deadline_s" in r), None)
        spark = deadline or median(theirs, "wall_s")
        times = spark / wall if spark and wall else None
        sk = median(peer, "wall_s")
        per_row = [
            median(ours, "call", key) / rows if rows and median(ours, "call", key) is not None else None
            for key in ("bytes_copied", "peak_rss_bytes")
        ]
        mark = ">" if deadline else ""
        bound = _bound_s(m, name, ours)
        cells = [
            name,
            text(rows, ",.0f"),
            text(wall),
            text(median(ours, "cpu_s")),
            text(median(ours, "call", "phases", "export_s")),
            text(kernel, ".3f"),
            text(bound, ".3f"),
            text(bound / kernel if bound and kernel else None, ".0%"),
            mark + text(spark),
            text(median(theirs, "cpu_s")),
            mark + text(times, ".1f"),
            text(sk),
            text(sk / kernel if sk and kernel else None, ".1f"),
            *(text(v, ".0f") for v in per_row),
            *(text(median(e, "quality"), ".6g") for e in (ours, theirs, peer)),
        ]
        lines.append("| " + " | ".join(cells) + " |")
        task = TASKS[name]
        if times:
            budgets.append(
                f"| {name}, MLlib's time over ours | at least {task.budget} x | {mark}{times:.1f} x |"
                f" {'reached' if times >= task.budget else 'missed'} |"
            )
        predict = [median(each, "predict_s") for each in (ours, theirs, peer)]
        if times and task.predicts:
            budgets.append(
                f"| {name}, fit and predict: {wall + predict[0]:.2f} s, MLlib {spark + predict[1]:.2f} s, scikit-learn"
                f" {text(sk and sk + predict[2])} s | | {(spark + predict[1]) / (wall + predict[0]):.1f} x | |"
            )
        if kernel:
            budgets.append(
                f"| {name} kernel | at most {task.kernel_s} s | {kernel:.3f} s |"
                f" {'reached' if kernel <= task.kernel_s else 'missed'} |"
            )
    failed = [
        f"- {name} {engine}: {r['failed']}"
        for name, engines in result["runs"].items()
        for engine, all_ in engines.items()
        for r in all_
        if "failed" in r
    ]
    return "\n".join([*lines, *budgets, *([""] if failed else []), *failed, ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--mllib-rounds", type=int, help="of these; all where not given")
    parser.add_argument("--share", type=float, default=1.0, help="of the rows")
    parser.add_argument("--tasks", default=",".join(TASKS), help="comma-separated, of " + ", ".join(TASKS))
    parser.add_argument("--engines", default=",".join(ENGINES), help="comma-separated, of " + ", ".join(ENGINES))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=400, help="seconds for each fit")
    args = parser.parse_args()
    args.mllib_rounds = args.rounds if args.mllib_rounds is None else args.mllib_rounds
    args.tasks, args.engines = args.tasks.split(","), args.engines.split(",")
    given = " ".join(sys.argv[1:])
    described = {
        **machine.describe(),
        "triad_gb_per_s": machine.triad_gb_per_s(args.threads),
        "product_gflop_per_s": machine.product_gflop_per_s(args.threads),
    }
    result = {
        "date": datetime.date.today().isoformat(),
        "command": f'make bench-ml ARGS="{given}"' if given else "make bench-ml",
        "rounds": args.rounds,
        "mllib_rounds": args.mllib_rounds,
        "machine": described,
    }
    result["runs"] = measure(args)
    print(markdown(result))
    print(results.keep("ml", result, markdown(result)), file=sys.stderr)


if __name__ == "__main__":
    main()
