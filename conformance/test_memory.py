# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Memory of jobs: asked for before the ranks start, of Spark, whose caches yield, or of the host; never less than the
ranks take.
"""

import re
import subprocess
import sys
from pathlib import Path

import peaks
import pytest
from conftest import CONF
from memory_limit import limited
from pyspark import SparkContext, StorageLevel

import sparkgap
from sparkgap.errors import ResourceError

MIB = peaks.MIB
POOL = 256 * MIB
ROWS = 13_000_000
only_classic = pytest.mark.parametrize("spark", ["classic"], indirect=True)


def forget_the_serializer():
    """Spark makes one cache serializer per JVM; the next session may want another."""
    relation = SparkContext._jvm.java.lang.Class.forName("org.apache.spark.sql.execution.columnar.InMemoryRelation$")
    relation.getField("MODULE$").get(None).clearSerializer()


@pytest.fixture
def pool(own, store):
    """A session with a pool of off-heap memory, in which Spark's own cache stands."""
    forget_the_serializer()
    conf = {
        "spark.memory.offHeap.enabled": "true",
        "spark.memory.offHeap.size": POOL,
        "spark.memory.storageFraction": "0.1",
        "spark.sparkgap.store.cache": "false",
        "spark.sparkgap.store.dir": str(store.path),
    }
    yield sparkgap.session("local[2]", conf={**CONF, **conf})
    forget_the_serializer()


def stored(spark):
    """Bytes of cached tables in memory and on disk."""
    tables = list(spark._jsc.sc().getRDDStorageInfo())
    return sum(t.memSize() for t in tables), sum(t.diskSize() for t in tables)


def held(spark):
    """What tasks and jobs hold of the pool."""
    (detail,) = (row.detail for row in spark.sql("CALL sparkgap.launch.doctor()").collect() if row.check == "memory")
    return int(re.search(r"off-heap pool \d+ bytes, (\d+) held", detail).group(1))


def test_a_cached_table_yields(pool):
    edges = sparkgap.graph.rmat(scale=18, spark=pool)
    # Values that Spark cannot compress: 16 bytes a row.
    cached = pool.range(0, ROWS, 1, 12).selectExpr("xxhash64(id) a", "xxhash64(-id) b").persist(StorageLevel.OFF_HEAP)
    total = cached.selectExpr("sum(a % 1000 + b % 1000)").first()
    in_memory, on_disk = stored(pool)
    assert in_memory > ROWS * 15

    ranks = sparkgap.graph.pagerank(edges)
    asked = ranks.sparkgap.memory_bytes
    assert POOL - in_memory < asked < 0.9 * POOL, "it does not fit beside the cached table, and fits into the pool"
    assert ranks.sparkgap.memory_from == "spark"
    assert ranks.sparkgap.peak_rss_bytes < asked + edges.sparkgap.rows_out * 16
    now_in_memory, now_on_disk = stored(pool)
    assert now_in_memory <= POOL - asked, "the table has made room"
    assert now_on_disk - on_disk >= 0.9 * (in_memory - now_in_memory), "by going to disk"
    assert held(pool) == 0, "and the job has given it back"

    assert cached.selectExpr("sum(a % 1000 + b % 1000)").first() == total
    assert abs(ranks.selectExpr("sum(pagerank)").first()[0] - ranks.count()) < 1e-6
    cached.unpersist(blocking=True)


@only_classic
def test_a_limit_refuses_what_does_not_fit(spark, tmp_path):
    """A real one, of a control group. Files that the kernel has in memory count as free: it gives them up."""
    pid = spark._jvm.java.lang.ProcessHandle.current().pid()
    limit = 1 << 30
    with limited(pid, limit) as group:
        fill = (
            f'echo $$ > "$0/cgroup.procs" && exec dd if=/dev/zero of="$1" bs=1M count={int(0.95 * limit) // MIB}'
            " conv=fsync"
        )
        subprocess.run(
            ["sh", "-c", fill, str(group), str(tmp_path / "file")], check=True, capture_output=True, timeout=120
        )
        small = sparkgap.graph.rmat(scale=12, spark=spark).sparkgap
        assert small.memory_from == "host" and 0 < small.memory_bytes < limit / 4
        with pytest.raises(
            ResourceError,
            match=r"^memory of rmat: expected \d+ bytes for its ranks on \S+, found \d+ free\. Do unpersist tables, ",
        ) as refused:
            sparkgap.graph.rmat(scale=22, spark=spark)
        wanted, free = map(int, re.search(r"expected (\d+) .* found (\d+)", str(refused.value)).groups())
        assert limit / 4 < free < limit < wanted
    assert sparkgap.graph.rmat(scale=12, spark=spark).count() == 16 << 12


