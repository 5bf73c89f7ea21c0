# Copyright 2026 the sparkgap authors. Over 400 lines: they share three hosts.
# SPDX-License-Identifier: Apache-2.0
"""Kernels whose ranks run on three hosts of a real Spark cluster, compared with one rank on the driver's host."""

import os
import random
import re
import socket
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import pyarrow as pa
import pytest
from conftest import CONF, JVM, ROOT, ranks_of, wait_for
from match import compare
from pyspark import TaskContext
from test_affinity import ALL, COMMAND, MASK, NODES, cpus, executors_are_disjoint

import sparkgap
from sparkgap import claimed_cpus, spec
from sparkgap.errors import ArgumentError

HOSTS = 3
KERNELS = [n for n in spec.names() if any(i.stored_graph for i in spec.load(n).inputs)]
IDS = {"bigint": lambda i: i * 1_000_003 - 17, "string": lambda i: f"v{i}" if i % 7 else "é" * i + "'s"}
SOURCE = 3


def rows(kind):
    """Edges with many common ends, loops, repeats and a part of its own, the same at each call."""
    rng = random.Random(11)
    name = IDS[kind]
    pairs = [(int(rng.paretovariate(0.6)) % 300, rng.randrange(300)) for _ in range(2500)]
    return [
        (name(u), name(v), round(rng.random() * 9, 2)) for u, v in [*pairs, (SOURCE, SOURCE), (400, 401), (401, 400)]
    ]


def frame(spark, kind):
    return spark.createDataFrame(rows(kind), f"src {kind}, dst {kind}, w double")


def given(kernel, kind):
    """The arguments of a call that gives the same whatever order rows come in."""
    needed = {p.name: IDS[kind](SOURCE) for p in spec.load(kernel).parameters if p.required}
    # The other variant breaks ties by the order in which ids are met.
    return (
        needed
        | ({"variant": "ldbc"} if kernel == "labelprop" else {})
        | ({"weight": "w"} if any(p.name == "weight" for p in spec.load(kernel).parameters) else {})
    )


def agree(kernel, found, expected):
    match = compare(found, expected, **spec.load(kernel).match)
    assert match.ok, (kernel, match.why)


def in_order(table):
    """The rows of a table, whose own order is free."""
    return sorted(zip(*(column.to_pylist() for column in table.columns), strict=True))


@pytest.fixture(scope="module")
def alone(sessions):
    """What one rank on the driver's host gives, for each kernel and kind of ids; made before the session on the hosts
    is.
    """
    spark = sessions.of("classic")
    found = {}
    for kind in IDS:
        edges = frame(spark, kind)
        for kernel in KERNELS:
            found[kernel, kind] = getattr(sparkgap.graph, kernel)(
                edges, threads=1, ranks=1, **given(kernel, kind)
            ).toArrow()
        with sparkgap.graph.build(edges, weight="w", threads=1) as g:
            found["build", kind] = g.vertices.toArrow()
    found["rmat"] = sparkgap.graph.rmat(scale=7, edge_factor=4, seed=5, threads=1, spark=spark).toArrow()
    return found


@pytest.fixture
def far(alone, hosts):
    return hosts


@pytest.fixture(scope="module")
def graphs():
    """Graphs that stay for the module's tests, by kind of ids."""
    return {}


def ours(cluster):
    """What of ours lies on the hosts, homes and locks aside: segments, jobs, and what MPI leaves."""
    files = (f"{h.name}:{f}" for h in cluster.hosts for f in h.files())
    return sorted(
        f for f in files if f.endswith(".arrow") or "/jobs/" in f or "mpich" in f or "hydra" in f or "ucx" in f
    )


def made_since(before, cluster):
    """What of ours was not there before. What earlier tests dropped may go meanwhile."""
    return sorted(set(ours(cluster)) - set(before))


