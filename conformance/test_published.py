# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Tables that one application publishes and others read in place, while it lives, after it was killed, and after the
host lost them.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest

START = """
import json, os, sys, sparkgap, sparkgap.processes

memory, disk = sys.argv[1:3]
s = sparkgap.session(
    "local[2]",
    conf={
        "spark.ui.enabled": "false",
        "spark.driver.host": "localhost",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sparkgap.store.dir": memory,
        "spark.sparkgap.store.diskDir": disk,
        "spark.sql.shuffle.partitions": "2",
        "spark.hadoop.fs.viewfs.mounttable.far.link./place": "file://" + os.path.dirname(memory),
    },
)


def die():
    [os.kill(p.pid, 9) for p in sparkgap.processes.tree() if p.name == "java"]
    os._exit(0)
"""


def application(tmp_path, body):
    """Its last line of output, read as JSON."""
    command = [sys.executable, "-c", START + textwrap.dedent(body), str(tmp_path / "memory"), str(tmp_path / "disk")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=220)
    assert done.stdout, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


READ = """
t = s.table("sparkgap.published.edges")
ranks = sparkgap.graph.pagerank(t)
g = sparkgap.graph.load("published.roads")
print(
    json.dumps(
        {
            "rows": t.count(),
            "sum": t.agg({"dst": "sum"}).first()[0],
            "copied": ranks.sparkgap.bytes_copied,
            "ranks": ranks.count(),
            "graph": [g.n_vertices, g.n_edges],
            "degrees": g.degree().count(),
            "names": [r["name"] for r in sparkgap.store.ls() if r["kind"] == "published"],
        }
    )
)
s.stop()
"""


def test_read_in_place_by_others_and_after_the_writer_was_killed(tmp_path):
    written = application(
        tmp_path,
        """
    edges = s.range(0, 200000, 1, 2).selectExpr("id % 5003 src", "id * 7919 % 5003 dst").cache()
    edges.count()
    edges.createOrReplaceTempView("v")
    said = s.sql("CALL sparkgap.store.publish(table => 'v', name => 'edges')").first().asDict()
    with sparkgap.graph.build(edges, name="roads") as g:
        sparkgap.store.publish(g, "roads")
    import subprocess

    child = subprocess.run(
        [sys.executable, "-c", sys.argv[3], memory, disk], capture_output=True, text=True, timeout=200
    )
    print(
        json.dumps(
            {
                "copied": said["bytes_copied"],
                "edition": said["edition"],
                "child": json.loads(child.stdout.splitlines()[-1]),
            }
        ),
        flush=True,
    )
    die()
""".replace("sys.argv[3]", repr(START + READ)),
    )
    assert written["copied"] == 0 and written["edition"] == 1
    expected = {
        "rows": 200000,
        "sum": sum(i * 7919 % 5003 for i in range(200000)),
        "copied": 0,
        "ranks": 5003,
        "graph": [5003, 200000],
        "degrees": 5003,
        "names": ["published.edges", "published.roads"],
    }
    assert written["child"] == expected
    assert application(tmp_path, READ) == expected, "the writer was killed, its home is swept"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can look with another user's eyes")
def test_another_user_sees_nothing():
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        place.chmod(0o755)
        files = application(
            place,
            """
        sparkgap.store.publish(s.range(1000), "mine")
        s.range(1000).cache().count()
        print(json.dumps([os.path.join(top, name) for top, _, names in os.walk(memory) for name in names]), flush=True)
        die()
        """,
        )
        assert any(f.endswith(".arrow") for f in files) and any(f.endswith(".json") for f in files)
        for stranger in (["cat", *files], ["ls", str(place / "memory")], ["touch", str(place / "memory" / "planted")]):
            tried = subprocess.run(
                ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *stranger],
                capture_output=True,
                text=True,
                timeout=20,
            )
            assert tried.returncode != 0 and tried.stdout == "", stranger[0]
            assert tried.stderr.count("Permission denied") == (len(files) if stranger[0] == "cat" else 1), tried.stderr


