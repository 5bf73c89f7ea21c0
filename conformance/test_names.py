# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a name means: a DataFrame reads the table that it was made from or says that it is gone, and of two calls for
one name one gets it.
"""

import gc
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import wait_for

import sparkgap
from sparkgap.errors import ArgumentError, DataError, LaunchError, SparkGapError, translate

only_classic = pytest.mark.parametrize("spark", ["classic"], indirect=True)
RING = [(i, (i + 1) % 50) for i in range(50)]


@pytest.fixture
def ring(spark):
    return spark.createDataFrame(RING, "src bigint, dst bigint")


def drop(spark, *names):
    for name in names:
        spark.sql(f"DROP TABLE IF EXISTS sparkgap.store.`{name}`")


def gone(frame):
    """The one error that a DataFrame of a table which is gone gives."""
    with pytest.raises(Exception) as raised:
        frame.collect()
    ours = translate(raised.value)
    assert isinstance(ours, (ArgumentError, DataError)), raised.value
    assert "expected" in str(ours) and "found" in str(ours), ours
    return str(ours)


def test_an_old_dataframe_never_reads_another_tables_rows(spark, ring):
    old = sparkgap.graph.pagerank(ring, result="again")
    before, columns = sorted(old.collect()), old.columns
    drop(spark, "again")
    new = sparkgap.graph.components(ring, result="again")
    assert "table was dropped" in gone(old) or "found another that has its name now" in gone(old)
    assert new.columns != columns and new.count() == 50
    drop(spark, "again")
    assert sorted(sparkgap.graph.pagerank(ring, result="again").collect()) == before
    gone(old)
    gone(new)
    drop(spark, "again")


def test_an_old_dataframe_behind_a_view_too(spark, ring):
    """Spark looks the names of tables behind a view up again; that of a result is its own for ever."""
    old = sparkgap.graph.degree(ring, result="viewed")
    drop(spark, "viewed")
    new = sparkgap.graph.degree(spark.createDataFrame([(1, 2)], "src bigint, dst bigint"), result="viewed")
    with pytest.raises((ArgumentError, DataError)):
        sparkgap.graph.degree(old, src="id", dst="in_degree").count()
    assert new.count() == 2
    drop(spark, "viewed")


@only_classic
def test_an_old_dataframe_never_reads_what_was_written_over_its_table(spark):
    spark.range(1000).write.format("sparkgap").save("over")
    old = spark.read.format("sparkgap").load("over")
    spark.range(5000, 6000).write.format("sparkgap").mode("overwrite").save("over")
    assert "its table was dropped" in gone(old)
    assert spark.read.format("sparkgap").load("over").agg({"id": "min"}).first()[0] == 5000
    drop(spark, "over")


@only_classic
def test_a_file_that_is_not_the_tables_is_refused(spark, store):
    """A segment that replaces a table's own: size, rows and types are those of the manifest, or
    nothing is read.
    """
    spark.range(1000).coalesce(1).write.format("sparkgap").save("mine")
    spark.range(1000).selectExpr("cast(id as int) as id", "id * 2 as other").coalesce(1).write.format("sparkgap").save(
        "yours"
    )
    spark.range(999).coalesce(1).write.format("sparkgap").save("less")
    (mine,) = store.path.glob("*/segments/mine.*/*.arrow")
    for name, found in (("yours", "rows in"), ("less", "999 rows")):
        (other,) = store.path.glob(f"*/segments/{name}.*/*.arrow")
        os.replace(other, mine)
        assert found in gone(spark.read.format("sparkgap").load("mine"))
    drop(spark, "mine", "yours", "less")


@only_classic
@pytest.mark.parametrize("what", ["result", "build", "mpi"])
def test_of_two_calls_for_one_name_one_gets_it(spark, ring, what):
    other = spark.createDataFrame([(i, 7) for i in range(100, 180)], "src bigint, dst bigint")
    calls = {
        "result": lambda edges, n: sparkgap.graph.degree(edges, result="wanted").count(),
        "build": lambda edges, n: sparkgap.graph.build(edges, name="wanted").n_vertices,
        "mpi": lambda edges, n: (
            sparkgap.mpi.run(
                "cp",
                ["{inputs.e}", "{outputs.o}"],
                inputs={"e": edges},
                outputs={"o": "src bigint, dst bigint"},
                formats={"e": "csv", "o": "csv"},
                result="wanted",
            )
            .outputs["o"]
            .count()
        ),
    }
    name = "wanted_o" if what == "mpi" else "wanted"
    for _ in range(5):
        together = threading.Barrier(4)

        def ask(edges, n, together=together):
            together.wait()
            try:
                return calls[what](edges, n), n
            except ArgumentError as e:
                return str(e), n

        with ThreadPoolExecutor(4) as pool:
            found = [
                f.result() for f in [pool.submit(ask, *a) for a in [(ring, 50), (other, 81), (ring, 50), (other, 81)]]
            ]
        made = [(rows, n) for rows, n in found if isinstance(rows, int)]
        refused = [text for text, _ in found if isinstance(text, str)]
        rows, n = made[0]
        assert len(made) == 1 and len(refused) == 3, found
        assert rows == (80 if what == "mpi" and n == 81 else n), "and its own data"
        assert all("expected a name that is free" in text for text in refused), refused
        assert spark.table(f"sparkgap.store.{name}").count() == rows
        drop(spark, name)


@only_classic
def test_a_failing_calls_clean_up_touches_nothing_of_others(spark, ring, store):
    with pytest.raises(DataError):
        sparkgap.graph.sssp(
            spark.createDataFrame([(1, 2, -1.0)], "src bigint, dst bigint, w double"), 1, weight="w", result="shared"
        )
    before = store.files()
    kept = sparkgap.graph.degree(ring, result="shared")
    with pytest.raises(ArgumentError, match="a table 'shared'"):
        sparkgap.graph.degree(ring, result="shared")
    assert kept.count() == 50
    drop(spark, "shared")
    assert store.files() == before, "nothing is left"


def test_a_handle_is_of_one_graph(spark, ring):
    old = sparkgap.graph.build(ring, name="once")
    old.drop()
    new = sparkgap.graph.build(spark.createDataFrame([(1, 2)], "src bigint, dst bigint"), name="once")
    with pytest.raises(
        ArgumentError,
        match="graph: expected a graph 'once', the one that was built, found another that has its name now",
    ):
        old.degree()
    old.drop()
    assert new.degree().count() == 2 == sparkgap.graph.load("once", spark=spark).vertices.count(), (
        "and drops no other's"
    )
    new.drop()
    with pytest.raises(ArgumentError, match="found that it was dropped"):
        new.degree()


@only_classic
def test_a_graph_that_is_replaced_while_it_is_loaded(spark, ring, monkeypatch):
    """What `load` says of a graph is of the one that its calls use."""
    sparkgap.graph.build(ring, name="moving")
    found, replaced = sparkgap.graph.stored_graph.exact_name, []

    def late(session, name):
        if not replaced:
            drop(spark, "moving")
            replaced.append(
                sparkgap.graph.build(spark.createDataFrame([(1, 2)], "src bigint, dst bigint"), name="moving")
            )
        return found(session, name)

    monkeypatch.setattr(sparkgap.graph.stored_graph, "exact_name", late)
    with sparkgap.graph.load("moving") as loaded:
        assert (loaded.n_vertices, loaded.n_edges) == (2, 1) and loaded.degree().count() == 2


def test_a_result_that_loses_its_name_before_it_is_opened(spark, ring, monkeypatch):
    """Another thread drops it, and gives its name to another table, right when the call has ended."""
    others = []

    def said(work, *meanwhile):
        acts = list(meanwhile)
        for door in (sparkgap.call, sparkgap.mpi):
            monkeypatch.setattr(door, "remember", lambda done: acts.pop(0)() if acts else None)
        with pytest.raises(Exception) as raised:
            work()
        assert not acts
        ours = raised.value if isinstance(raised.value, SparkGapError) else translate(raised.value)
        return str(ours).splitlines()[0]

    def taken(name, kernel):
        drop(spark, name)
        others.append(kernel())

    def degree():
        return sparkgap.graph.degree(ring, result="quick").count()

    form = "{}: expected the one that this was made from, found {}. Do make it again."
    assert said(degree, lambda: drop(spark, "quick")) == form.format("table 'quick'", "that it was dropped")
    another = form.format("table 'quick'", "another that has its name now")
    assert said(degree, lambda: taken("quick", lambda: sparkgap.graph.components(ring, result="quick"))) == another
    drop(spark, "quick")
    few = spark.createDataFrame([(1, 2)], "src bigint, dst bigint")
    assert "another that has its name now" in said(
        lambda: sparkgap.graph.build(few, name="quick").degree(),
        lambda: taken("quick", lambda: sparkgap.graph.build(ring, name="quick")),
    )
    assert others[-1].degree().count() == 50
    program = {"outputs": {"o": "id bigint"}, "formats": {"o": "csv"}, "ranks": 1, "result": "quick", "spark": spark}
    assert said(
        lambda: sparkgap.mpi.run(["sh", "-c", "echo 1 > $0", "{outputs.o}"], **program).o.count(),
        lambda: taken("quick_o", lambda: sparkgap.graph.degree(ring, result="quick_o")),
    ) == another.replace("quick", "quick_o")
    assert others[-1].count() == 50
    drop(spark, "quick", "quick_o")


def test_names_that_sql_would_quote(spark, ring):
    for name in ("my-result", "2nd", "select"):
        found = sparkgap.graph.degree(ring, result=name)
        assert found.count() == 50 == spark.table(found.sparkgap.table).count()
        drop(spark, name)
    with sparkgap.graph.build(ring, name="my-graph") as built:
        assert built.name == "my-graph" and built.degree().count() == 50
    for name in ("a b", "a`b", "", "a/b", "x" * 129):
        with pytest.raises(ArgumentError):
            sparkgap.graph.degree(ring, result=name)


@only_classic
def test_the_deadline_is_that_of_the_whole_call(spark, ring, store, tmp_path):
    begun = tmp_path / "begun"

    def slow(x):
        import time

        begun.touch()
        time.sleep(60)
        return x

    before = store.files()
    rows = spark.createDataFrame(spark.sparkContext.parallelize(RING, 1).map(slow), "src bigint, dst bigint")
    for engine in ("native", "spark"):
        begun.unlink(missing_ok=True)
        with pytest.raises(
            LaunchError,
            match=(
                r"timeout_s of degree: expected the job to end within 2.0 s, found it running \(phase"
                r" (export|compute)\)"
            ),
        ):
            sparkgap.graph.degree(rows, timeout_s=2.0, engine=engine)
        assert begun.exists(), "it ended while rows were computed"
    wait_for("what it wrote to go", lambda: store.files() == before, found=store.files)
    assert sparkgap.graph.degree(ring, timeout_s=60).count() == 50, "and the session goes on"


@only_classic
def test_convergence_is_said_where_it_was_asked_for(spark, ring):
    for engine in ("native", "spark"):
        assert sparkgap.graph.pagerank(ring, engine=engine).sparkgap.converged is None
    assert sparkgap.graph.pagerank(ring, tolerance=1e-3).sparkgap.converged is True
    assert (
        sparkgap.graph.pagerank(
            spark.createDataFrame([(1, 2), (2, 3), (4, 2)], "src bigint, dst bigint"), tolerance=1e-12, max_iterations=1
        ).sparkgap.converged
        is False
    )


@only_classic
def test_results_that_nobody_refers_to_go(spark, ring, store):
    def results():
        return len(list(store.path.glob("*/tables/degree_*.json")))

    kept = sparkgap.graph.degree(ring)
    of_kept = kept.where("true")
    rows = kept.count()
    del kept
    named = sparkgap.graph.degree(ring, result="mine").count()
    jvm = spark.sparkContext._jvm

    def call():
        sparkgap.graph.degree(ring)
        gc.collect()
        jvm.System.gc()
        return results()

    before = results()
    for _ in range(70):
        sparkgap.graph.degree(ring)
    wait_for("the oldest to go", lambda: call() <= before + 55, found=results)
    assert of_kept.count() == rows, "what is referred to stays"
    assert spark.table("sparkgap.store.mine").count() == named, "and what has a name"
    drop(spark, "mine")


def test_the_store_says_where_tables_lie(spark, ring, store):
    sparkgap.graph.degree(ring, result="placed")
    (row,) = sparkgap.store.stat("placed", spark=spark)[:1]
    path = Path(row["path"])
    assert path.is_file() and path.parent.name.startswith("placed.")
    drop(spark, "placed")
    assert not path.exists()