@pytest.fixture
def small_store(tmp_path):
    """A folder in memory with room for little."""
    folder = tmp_path / "memory"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m,mode=700", "none", folder], check=True)
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


ON_DISK = """
import sys
from pathlib import Path
import sparkgap
from conftest import CONF
from memory_limit import limited

memory, disk = sys.argv[1:]
places = {"spark.sparkgap.store.dir": memory, "spark.sparkgap.store.diskDir": disk, "spark.log.level": "WARN"}
spark = sparkgap.session("local[2]", conf={**CONF, **places})
rows = spark.range(0, 4_000_000, 1, 4)
edges = rows.selectExpr("pmod(xxhash64(id), 50000) src", "pmod(xxhash64(-id), 50000) dst", "double(1 + id % 97) w")
with sparkgap.graph.build(edges, weight="w") as graph:
    arcs = sum(file.stat().st_size for file in Path(disk).rglob("*.arrow"))
    for limit in (8 << 30, arcs):
        print("LIMIT", limit, file=sys.stderr, flush=True)
        with limited(spark._jvm.java.lang.ProcessHandle.current().pid(), limit):
            distances = graph.sssp(0)
        print(arcs, *distances.selectExpr("count(*)", "sum(distance)").first())
"""


def test_a_stored_graph_on_disk_that_memory_cannot_keep(small_store, tmp_path):
    """In a group of a real limit it says that its arcs are read again in each pass; the distances are the same."""
    command = [sys.executable, "-c", ON_DISK, small_store, tmp_path / "disk"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, cwd=Path(__file__).parent)
    assert done.returncode == 0, done.stderr
    free, full = done.stderr.split("LIMIT")[1:]
    graph = r"its graph has (\d+) bytes on disk, and (\d+) are free on \S+ beside its ranks"
    said = re.search(rf"sssp: {graph}.* in each pass, of about [\d.e+-]+ s\.", full)
    assert said is not None and "bytes on disk" not in free, done.stderr
    first, again = done.stdout.splitlines()
    assert first == again and 64 * MIB < int(said[1]) <= int(first.split()[0]) and int(said[2]) < int(said[1])


@only_classic
@pytest.mark.parametrize("name", ["R-MAT", "R-MAT, strings", "star", "pairs, any ids"])
def test_what_is_asked_for_is_taken(spark, name):
    edges = peaks.graphs(spark, 15)[name]
    edges.write.format("sparkgap").mode("overwrite").save("hard")
    table = spark.table("sparkgap.store.hard").where("w > rand() - 2")
    for kernel in ("degree", "components", "build") if name.endswith("strings") else peaks.KERNELS:
        for ranks in (1, 2) if kernel in ("pagerank", "components") else (1,):
            memory = peaks.measured(kernel, table, ranks=ranks, threads=2 // ranks)
            assert memory.taken > 0 and not memory.is_little and not memory.is_much(ranks), (kernel, ranks, memory)
    with sparkgap.graph.build(table, weight="w") as graph:
        for kernel in ("pagerank", "triangles"):
            memory = peaks.measured_on_graph(kernel, graph, table)
            assert not memory.is_little and not memory.is_much(1), (kernel, memory)
    spark.sql("DROP TABLE sparkgap.store.hard")


@only_classic
def test_what_learning_asks_for_is_taken(spark):
    """Models of many numbers, features times classes, clusters or topics, and many rows."""
    found = [
        (name, kernel, peaks.learnt(kernel, rows, ranks=1, threads=2, **given))
        for name, kernel, rows, given in peaks.models(spark, 1 << 14)
    ]
    assert not any(memory.is_little or memory.is_much(1) for *_, memory in found), found
    assert all(memory.asked > 20 * (8 << 14) for name, _, memory in found if name == "wide"), found


def test_hosts_ask_their_executors(hosts):
    """Each has a pool of 96 MB, of which the rank of this job takes more than a quarter: the next ones miss what is not
    given back.
    """
    edges = hosts.createDataFrame([(i, i * 7 % 300) for i in range(300)], "src bigint, dst bigint")
    for _ in range(5):
        found = sparkgap.graph.degree(edges)
        assert (found.sparkgap.ranks, found.sparkgap.memory_from) == (3, "spark")
        assert 3 * 26 * MIB <= found.sparkgap.memory_bytes < 3 * 36 * MIB
        assert found.selectExpr("sum(degree)").first()[0] == 600