def test_a_writer_that_dies_between_segments_and_manifest(tmp_path):
    written = application(
        tmp_path,
        """
    s._jvm.org.sparkgap.spark.export.Export.write(s.range(0, 300000, 1, 2)._jdf, "half")
    print(
        json.dumps([f for top, _, names in os.walk(memory) for f in names if f.endswith((".arrow", "half.json"))]),
        flush=True,
    )
    die()
""",
    )
    assert len(written) == 2 and "half.json" not in written, "segments, and no manifest yet"
    left = application(
        tmp_path,
        """
    print(
        json.dumps([f for place in (memory, disk) for top, _, names in os.walk(place) for f in names if "arrow" in f])
    )
    s.stop()
""",
    )
    assert left == []


def test_editions_and_what_is_refused(tmp_path):
    said = application(
        tmp_path,
        """
    from sparkgap import store

    seen = []
    for n in (3, 5, 7):
        seen.append(store.publish(s.range(n), "numbers").count())
    first = s.range(2).write.format("sparkgap")
    errors = []
    for attempt in (
        lambda: store.publish(s.range(1), "a/b"),
        lambda: store.publish("nowhere", "x"),
        lambda: store.stat("published.none"),
        lambda: first.save("published.numbers"),
        lambda: store.publish(s.sql("SELECT map(1, 2) m"), "maps"),
        lambda: store.rm("nothing"),
    ):
        try:
            attempt()
            errors.append("no error")
        except Exception as e:
            errors.append(f"{type(e).__name__}: " + " ".join(str(e).split()))
    first.mode("overwrite").save("published.numbers")
    kept = sorted(p for p in os.listdir(os.path.join(memory, "published", "numbers")))
    half = s.range(10).selectExpr("id a", "id b").cache()
    one = store.publish(half.select("b"), "half")
    stat = store.stat("published.half")
    store.rm("published.numbers")
    gone = [r["name"] for r in store.ls()]
    print(
        json.dumps(
            {
                "seen": seen,
                "errors": errors,
                "kept": kept,
                "half": one.columns,
                "there": [r["there"] for r in stat],
                "gone": gone,
                "mode": oct(os.stat(os.path.join(memory, "published")).st_mode & 0o777),
                "left": os.path.exists(os.path.join(memory, "published", "numbers")),
            }
        )
    )
""",
    )
    assert said["seen"] == [3, 5, 7]
    assert [name.partition("-")[0] for name in said["kept"]] == ["1", "2", "3", "4"], "for a minute"
    assert said["half"] == ["b"] and all(said["there"])
    assert said["mode"] == "0o700" and not said["left"]
    assert not [name for name in said["gone"] if name.endswith("numbers")]
    a, b, c, d, e, f = said["errors"]
    assert a.startswith("ArgumentError: table 'a/b': expected letters, digits"), a
    assert b.startswith("ArgumentError: table: expected a table or view 'nowhere'"), b
    assert c.startswith("ArgumentError") and "expected a table of the store, found" in c, c
    assert "expected a name that is free" in d, d
    assert e.startswith("DataError") and "expected a type that the store keeps" in e, e
    assert f.startswith("ArgumentError: table 'nothing'"), f


