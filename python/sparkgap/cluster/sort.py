# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A program of Spark that shuffles much and computes little: `python -m sparkgap.cluster.sort BYTES` sorts records of
100 bytes by random keys of ten, as TeraSort does, and checks that partitions follow each other with nothing lost.
"""

from __future__ import annotations

import itertools
import sys

_RECORD, _PARTITION = 100, 64 << 20


def main(size: int) -> int:
    """Sort so many bytes; 1 where the result is wrong."""
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    spark = SparkSession.builder.getOrCreate()
    rows, parts = size // _RECORD, max(2, size // _PARTITION)
    spark.conf.set("spark.sql.shuffle.partitions", parts)
    key = F.substring(F.sha1(F.col("id").cast("string")), 1, 10)
    filler = F.concat(F.lpad(F.hex("id"), 16, "0"), F.repeat(F.chr(F.lit(65) + F.col("id") % 26), 74))
    records = spark.range(0, rows, 1, parts).select(key.alias("key"), filler.alias("value"))
    # The number of the partition keeps the sort, and the length the records, from being left out as of no use.
    placed = records.sort("key").withColumn("part", F.spark_partition_id())
    said = [F.min("key").alias("least"), F.max("key").alias("most"), F.sum(F.length("value") + 10).alias("bytes")]
    bounds = placed.groupBy("part").agg(*said)
    found = bounds.sort("part").collect()
    spark.stop()
    in_order = all(one["most"] <= other["least"] for one, other in itertools.pairwise(found))
    total = sum(each["bytes"] for each in found)
    if total != rows * _RECORD or not in_order:
        print(f"sort: expected {rows * _RECORD} bytes in order, found {total}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