def test_every_kernel_is_here():
    made = {n for n in spec.names() if spec.load(n).makes_graph or not spec.load(n).inputs}
    assert {n for n in spec.names() if spec.load(n).family == "graph"} == set(KERNELS) | made
    assert made == {"build", "rmat"}


def test_a_plain_spark_job_runs_on_all_hosts(far, cluster):
    def where(_):
        return [(socket.gethostname(), os.getppid() != 1, tuple(sorted(os.listdir("/sys/class/net"))))]

    # As a barrier stage, whose tasks all run at once.
    found = set(far.sparkContext.parallelize(range(6), 6).barrier().mapPartitions(where).collect())
    assert found == {(h.name, True, ("eth0", "lo")) for h in cluster.hosts}
    assert [e.host for e in cluster.executors()] == [1, 2, 3]
    assert len({cluster.executor_pid(i) for i in (1, 2, 3)} | {cluster.worker_pid(i) for i in (1, 2, 3)}) == 6
    assert cluster.alive_workers() == [h.address for h in cluster.hosts]
    assert far.range(1000).repartition(6).selectExpr("sum(id)").first()[0] == 499500, "and shuffles cross the network"


# Every kernel with both kinds of ids: integers from tables, strings from graphs; what is common to all, once the other
# way round.
@pytest.mark.parametrize(("kernel", "kind"), [*((k, "bigint") for k in KERNELS), ("labelprop", "string")])
def test_kernel_from_tables(far, cluster, alone, kernel, kind):
    edges, run = frame(far, kind), getattr(sparkgap.graph, kernel)
    before = ours(cluster)
    tables = []
    for ranks in (None, 6):
        found = run(edges, ranks=ranks, threads=1, **given(kernel, kind))
        assert (found.sparkgap.ranks, found.sparkgap.rows_in) == (ranks or HOSTS, len(rows(kind)))
        agree(kernel, found, alone[kernel, kind])
        tables.append(found.sparkgap.table)
    written = {f.partition(":")[0] for f in ours(cluster) if f not in before}
    assert written == {h.name for h in cluster.hosts}, "each host has its part of the result"
    for table in tables:
        far.sql(f"DROP TABLE {table}")
    wait_for("the results to go", lambda: not made_since(before, cluster), found=lambda: made_since(before, cluster))


@pytest.mark.parametrize(("kernel", "kind"), [*((k, "string") for k in KERNELS), ("pagerank", "bigint")])
def test_kernel_from_a_graph(far, alone, graphs, kernel, kind):
    if kind not in graphs:
        graphs[kind] = sparkgap.graph.build(frame(far, kind), weight="w", name=f"far_{kind}")
    for ranks in (3, 6):
        found = getattr(graphs[kind], kernel)(ranks=ranks, threads=1, **given(kernel, kind))
        figures = found.sparkgap
        assert (figures.ranks, figures.bytes_copied, figures.rows_in) == (ranks, 0, len(rows(kind)))
        agree(kernel, found, alone[kernel, kind])