def test_durable_copies_are_read_where_the_host_lost_its_own(tmp_path):
    """Files that a loss of power cut short, all that lay in memory, and then the copy.

    The copies go to another of Hadoop's file systems than the default one, named by its scheme. Two tables and two
    editions of a name are in one folder: what is read back is what was published last under that name.
    """
    durable = tmp_path / "durable"
    written = application(
        tmp_path,
        """
    from sparkgap import store
    place = {"durable": "viewfs://far/place/durable", "wait_s": 60}
    rows = s.range(0, 50000, 1, 2).selectExpr("id", "concat('v', id) name")
    count = store.publish(rows, "safe", **place).count()
    for name, n in (("one", 10), ("two", 20)):
        store.publish(s.range(n), name, **place)
    store.rm("published.one")
    store.publish(s.range(30), "one", **place)
    cut = []
    for bytes in (0, 100):
        store.publish(s.range(50000), f"cut_{bytes}", **place)
        os.truncate(store.stat(f"published.cut_{bytes}")[0]["path"], bytes)
        cut += [r["there"] for r in store.stat(f"published.cut_{bytes}")][:1]
    print(json.dumps({"count": count, "cut": cut}), flush=True)
    s.stop()
    """,
    )
    assert written == {"count": 50000, "cut": [False, False]}
    assert len(list(durable.iterdir())) == 6 and list(durable.glob("edition-1-*/*.parquet"))
    body = """
    names = ("safe", "one", "two", "cut_0", "cut_100")
    sums = {name: s.table(f"sparkgap.published.{name}").agg({"id": "sum"}).first()[0] for name in names}
    safe = s.read.format("sparkgap").load("published.safe").where("name = 'v77'").count()
    print(
        json.dumps(
            {
                "sums": sums,
                "safe": safe,
                "editions": {r["name"].partition(".")[2]: r["edition"] for r in sparkgap.store.ls()},
            }
        )
    )
    s.stop()
"""
    of_50000 = 50000 * 49999 // 2
    sums = {"safe": of_50000, "one": 30 * 29 // 2, "two": 20 * 19 // 2, "cut_0": of_50000, "cut_100": of_50000}

    def read():
        said = application(tmp_path, body)
        assert (said["sums"], said["safe"]) == (sums, 1)
        return said["editions"]

    first = read()
    assert [first[name] for name in ("safe", "two", "cut_0", "cut_100")] == [1, 1, 2, 2]
    shutil.rmtree(tmp_path / "memory")  # as after a restart of the host
    assert read() == {name: edition + 1 for name, edition in first.items()}
    shutil.rmtree(durable)
    assert read() == {name: edition + 1 for name, edition in first.items()}, "and stands on the host again"


def test_a_damaged_manifest_hides_no_other_table(tmp_path):
    said = application(
        tmp_path,
        """
    from sparkgap import store

    for name in ("good", "bad"):
        store.publish(s.range(3), name)
    place = next(os.path.join(top, "bad.json") for top, _, names in os.walk(memory) if "bad.json" in names)
    with open(place, "w") as file:
        file.write('{"published": {}}')
    print(json.dumps({r["name"]: [r["kind"], r["rows"]] for r in store.ls()}))
    s.stop()
    """,
    )
    assert said == {"published.good": ["published", 3], "published.bad": ["damaged", None]}


def test_an_old_handle_never_reads_another_table(tmp_path):
    """The paths were the same once: values of one type were read as another's, past the end of the file, and the JVM
    was gone.
    """
    said = application(
        tmp_path,
        """
    from sparkgap import store

    store.publish(s.range(0, 300000, 1, 1).selectExpr("id", "id * 2 twice"), "x")
    old = s.table("sparkgap.published.x").selectExpr("sum(id)", "sum(twice)")
    old.explain()  # planned now
    path = store.stat("published.x")[0]["path"]
    store.rm("published.x")
    new = store.publish(
        s.range(0, 300000, 1, 1).selectExpr("cast(id % 100 as tinyint) id", "cast(id % 7 as tinyint) twice"), "x"
    )
    try:
        found = [str(v) for v in old.first()]
    except Exception as e:
        found = " ".join(str(e).split())
    print(
        json.dumps(
            {
                "old": found,
                "new": new.agg({"id": "max", "twice": "max"}).first().asDict(),
                "reused": path == store.stat("published.x")[0]["path"],
            }
        )
    )
""",
    )
    assert said["new"] == {"max(id)": 99, "max(twice)": 6} and not said["reused"]
    assert isinstance(said["old"], str) and "no such file: its table was dropped" in said["old"], said["old"]


def test_a_reader_never_sees_half_a_table(tmp_path):
    said = application(
        tmp_path,
        """
    import threading
    from sparkgap import store
    store.publish(s.range(0, 1000, 1, 4).selectExpr("0 edition", "id"), "moving")
    wrong, reads, stop = [], [0], threading.Event()
    def read():
        while not stop.is_set():
            try:
                found = s.read.format("sparkgap").load("published.moving").groupBy("edition").count().collect()
            except Exception as e:
                return wrong.append(" ".join(str(e).split())[:2000])
            reads[0] += 1
            if len(found) != 1 or found[0]["count"] != 1000 + found[0]["edition"]:
                wrong.append(str(found))
    readers = [threading.Thread(target=read) for _ in range(2)]
    [r.start() for r in readers]
    for i in range(1, 16):
        store.publish(s.range(0, 1000 + i, 1, 4).selectExpr(f"{i} edition", "id"), "moving")
    stop.set()
    [r.join() for r in readers]
    print(json.dumps({"wrong": wrong[:3], "reads": reads[0]}))
    """,
    )
    assert said["wrong"] == [] and said["reads"] >= 5
