# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make bench-cache`: df.cache() in the store beside Spark's default cache and Spark's own Arrow cache.

Three tables: building and scanning 20 M rows; throughput as data outgrow a heap of 1 GB; four applications at once
under one memory limit (control groups of version 1, as root). Rounds are interleaved, each cell in a fresh process.
Writes bench/results/cache.{json,md}.
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import machine
import results
from cache_engine import ROW_BYTES

ROOT = Path(__file__).resolve().parent.parent
# name: (cache, heap, what is written beside the figures)
CELLS = {
    "store": ("store", "1g", "sparkgap, heap 1 GB"),
    "default fits": ("default", "6g", "Spark's default, heap 6 GB (fits)"),
    "default spills": ("default", "1g", "Spark's default, heap 1 GB (spills)"),
    "arrow fits": ("arrow", "6g", "Spark's Arrow cache, heap 6 GB"),
}
VOLUMES = (0.25, 1, 2, 4)
LIMIT = Path("/sys/fs/cgroup/memory/sparkgap-bench")


def run(cache, heap, rows, *more, enter=None, timeout_s=900):
    command = [
        sys.executable,
        str(ROOT / "bench" / "cache_engine.py"),
        cache,
        "--heap",
        heap,
        "--rows",
        str(rows),
        *more,
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, preexec_fn=enter)
    except subprocess.TimeoutExpired:
        return {"failed": f"no end in {timeout_s} s"}
    if done.returncode != 0:
        return {"failed": (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1][:200]}
    return json.loads(done.stdout.strip().splitlines()[-1])


def spread(values):
    return {"median": statistics.median(values), "least": min(values), "most": max(values)} if values else None


def figures(runs):
    """Over rounds; a scan's figure is the median of its repeats."""
    good = [r for r in runs if "failed" not in r]
    out = {"failed": [r["failed"] for r in runs if "failed" in r]}
    for key in ("wall_s", "cpu_s", "gc_s"):
        out[f"build_{key}"] = spread([r["build"][key] for r in good])
        for what in ("one", "three"):
            out[f"{what}_{key}"] = spread([statistics.median(s[key] for s in r[what]) for r in good])
    out["heap_bytes"] = spread([r["heap_bytes"] for r in good])
    out["sums"] = sorted({json.dumps(r["three"][0]["value"]) for r in good})
    return out


def columns(args):
    runs = {name: [] for name in CELLS}
    for round_ in range(args.rounds):
        for name, (cache, heap, _) in CELLS.items():
            print(f"round {round_ + 1}: {name}", file=sys.stderr, flush=True)
            runs[name].append(run(cache, heap, args.rows))
    return {name: figures(all_) for name, all_ in runs.items()}


def volumes(args):
    """Rows per second of repeated three-column scans at shares of a heap of 1 GB."""
    table = []
    for share in VOLUMES:
        rows = int(share * 2**30 / ROW_BYTES)
        for cache in ("store", "default"):
            print(f"volume {share}: {cache}", file=sys.stderr, flush=True)
            done = run(cache, "1g", rows, "--scans", "1", "--seconds", str(args.seconds))
            table.append(
                {"share": share, "cache": cache, "rows": rows, **(done.get("steady") or {"failed": done["failed"]})}
            )
    return table


