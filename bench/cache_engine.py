# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""One cache, one heap, one table, in a process of its own: `python bench/cache_engine.py CACHE --heap 1g --rows N`
prints JSON.

The table is (long, long, double) of distinct values far apart, which Spark's codecs do not make smaller. It is computed
once, counted, and scanned: one column and all three.
"""

import argparse
import json
import time
from pathlib import Path

import sparkgap
from sparkgap import processes

ARROW = "org.apache.spark.sql.execution.columnar.ArrowCachedBatchSerializer"
CACHES = {
    "store": {},
    "default": {"spark.sparkgap.store.cache": "false"},
    "arrow": {"spark.sparkgap.store.cache": "false", "spark.sql.cache.serializer": ARROW},
}
ROW_BYTES = 24
SCANS = {"one": "sum(a)", "three": "sum(a), sum(b), sum(c)"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cache", choices=CACHES)
    parser.add_argument("--heap", default="1g")
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--scans", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory", default="", help="quota of the store's memory tier")
    parser.add_argument("--seconds", type=float, default=0, help="go on scanning three columns for so long")
    args = parser.parse_args()
    # Of a fixed size: a heap that may grow is kept small by G1, which then collects for each 4 MB buffer of Spark's
    # broadcasts.
    settings = {
        "spark.driver.memory": args.heap,
        "spark.ui.enabled": "false",
        "spark.driver.host": "localhost",
        "spark.driver.extraJavaOptions": f"-XX:+UseG1GC -Xms{args.heap}",
        "spark.sql.shuffle.partitions": str(args.threads),
        **CACHES[args.cache],
    }
    if args.memory:
        settings["spark.sparkgap.store.memoryBytes"] = args.memory
    spark = sparkgap.session(f"local[{args.threads}]", conf=settings)
    java = spark._jvm.java.lang
    collectors = list(java.management.ManagementFactory.getGarbageCollectorMXBeans())

    def gc_s():
        return sum(c.getCollectionTime() for c in collectors) / 1e3

    def heap():
        java.System.gc()
        return java.Runtime.getRuntime().totalMemory() - java.Runtime.getRuntime().freeMemory()

    def measured(body):
        cpu, gc, start = processes.cpu_s(), gc_s(), time.monotonic()
        value = body()
        return {
            "wall_s": time.monotonic() - start,
            "cpu_s": processes.cpu_s() - cpu,
            "gc_s": gc_s() - gc,
            "value": value,
        }

    def scan(data, what):
        return [round(v, 3) for v in data.selectExpr(*SCANS[what].split(", ")).first()]

    def table(rows):
        return spark.range(0, rows, 1, max(args.threads, rows // 2_500_000)).selectExpr(
            "id * 307 a", "id * 211 b", "id * 0.7071067811D c"
        )

    # The JVM's compiler comes to its end before anything counts: by tables that fit into every heap.
    for n in range(4):
        small = table(1_500_000 + n).cache()
        [scan(small, what) for _ in range(3) for what in SCANS]
        small.unpersist(blocking=True)
    before = heap()
    data = table(args.rows).cache()
    figures = {"build": measured(data.count)}
    figures["heap_bytes"] = heap() - before
    for what in SCANS:
        figures[what] = [measured(lambda what=what: scan(data, what)) for _ in range(args.scans)]
    if args.seconds:
        end, rows, start = time.monotonic() + args.seconds, 0, time.monotonic()
        cpu, gc = processes.cpu_s(), gc_s()
        while time.monotonic() < end:
            scan(data, "three")
            rows += args.rows
        wall = time.monotonic() - start
        figures["steady"] = {
            "rows_per_s": rows / wall,
            "gc_share": (gc_s() - gc) / wall,
            "cpu_s": processes.cpu_s() - cpu,
            "wall_s": wall,
        }
    figures["store"] = [t for t in sparkgap.store.ls() if t["kind"] == "cache"]
    figures["rss"] = _rss(next(p.pid for p in processes.tree() if p.name == "java"))
    print(json.dumps(figures), flush=True)
    spark.stop()


def _rss(pid):
    """Bytes by kind: RssAnon is heap and the JVM's own, RssShmem and RssFile are mapped tables."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {line.split(":")[0]: int(line.split()[1]) << 10 for line in lines if line.startswith("Rss")}


if __name__ == "__main__":
    main()