def test_ranks_have_processors_of_their_own(far, cluster, alone):
    """On each host for itself: where one has too few, those of the others still have theirs."""
    far.conf.set("spark.sparkgap.launch.affinity", "pu")
    try:
        found = sparkgap.graph.pagerank(frame(far, "bigint"), ranks=6, threads=1, weight="w")
        agree("pagerank", found, alone["pagerank", "bigint"])
        bound = found.sparkgap.rank_cpus
        assert Counter(rank["host"] for rank in bound) == dict.fromkeys((h.address for h in cluster.hosts), 2)
        assert len({(rank["host"], rank["cpus"]) for rank in bound}) == 6 and all(
            rank["cpus"].isdigit() for rank in bound
        )
        crowded = sparkgap.mpi.run("true", ranks=4, threads=len(ALL) // 2 + 1).sparkgap.rank_cpus
        assert [rank["cpus"] is None for rank in crowded] == [True, True, False, False]
        far.conf.set("spark.sparkgap.launch.ranks", "numa")
        each = sparkgap.mpi.run("true").sparkgap
        nodes = sum(bool(node & set(ALL)) for node in NODES)
        assert each.ranks == HOSTS * min(nodes, cluster.cores) and all(rank["cpus"] for rank in each.rank_cpus)
        far.conf.set("spark.sparkgap.launch.ranks", "host")
        assert sparkgap.mpi.run("true").sparkgap.ranks == HOSTS
    finally:
        far.conf.unset("spark.sparkgap.launch.affinity")
        far.conf.unset("spark.sparkgap.launch.ranks")
    assert [claimed_cpus.holders(h.root / "dev/shm/sparkgap-cpus") for h in cluster.hosts] == [[]] * HOSTS


@pytest.mark.parametrize("kind", IDS)
@pytest.mark.parametrize("ranks", [3, 6])
def test_build(far, cluster, alone, kind, ranks):
    before = ours(cluster)
    with sparkgap.graph.build(frame(far, kind), weight="w", ranks=ranks, threads=1) as g:
        assert (g.call.ranks, g.n_edges) == (ranks, len(rows(kind)))
        agree("build", g.vertices, alone["build", kind])
    wait_for("the graph to go", lambda: not made_since(before, cluster), found=lambda: made_since(before, cluster))


@pytest.mark.parametrize("ranks", [1, 3, 6])
def test_rmat(far, alone, ranks):
    found = sparkgap.graph.rmat(scale=7, edge_factor=4, seed=5, ranks=ranks, threads=1, spark=far)
    assert found.sparkgap.ranks == ranks
    assert in_order(found.toArrow()) == in_order(alone["rmat"])


def test_results_are_inputs(far, alone):
    """A result stays where its ranks were; the next call's ranks go there, and nothing is copied."""
    made = sparkgap.graph.rmat(scale=7, edge_factor=4, seed=5, ranks=3, threads=1, spark=far)
    found = sparkgap.graph.components(made)
    assert (found.sparkgap.ranks, found.sparkgap.bytes_copied) == (3, 0)
    pairs = list(zip(*(alone["rmat"][c].to_pylist() for c in ("src", "dst")), strict=True))
    assert found.count() == len({i for pair in pairs for i in pair})
    joined = found.join(made, found.id == made.src).select("src", "dst", "component")
    assert joined.count() == made.count() == len(pairs)
    again = sparkgap.graph.degree(joined.select("component", "dst"), src="component", dst="dst")
    assert again.selectExpr("sum(out_degree)").first()[0] == len(pairs)
    saved = joined.where("src % 2 = 0")
    saved.write.format("sparkgap").mode("overwrite").save("even")
    assert far.read.format("sparkgap").load("even").count() == sum(u % 2 == 0 for u, _ in pairs)
    assert sparkgap.graph.degree(far.read.format("sparkgap").load("even")).sparkgap.bytes_copied == 0
    far.sql("DROP TABLE sparkgap.store.even")


def test_cached_tables_are_inputs(far, alone):
    edges = frame(far, "bigint").cache()
    assert edges.count() == len(rows("bigint"))
    try:
        found = sparkgap.graph.triangles(edges)
        assert (found.sparkgap.ranks, found.sparkgap.bytes_copied) == (HOSTS, 0)
        agree("triangles", found, alone["triangles", "bigint"])
    finally:
        edges.unpersist(blocking=True)


def test_rows_on_some_hosts_only(far):
    """One partition lies on one host: one rank there is enough, and it is not the driver's."""
    few = far.createDataFrame([(1, 2), (2, 3), (3, 1)], "src bigint, dst bigint").coalesce(1)
    found = sparkgap.graph.degree(few)
    assert found.sparkgap.ranks == 1
    assert {tuple(r) for r in found.collect()} == {(1, 1, 1, 2), (2, 1, 1, 2), (3, 1, 1, 2)}


def test_more_hosts_than_rows(far):
    """The vertices lie on three hosts, so there are three ranks for the one edge."""
    edge = far.createDataFrame([(1, 2)], "src bigint, dst bigint").coalesce(1)
    everybody = far.createDataFrame([(i,) for i in range(12)], "id bigint")
    found = sparkgap.graph.degree(edge, vertices=everybody)
    assert found.sparkgap.ranks == HOSTS
    assert {r.id: r.degree for r in found.collect()} == {i: int(i in (1, 2)) for i in range(12)}
    with pytest.raises(ArgumentError, match=r"^ranks: expected at most 1, the rows of edges, found 4\. "):
        sparkgap.graph.degree(edge, vertices=everybody, ranks=4)


def test_fewer_ranks_than_hosts(far, cluster, alone, graphs):
    """The segments of the host without a rank come to one that has some, and go when the job has ended."""
    ranks = 2
    if "bigint" not in graphs:
        graphs["bigint"] = sparkgap.graph.build(frame(far, "bigint"), weight="w", name="far_bigint")
    before = ours(cluster)
    tables = []
    for kernel in ("pagerank", "components", "triangles"):
        words = {"ranks": ranks, "threads": 1, **given(kernel, "bigint")}
        # The graph's copies may be there still when the next kernel wants them.
        for of, edges, come in (
            (sparkgap.graph, [frame(far, "bigint")], True),
            (graphs["bigint"], [], kernel == "pagerank"),
        ):
            seen = ours(cluster)
            found = getattr(of, kernel)(*edges, **words)
            figures = found.sparkgap
            assert (figures.ranks, figures.rows_in) == (ranks, len(rows("bigint")))
            written = {
                f.partition(":")[0]
                for f in ours(cluster)
                if f not in seen and re.search(rf"/segments/{kernel}_\d+\.", f)
            }
            assert len(written) == ranks
            assert figures.phases["fetch_s"] > 0
            assert figures.bytes_copied > 0 or not come
            agree(kernel, found, alone[kernel, "bigint"])
            tables.append(figures.table)
    for table in tables:
        far.sql(f"DROP TABLE {table}")
    wait_for(
        "the copies and results to go",
        lambda: not set(ours(cluster)) - set(before),
        found=lambda: set(ours(cluster)) - set(before),
    )


def test_the_example_of_the_page(far, data):
    (body,) = re.findall(r"^```py\n(.*?)^```$", (ROOT / "docs" / "cluster.md").read_text(), re.MULTILINE | re.DOTALL)
    first, rest = body.split("\n", 1)
    assert first.startswith("spark = sparkgap.session(")
    found = {"sparkgap": sparkgap, "spark": far}
    exec(
        compile(
            rest.replace("hdfs:///edges", str(data / "graphs" / "web-NotreDame.parquet")), "docs/cluster.md", "exec"
        ),
        found,
    )
    assert found["ranks"].count() == found["labels"].count() == 325729
    assert found["ranks"].sparkgap.ranks == 6


def test_no_rank_and_no_job_is_left(far, cluster):
    sparkgap.graph.pagerank(frame(far, "bigint"), ranks=6, threads=1).count()
    assert ranks_of() == []
    assert [h.pids("sparkgap-|hydra|mpiexec") for h in cluster.hosts] == [[], [], []]
    left = [f for f in ours(cluster) if not f.endswith(".arrow")]
    assert left == []


def test_nothing_is_left_when_the_session_ends(far, sessions, cluster, store, graphs):
    """With graphs, results and caches that nobody has dropped."""
    frame(far, "string").cache().count()
    sparkgap.graph.build(frame(far, "string"), name="kept")
    assert len(ours(cluster)) > 3
    graphs.clear()
    sessions.stop()  # it looks at all hosts
    assert cluster.executors() == []
    assert store.files() == []


def test_several_executors_on_a_host(own, cluster, alone):
    """They share one agent, and their segments are all met."""
    conf = {
        "spark.executor.cores": 1,
        "spark.cores.max": 4,
        "spark.default.parallelism": 4,
        "spark.sql.shuffle.partitions": 2,
    }
    conf["spark.sparkgap.topology.affinity"] = "pu"
    spark = cluster.session(conf)
    counts = Counter(e.host for e in cluster.executors())
    assert sorted(counts.values()) == [1, 1, 2]
    for ranks in (3, 5):
        found = sparkgap.graph.pagerank(frame(spark, "string"), ranks=ranks, threads=1, weight="w")
        assert found.sparkgap.ranks == ranks
        agree("pagerank", found, alone["pagerank", "string"])
    # Their tasks are on processors of their own, and the ranks that tasks have started on all.
    masks = defaultdict(set)
    for row in spark.range(0, 80, 1, 80).selectExpr(f"{COMMAND} command", f"{MASK} mask").collect():
        host = re.search(r"--hostname (\S+)", row.command).group(1)
        masks[host].add((re.search(r"--executor-id (\S+)", row.command).group(1), row.mask))
    assert sorted(len(found) for found in masks.values()) == [1, 1, 2]
    assert all(
        len({mask for _, mask in found}) == len(found) and all(mask.isdigit() for _, mask in found)
        for found in masks.values()
    ), masks
    words = ["-c", "grep Cpus_allowed_list /proc/self/status > {outputs.seen}/{rank}.tsv"]
    done = sparkgap.mpi.run(
        "/bin/sh", words, outputs={"seen": "name string, mask string"}, formats={"seen": "tsv"}, ranks=5, threads=1
    )
    assert [cpus(row.mask) for row in done.seen.collect()] == [ALL] * 5
    # Ranks that are bound have what the tasks of the executor have that starts them, and no more.
    spark.conf.set("spark.sparkgap.launch.affinity", "core")
    done = sparkgap.mpi.run(
        "/bin/sh", words, outputs={"seen": "name string, mask string"}, formats={"seen": "tsv"}, ranks=3, threads=1
    )
    bound = done.sparkgap.rank_cpus
    assert [row.mask for row in done.seen.collect()] == [rank["cpus"] for rank in bound]
    assert all(rank["cpus"] in {mask for _, mask in masks[rank["host"]]} for rank in bound), (bound, masks)
    assert len({rank["host"] for rank in bound}) == 3


def test_tasks_that_run_twice(own, cluster):
    """Spark starts a slow task again on another host (spark.speculation): what its first attempt wrote is counted
    nowhere, and goes.
    """
    spark = cluster.session(
        {
            "spark.speculation": "true",
            "spark.speculation.interval": "50ms",
            "spark.speculation.quantile": "0.5",
            "spark.speculation.minTaskRuntime": "10ms",
        }
    )

    def slow_at_first(batches):
        """The first attempt of the first partition has written a part when it begins to wait; rows tell the attempt
        that wrote them.
        """
        task = TaskContext.get()
        for batch in batches:
            yield pa.RecordBatch.from_arrays(
                [batch["id"], pa.array([task.attemptNumber()] * len(batch), pa.int32())], ["id", "attempt"]
            )
        if task.partitionId() == 0 and task.attemptNumber() == 0:
            time.sleep(60)

    rows = spark.range(0, 6000, 1, 6).mapInArrow(slow_at_first, "id bigint, attempt int")

    def counted(table):
        assert table.selectExpr("count(*)", "sum(id)", "count(DISTINCT id)").first() == (6000, 6000 * 5999 // 2, 6000)
        assert {row.attempt for row in table.where("id < 1000").select("attempt").distinct().collect()} == {1}

    def segments():
        return sorted(
            (h.name, f)
            for h in cluster.hosts
            for f in h.files("/dev/shm")
            if f.endswith(".arrow") and "/fetched-" not in f
        )

    rows.write.format("sparkgap").save("twice")
    counted(spark.read.format("sparkgap").load("twice"))
    names = {h.address: h.name for h in cluster.hosts}
    kept = sorted((names[s["host"]], s["path"]) for s in sparkgap.store.stat("twice"))
    wait_for("the segments that count alone", lambda: segments() == kept, found=segments)
    spark.sql("DROP TABLE sparkgap.store.twice")
    cached = rows.cache()
    counted(cached)

    def is_settled():
        """Spark may have started other partitions again too, on a busy machine; where both attempts have cached one,
        Spark keeps both, on two hosts.
        """
        parts = [(host, int(Path(file).name.split("-")[1])) for host, file in segments()]
        own = [part for _, part in parts]
        return set(own) == set(range(6)) and own.count(0) == 1 and len(set(parts)) == len(parts)

    wait_for("a segment of each partition, on one host for the slow one", is_settled, found=segments)
    cached.unpersist(blocking=True)
    wait_for("all to go", lambda: not segments(), found=segments)


def test_executors_on_the_drivers_host(own, store, alone, tmp_path):
    """Executors that are processes of their own, but here: the driver starts the ranks, and they write into its
    home.
    """
    conf = {k: v for k, v in CONF.items() if not k.startswith("spark.driver")} | {
        "spark.sparkgap.store.dir": str(store.path)
    }
    conf |= {
        "spark.executor.memory": "512m",
        "spark.executor.extraJavaOptions": " ".join(JVM),
        "spark.sparkgap.topology.affinity": "pu",
    }
    conf |= {"spark.sparkgap.topology.lockDir": str(tmp_path / "cpus")}
    spark = sparkgap.session("local-cluster[3,1,512]", conf=conf)
    found = sparkgap.graph.pagerank(frame(spark, "string"), ranks=3, threads=1, weight="w")
    assert found.sparkgap.ranks == 3
    agree("pagerank", found, alone["pagerank", "string"])
    assert {Path(f).parts[0].rpartition(".")[2] for f in store.files() if "/rank-" in f} == {"driver"}
    executors_are_disjoint(spark, tmp_path / "cpus")
    spark.stop()
    wait_for("its files to go", lambda: store.files() == [], found=store.files)


def command(*words, text=""):
    """The exit status and output of `python conformance/cluster`."""
    done = subprocess.run(
        [sys.executable, ROOT / "conformance" / "cluster", *words],
        input=text,
        capture_output=True,
        text=True,
        timeout=200,
    )
    return done.returncode, done.stdout, done.stderr


def test_one_command(cluster):
    """A cluster of its own, beside this one, whose processes must know a secret; both are there, and its parts go with
    it.
    """
    code = (
        "import os, sparkgap\nspark = sparkgap.session(os.environ['SPARKGAP_MASTER'])\nspark.createDataFrame([(1, 2)],"
        " 'src int, dst int').createOrReplaceTempView('e')\nprint(spark.sql(\"CALL sparkgap.graph.degree(edges =>"
        " 'e')\").first()['ranks'])\nprint(os.environ['SPARKGAP_MASTER'], spark.conf.get('spark.authenticate'),"
        " spark.conf.get('spark.network.crypto.enabled'))\nspark.stop()\nraise SystemExit(7)\n"
    )
    status, out, err = command(
        "run", "--hosts", "1", "--cores", "1", "--secret", "s3cret", "--", sys.executable, "-c", code
    )
    assert (status, out.splitlines()[0]) == (7, "1"), err
    master, *secured = out.splitlines()[1].split()
    assert secured == ["true", "true"]
    assert master not in ("", cluster.master)
    number = re.search(r"//10\.78\.(\d+)\.", master).group(1)
    assert not [link for link in os.listdir("/sys/class/net") if re.fullmatch(rf"gap{number}(-\d+)?", link)]
    assert [h.run("hostname").strip() for h in cluster.hosts] == ["host1", "host2", "host3"]