def together(args):
    """Four applications at once under one limit: each has a heap of a quarter less its share of the store."""
    if not LIMIT.parent.is_dir() or os.geteuid() != 0:
        return {"failed": "needs control groups of version 1 and root"}
    budget, apps, rows = args.budget_mb << 20, 4, args.together_rows
    LIMIT.mkdir(exist_ok=True)
    table = []
    try:
        for cache, heap_mb in (("store", args.small_heap_mb), ("default", (args.budget_mb - 400) // apps - 300)):
            (LIMIT / "memory.limit_in_bytes").write_text(str(budget))
            print(f"four together: {cache}, heap {heap_mb} MB", file=sys.stderr, flush=True)
            quota = ["--memory", f"{args.budget_mb - 400 - apps * (heap_mb + 300)}m"] if cache == "store" else []

            def enter():
                (LIMIT / "cgroup.procs").write_text(str(os.getpid()))

            words = (cache, f"{heap_mb}m", rows, "--scans", "1", "--seconds", str(args.seconds), *quota)
            with concurrent.futures.ThreadPoolExecutor(apps) as pool:
                started = [pool.submit(run, *words, enter=enter) for _ in range(apps)]
                done = [one.result() for one in started]
            good = [d["steady"] for d in done if "failed" not in d]
            table.append(
                {
                    "cache": cache,
                    "heap_mb": heap_mb,
                    "store_mb": int(quota[1][:-1]) if quota else 0,
                    "apps": apps,
                    "ended_well": len(good),
                    "rows_per_s": sum(g["rows_per_s"] for g in good),
                    "gc_share": statistics.mean(g["gc_share"] for g in good) if good else None,
                    "failed": [d["failed"] for d in done if "failed" in d],
                }
            )
    finally:
        LIMIT.rmdir()
    return {"budget_mb": args.budget_mb, "rows": rows, "table": table}


def markdown(result):
    m = result["machine"]
    lines = [
        f"{m['processor']}, {m['cores']} cores, {m['memory_bytes'] / 2**30:.0f} GiB; Java {m['java']}, Spark"
        f" {m['packages']['pyspark']}; load {m['load_1min']} at start; commit"
        f" {m['commit']}{' + changes' if m['changed'] else ''}; {result['date']}; `{result['command']}`."
    ]
    if result.get("columns"):
        lines += [
            "",
            (
                f"{result['rows'] / 1e6:.0f} M rows (long, long, double), which no codec of Spark makes smaller; median"
                f" (least to most) of {result['rounds']} interleaved rounds, G1."
            ),
            "",
        ]
        lines += [
            (
                "| cache | build wall s | build CPU s | heap added MB | 1 column wall s | CPU s | 3 columns wall s |"
                " CPU s |"
            ),
            "|---" + "|---:" * 7 + "|",
        ]
        for name, f in result["columns"].items():
            cells = [_cell(f[key]) for key in ("build_wall_s", "build_cpu_s")] + [_cell(f["heap_bytes"], 2**20, 1)]
            cells += [_cell(f[key]) for key in ("one_wall_s", "one_cpu_s", "three_wall_s", "three_cpu_s")]
            lines.append(f"| {CELLS[name][2]} | {' | '.join(cells)} |")
        sums = {s for f in result["columns"].values() for s in f["sums"]}
        lines += ["", "All sums are equal." if len(sums) == 1 else f"**SUMS DIFFER**: {sums}"]
    if result.get("volumes"):
        lines += [
            "",
            "Repeated scans of three columns as data outgrow a heap of 1 GB:",
            "",
            "| data / heap | cache | M rows/s | GC share |",
            "|---:|---|---:|---:|",
        ]
        for v in result["volumes"]:
            lines.append(
                f"| {v['share']} | {v['cache']} | {v['rows_per_s'] / 1e6:.1f} | {v['gc_share']:.1%} |"
                if "rows_per_s" in v
                else f"| {v['share']} | {v['cache']} | failed: {v['failed']} | |"
            )
    if result.get("together", {}).get("table"):
        t = result["together"]
        lines += [
            "",
            f"Four applications at once under one limit of {t['budget_mb']} MB, {t['rows'] / 1e6:.0f} M rows each:",
            "",
        ]
        lines += [
            "| cache | heap of each MB | store MB | ended well | M rows/s together | GC share |",
            "|---|---:|---:|---:|---:|---:|",
        ]
        for r in t["table"]:
            share = f"{r['gc_share']:.1%}" if r["gc_share"] is not None else ""
            lines.append(
                f"| {r['cache']} | {r['heap_mb']} | {r['store_mb']} | {r['ended_well']} of {r['apps']} |"
                f" {r['rows_per_s'] / 1e6:.1f} | {share} |"
            )
    return "\n".join(lines) + "\n"


def _cell(s, unit=1, digits=2):
    return (
        "failed"
        if s is None
        else f"{s['median'] / unit:.{digits}f} ({s['least'] / unit:.{digits}f} to {s['most'] / unit:.{digits}f})"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20, help="of repeated scans per cell")
    parser.add_argument("--budget-mb", type=int, default=6000)
    parser.add_argument("--small-heap-mb", type=int, default=512)
    parser.add_argument("--together-rows", type=int, default=30_000_000)
    parser.add_argument("--parts", default="columns,volumes,together")
    args = parser.parse_args()
    result = {
        "date": datetime.date.today().isoformat(),
        "command": "make bench-cache",
        "rows": args.rows,
        "rounds": args.rounds,
        "machine": machine.describe(),
    }
    for part in args.parts.split(","):
        result[part] = {"columns": columns, "volumes": volumes, "together": together}[part](args)
    print(markdown(result))
    print(results.keep("cache", result, markdown(result)), file=sys.stderr)


if __name__ == "__main__":
    main()
