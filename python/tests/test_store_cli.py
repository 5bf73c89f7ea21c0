# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap store` on stores that are laid out by hand, as store/FORMAT.md says."""

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import google_crc32c
import pyarrow as pa
import pytest

from sparkgap import cli
from sparkgap.stores import locks

LIVE, DEAD, NEIGHBOUR = "app-live.driver", "app-dead.driver", "app-live.0"
CACHE = "cache-0d9f3a52-4f0e-4a55-8d5e-0123456789ab"
FORM = re.compile(r"[^:]+: expected .+, found .*\. .+\n")
# What a living process does with the lock of its home.
HOLD = "import fcntl, sys\nf = open(sys.argv[1], 'r+')\nfcntl.lockf(f, fcntl.LOCK_EX)\nprint('held', flush=True)\nsys.stdin.read()"


class Place:
    """A memory store and a disk store with what a test lays into them, and the command line on both."""

    def __init__(self, folder, capsys):
        self.memory, self.disk, self._capsys = folder / "memory", folder / "disk", capsys
        self.processes = []

    def make(self):
        for store in (self.memory, self.disk):
            store.mkdir(mode=0o700)
        return self

    def home(self, name, store=None):
        home = (store or self.memory) / name
        for part in ("segments", "tables", "jobs"):
            (home / part).mkdir(parents=True)
        (home / "lock").touch(mode=0o600)
        return home

    def hold(self, lock):
        """A process that holds a lock until the test ends or kills it."""
        process = subprocess.Popen([sys.executable, "-I", "-S", "-c", HOLD, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.processes.append(process)
        assert process.stdout.readline() == b"held\n"
        return process

    def segment(self, path, n=5):
        """A segment of n rows, and its entry in a manifest."""
        path.parent.mkdir(parents=True, exist_ok=True)
        batch = pa.record_batch({"src": pa.array(range(n), pa.int64()), "at": pa.array([0] * n, pa.timestamp("us", "UTC"))})
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, batch.schema) as writer:
            writer.write_batch(batch)
        return self.entry(path, n)

    def entry(self, path, n=5):
        whole = path.read_bytes()
        checksum = f"{google_crc32c.value(whole):08x}"
        return {"host": "node1", "path": str(path), "rows": n, "bytes": len(whole), "crc32c": checksum}

    def manifest(self, file, segments, **more):
        file.parent.mkdir(parents=True, exist_ok=True)
        schema = [{"name": "src", "type": "bigint", "nullable": True}, {"name": "at", "type": "timestamp", "nullable": False}]
        totals = {key: sum(s[key] for s in segments) for key in ("rows", "bytes")}
        said = {"version": 1, "name": file.stem, **totals, "schema": schema, "segments": segments, **more}
        file.write_text(json.dumps(said))

    def table(self, home, name, n_segments=2):
        paths = [home / "segments" / name / f"part-{i:05}-0.arrow" for i in range(n_segments)]
        self.manifest(home / "tables" / f"{name}.json", [self.segment(p) for p in paths])
        return paths

    def publish(self, name, edition, paths, durable=None):
        """Further names for segments, each in the store that it lies in, then both manifests."""
        segments = []
        for path in paths:
            root = self.disk if path.resolve().is_relative_to(self.disk) else self.memory
            (root / "published").mkdir(mode=0o700, exist_ok=True)
            named = root / "published" / name / str(edition) / path.name
            named.parent.mkdir(parents=True, exist_ok=True)
            os.link(path.resolve(), named)
            segments.append(self.entry(named))
        said = {"edition": edition, "application": "app-dead", "at": "2026-11-22T02:40:00Z", "durable": durable}
        for root in (self.memory, self.disk):
            self.manifest(root / "published" / f"{name}.json", segments, published=said)

    def run(self, *words, status=0):
        """What it printed on stdout; errors have their form and status."""
        found = cli.main(["store", *words, "--store", str(self.memory), "--disk-store", str(self.disk)])
        out, self.err = self._capsys.readouterr()
        assert found == status, self.err
        assert (self.err == "") if status == 0 else FORM.fullmatch(self.err), self.err
        return out

    def json(self, *words, status=0):
        return json.loads(self.run(*words, "--json", status=status))

    def rows(self):
        return {(t["kind"], t["name"]): t for t in self.json("ls")["tables"]}

    def files(self):
        return sorted(str(p.relative_to(self.memory.parent)) for p in self.memory.parent.rglob("*") if p.name != ".lock")


@pytest.fixture
def place(tmp_path, capsys):
    """Two empty stores."""
    found = Place(tmp_path, capsys).make()
    yield found
    for process in found.processes:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


@pytest.fixture
def full(place):
    """A living application with a table, a graph and a cache in both tiers; one that was killed, with a table; editions 1 to 3."""
    live = place.home(LIVE)
    place.hold(live / "lock")
    place.table(live, "edges")
    arcs = {way: [place.segment(live / "segments" / "web" / f"{way}-00000.arrow", 7)] for way in ("in", "out")}
    vertices = [place.segment(live / "segments" / "web" / "part-0-0.arrow")]
    place.manifest(live / "tables" / "web.json", vertices, graph={"directed": True, "weighted": False, "edges": 7, **arcs})

    executor, on_disk = place.home(NEIGHBOUR), place.home(LIVE, place.disk)
    place.hold(executor / "lock")
    place.hold(on_disk / "lock")
    place.segment(executor / "segments" / CACHE / "part-0-0.arrow", 3)
    place.segment(on_disk / "segments" / CACHE / "part-1-0.arrow", 4)
    (live / "segments" / CACHE).mkdir()
    (live / "segments" / CACHE / "part-1-0.arrow").symlink_to(on_disk / "segments" / CACHE / "part-1-0.arrow")

    dead = place.home(DEAD)
    process = place.hold(dead / "lock")
    paths = place.table(dead, "old", 1)
    for edition in (1, 2, 3):
        place.publish("roads", edition, paths)
        place.segment(place.memory / "published" / "roads" / "4" / "part.arrow")  # a publish that was cut off
    process.send_signal(signal.SIGKILL)
    process.wait()
    return place


def bytes_of(*paths):
    return sum(p.stat().st_size for p in paths)


@pytest.mark.parametrize("verb", ["ls", "sweep"])
def test_nothing_there(tmp_path, capsys, verb):
    place = Place(tmp_path, capsys)
    place.run(verb)
    found = place.json(verb)
    assert found.get("tables", []) == found.get("removed", []) == []
    assert list(tmp_path.iterdir()) == [], "looking makes no store"


def test_ls_as_json(full):
    found = full.json("ls")
    free = {"memory_free_bytes", "disk_free_bytes"}
    assert set(found) == {"store", "disk_store", "tables", "memory_bytes", "disk_bytes"} | free
    assert (found["store"], found["disk_store"]) == (str(full.memory), str(full.disk))
    rows = {(t["kind"], t["name"]): t for t in found["tables"]}
    assert set(rows) == {("table", "edges"), ("graph", "web"), ("cache", CACHE), ("table", "old"), ("published", "roads")}
    edges = rows["table", "edges"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", edges.pop("modified"))
    size = bytes_of(*(full.memory / LIVE / "segments" / "edges").iterdir())
    assert edges == {
        "name": "edges", "kind": "table", "application": "app-live", "home": LIVE, "alive": True, "rows": 10,
        "memory_bytes": size, "disk_bytes": 0, "segments": 2, "damage": None,
    }  # fmt: skip
    assert (rows["graph", "web"]["rows"], rows["graph", "web"]["segments"]) == (5, 3)
    assert [rows[k]["alive"] for k in (("table", "old"), ("published", "roads"))] == [False, False]


def test_ls_counts_files_once(full):
    rows = full.rows()
    cache, roads = rows["cache", CACHE], rows["published", "roads"]
    assert (cache["rows"], cache["segments"], cache["alive"]) == (None, 2, True)
    assert cache["memory_bytes"] == bytes_of(full.memory / NEIGHBOUR / "segments" / CACHE / "part-0-0.arrow")
    assert cache["disk_bytes"] == bytes_of(full.disk / LIVE / "segments" / CACHE / "part-1-0.arrow")
    # Three editions are three names of one file; the fourth was cut off.
    files = [full.memory / "published" / "roads" / e for e in ("3/part-00000-0.arrow", "4/part.arrow")]
    assert (roads["memory_bytes"], roads["rows"], roads["segments"]) == (bytes_of(*files), 5, 1)
    real = {(p.stat().st_ino): p.stat().st_size for p in full.memory.rglob("*") if p.is_file() and not p.is_symlink()}
    assert full.json("ls")["memory_bytes"] == sum(real.values())


def test_ls_for_people(full):
    lines = full.run("ls").splitlines()
    assert re.search(r"edges +│ table +│ app-live +│ yes +│ +10 │ +\S+ (KiB|B) │", "\n".join(lines))
    assert re.fullmatch(r"5 tables, memory \S+ \S+ \(\S+ \S+ free\), disk \S+ \S+ \(\S+ \S+ free\)", lines[-1])


def test_looking_takes_no_lock(full):
    """A process that makes its home at that moment must get its lock."""
    lock = full.memory / DEAD / "lock"
    taken = []
    real, fcntl.lockf = fcntl.lockf, lambda *words: taken.append(words)
    try:
        full.run("ls")
        full.run("stat", "edges")
        assert not locks.is_held(lock) and locks.is_held(full.memory / LIVE / "lock")
    finally:
        fcntl.lockf = real
    assert taken == []


def test_a_damaged_manifest_is_named(full):
    file = full.memory / DEAD / "tables" / "old.json"
    file.write_text(file.read_text()[:40])
    row = full.rows()["table", "old"]
    assert row["rows"] is None and row["memory_bytes"] > 0
    assert "old.json: expected a manifest of version 1" in row["damage"]
    assert row["damage"] in full.run("ls")
    assert full.json("stat", "old", status=3)["ok"] is False
    assert "old.json" in full.err
    full.run("rm", "old")
    assert ("table", "old") not in full.rows()


@pytest.mark.parametrize("text", ["[]", "3", "null", '{"version": 2}', '{"version": 1, "name": "x"}', "\xff", "[" * 100_000])
def test_manifests_of_every_wrong_form(place, text):
    home = place.home(DEAD)
    (home / "tables" / "odd.json").write_text(text, encoding="latin-1")
    (home / "tables" / "odd.json.part").write_text("{")
    assert [t["damage"] is not None for t in place.json("ls")["tables"]] == [True]
    place.run("stat", "odd", status=3)


@pytest.mark.parametrize("name", ["roads", "published.roads", "sparkgap.published.roads"])
def test_stat_of_a_published_table(full, name):
    found = full.json("stat", name, "--verify")
    assert found["ok"] and found["kind"] == "published" and found["durable"] is None
    assert found["columns"] == [
        {"name": "src", "type": "bigint", "nullable": True},
        {"name": "at", "type": "timestamp", "nullable": False},
    ]
    (segment,) = found["segments"]
    path = full.memory / "published" / "roads" / "3" / "part-00000-0.arrow"
    assert segment == {
        "role": "rows", "host": "node1", "path": str(path), "rows": 5, "bytes": bytes_of(path), "tier": "memory",
        "exists": True, "checked": "crc32c", "problem": None,
    }  # fmt: skip
    assert [(e["edition"], e["current"]) for e in found["editions"]] == [(1, False), (2, False), (3, True), (4, False)]
    assert "edition 3" in full.run("stat", name)


def test_stat_of_a_graph_and_a_cache(full):
    assert [s["role"] for s in full.json("stat", "web")["segments"]] == ["rows", "in", "out"]
    for name in (CACHE, "cache-0d9f"):
        found = full.json("stat", name)
        assert (found["rows"], sorted(s["tier"] for s in found["segments"])) == (7, ["disk", "memory"])
        assert {s["checked"] for s in found["segments"]} == {"footer"}
        assert [c["type"] for c in found["columns"]] == ["bigint", "timestamp"]


def test_stat_finds_what_is_missing_or_damaged(full):
    one, two = sorted((full.memory / LIVE / "segments" / "edges").iterdir())
    whole = one.read_bytes()
    one.write_bytes(whole[:100] + bytes([whole[100] ^ 1]) + whole[101:])
    full.run("stat", "edges")
    found = full.json("stat", "edges", "--verify", status=3)
    assert "crc32c" in found["segments"][0]["problem"] and "1 of 2 not" in full.err
    one.write_bytes(whole[:-8])
    full.run("stat", "edges", status=3)
    assert "bytes instead of" in full.err
    one.write_bytes(whole)
    two.unlink()
    found = full.json("stat", "edges", status=3)
    assert [s["exists"] for s in found["segments"]] == [True, False]

    (full.disk / LIVE / "segments" / CACHE / "part-1-0.arrow").unlink()  # the link leads nowhere now
    (full.memory / NEIGHBOUR / "segments" / CACHE / "part-0-0.arrow").write_bytes(b"ARROW1 and no more")
    found = full.json("stat", CACHE, status=3)
    assert [s["problem"] is not None for s in found["segments"]] == [True, True]


def test_names_that_are_not_there(place):
    place.run("stat", "x", status=2)
    assert "expected a table of the store, found an empty store" in place.err
    home = place.home(DEAD)
    for i in range(12):
        place.table(home, f"t{i:02}", 1)
    for verb in ("stat", "rm"):
        place.run(verb, "t99", status=2)
        assert "one of t00, t01" in place.err and "t09 and 2 more" in place.err and "t10" not in place.err
    for name in ("../lock", "published.t00", "*", "t0"):
        place.run("rm", name, status=2)


def test_a_name_of_two_tables(place):
    for home in ("app-1.driver", "app-2.driver"):
        place.table(place.home(home), "t", 1)
        place.segment(place.memory / home / "segments" / f"cache-{home[4]}" / "p.arrow")
    place.run("stat", "t", status=2)
    assert "app-1.driver/t, app-2.driver/t" in place.err
    place.run("stat", "cache-", status=2)
    assert "cache-1, cache-2" in place.err
    place.run("rm", "app-1.driver/t")
    assert place.json("stat", "t")["home"] == "app-2.driver"


def test_rm_of_a_published_table(full):
    others = [f for f in full.files() if "/published/" not in f]
    found = full.json("rm", "roads")
    assert [r["what"] for r in found["removed"]] == ["manifest", "manifest", "published"]
    # Its segments have a name in the writer's home still, all but that of the cut-off edition.
    assert found["freed_bytes"] > 0 and others == [f for f in full.files() if "/published/" not in f]
    assert not [f for f in full.files() if "roads" in f]


def test_rm_of_a_published_table_in_both_tiers(place):
    home, on_disk = place.home(DEAD), place.home(DEAD, place.disk)
    paths = [home / "segments" / "t" / "a.arrow", on_disk / "segments" / "t" / "b.arrow"]
    for path in paths:
        place.segment(path)
    place.publish("t", 1, paths, durable="hdfs://name/t.parquet")
    found = place.json("stat", "t")
    assert found["durable"] and [s["tier"] for s in found["segments"]] == ["memory", "disk"]
    Path(found["segments"][0]["path"]).unlink()
    place.run("stat", "t", status=3)
    assert "hdfs://name/t.parquet" in place.err
    assert "hdfs://name/t.parquet" in place.run("rm", "t")
    assert not [f for f in place.files() if "published/" in f]
    assert all(path.exists() for path in paths)


def test_rm_waits_for_the_lock_of_the_store(full, monkeypatch):
    monkeypatch.setattr(locks, "DEADLINE_S", 0.2)
    (full.memory / ".lock").touch()
    holder = full.hold(full.memory / ".lock")
    before = full.files()
    for words in (("rm", "roads"), ("rm", "old"), ("sweep",)):
        full.run(*words, status=4)
        assert "its .lock within 0.2 s" in full.err
    assert full.files() == before
    holder.kill()
    holder.wait()
    full.run("rm", "roads")


@pytest.mark.parametrize("name", ["edges", "web", CACHE])
def test_rm_refuses_what_lives(full, name):
    before = full.files()
    full.run("rm", name, status=2)
    assert "found app-live alive. Do" in full.err
    assert ("unpersist()" if name == CACHE else f"DROP TABLE sparkgap.store.{name}") in full.err
    assert full.files() == before


def test_rm_of_what_the_dead_left(place):
    home, on_disk = place.home(DEAD), place.home(DEAD, place.disk)
    kept = place.table(home, "kept")
    moved = on_disk / "segments" / "t" / "b.arrow"
    segments = [place.segment(home / "segments" / "t" / "a.arrow"), place.segment(moved)]
    outside = place.memory.parent / "outside.arrow"
    segments.append(place.segment(outside))  # whatever a manifest says
    place.manifest(home / "tables" / "t.json", segments)
    link = home / "segments" / CACHE / "c.arrow"
    place.segment(on_disk / "segments" / CACHE / "c.arrow")
    link.parent.mkdir()
    link.symlink_to(on_disk / "segments" / CACHE / "c.arrow")
    size = segments[0]["bytes"] + segments[1]["bytes"] + bytes_of(home / "tables" / "t.json")
    assert place.json("rm", "t")["freed_bytes"] == size
    assert not [f for f in place.files() if "/t/" in f or f.endswith("/t.json")]
    assert outside.exists() and all(path.exists() for path in kept)
    place.run("rm", CACHE)
    assert not [f for f in place.files() if CACHE in f]
    assert set(place.rows()) == {("table", "kept")}


def test_sweep(full):
    outside = full.memory.parent / "precious"
    outside.mkdir()
    (outside / "file").write_text("kept")
    (full.memory / DEAD / "segments" / "link").symlink_to(outside)
    (outside / "lock").touch()  # a home of somewhere else
    (full.memory / "linked.driver").symlink_to(outside)
    (full.memory / "no-home").mkdir()
    (full.memory / "published" / "roads.json.part").write_text("{")
    full.segment(full.memory / "published" / "gone" / "1" / "a.arrow")
    (full.memory / "published" / "roads" / "notes").mkdir()
    full.home("app-dead.7", full.disk)
    alive = [f for f in full.files() if LIVE in f or NEIGHBOUR in f]

    found = full.json("sweep")
    went = {(r["what"], str(Path(r["path"]).relative_to(full.memory.parent))) for r in found["removed"]}
    assert went == {
        ("home", f"memory/{DEAD}"), ("home", "disk/app-dead.7"), ("manifest", "memory/published/roads.json.part"),
        ("edition", "memory/published/roads/1"), ("edition", "memory/published/roads/4"), ("edition", "memory/published/gone/1"),
    }  # fmt: skip
    assert found["freed_bytes"] == sum(r["freed_bytes"] for r in found["removed"]) > 0
    assert alive == [f for f in full.files() if LIVE in f or NEIGHBOUR in f]
    assert (outside / "file").read_text() == "kept"
    kept = ["linked.driver", "no-home", "published/roads/2", "published/roads/3", "published/roads/notes", "published/roads.json"]
    assert all((full.memory / name).exists() for name in kept)
    assert not (full.memory / "published" / "gone").exists()
    assert full.json("stat", "roads", "--verify")["ok"], "it outlives its writer"
    assert full.json("sweep") == {"removed": [], "freed_bytes": 0, "failed": []}
    assert "0 B freed" in full.run("sweep")


def test_sweep_frees_a_file_with_its_last_name(place):
    place.publish("t", 1, place.table(place.home(DEAD), "t", 1))
    size = bytes_of(place.memory / "published" / "t" / "1" / "part-00000-0.arrow")
    manifest = bytes_of(place.memory / DEAD / "tables" / "t.json")
    assert place.json("sweep")["freed_bytes"] == manifest
    assert place.json("rm", "t")["freed_bytes"] > size


def test_sweep_leaves_editions_of_a_damaged_manifest(full):
    (full.memory / "published" / "roads.json").write_text("{")
    full.run("sweep")
    assert sorted(p.name for p in (full.memory / "published" / "roads").iterdir()) == ["1", "2", "3", "4"]
    full.run("stat", "roads", status=3)


def test_the_copy_of_a_manifest_on_disk_is_enough(full):
    """After a boot memory is empty."""
    (full.memory / "published" / "roads.json").unlink()
    assert full.rows()["published", "roads"]["rows"] == 5
    (full.memory / "published" / "roads" / "3" / "part-00000-0.arrow").unlink()
    full.run("stat", "roads", status=3)


@pytest.mark.parametrize("verb", [["ls"], ["stat", "edges"], ["rm", "roads"], ["sweep"]], ids=lambda v: v[0])
def test_a_store_that_is_not_the_users_own_is_refused(full, verb, monkeypatch):
    before = full.files()
    full.disk.chmod(0o755)
    full.run(*verb, status=4)
    assert f"--disk-store {full.disk}: expected mode rwx------, found mode rwxr-xr-x. Do chmod 700" in full.err
    full.disk.chmod(0o700)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    full.run(*verb, status=4)
    assert f"--store {full.memory}: expected a folder of user {os.getuid() + 1}, found one of user {os.getuid()}" in full.err
    monkeypatch.undo()
    file = full.memory.parent / "file"
    file.touch()
    full.memory = file
    full.run(*verb, status=4)
    assert "expected a folder, found something else" in full.err
    full.memory = file.parent / "memory"
    assert set(full.files()) == {*before, "file"}


def test_one_store_for_both_tiers(place):
    place.disk = place.memory
    place.table(place.home(DEAD), "t")
    assert place.rows()["table", "t"]["segments"] == 2
    assert len(place.json("sweep")["removed"]) == 1


def test_defaults(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("SPARK_CONF_DIR", raising=False)
    monkeypatch.delenv("SPARK_HOME", raising=False)
    assert cli.main(["store", "ls", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["store"] == f"{'/dev/shm' if Path('/dev/shm').is_dir() else '/tmp'}/sparkgap-{os.getuid()}"
    assert found["disk_store"] == f"/tmp/sparkgap-{os.getuid()}.disk"
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    local = tmp_path / "local"
    lines = ["# spark.local.dir /no", f"spark.local.dir  {local} , /other", f"spark.sparkgap.store.dir={tmp_path}/s", "odd"]
    (tmp_path / "spark-defaults.conf").write_text("\n".join(lines))
    assert cli.main(["store", "ls", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["store"], found["disk_store"]) == (f"{tmp_path}/s", f"{local}/sparkgap-{os.getuid()}.disk")


def test_a_folder_that_is_a_link_is_not_followed(place):
    home, outside = place.home(DEAD), place.memory.parent / "outside"
    paths = [place.segment(outside / "segments" / "t" / "a.arrow"), place.segment(outside / "published" / "p" / "1" / "b.arrow")]
    (home / "segments").rmdir()
    (home / "segments").symlink_to(outside / "segments")
    (place.memory / "published").symlink_to(outside / "published")
    place.manifest(home / "tables" / "t.json", [{**paths[0], "path": str(home / "segments" / "t" / "a.arrow")}])
    place.manifest(outside / "published" / "p.json", [paths[1]], published={"edition": 2, "application": "app-dead"})
    for words in (("rm", "t"), ("rm", "p"), ("sweep",)):
        place.run(*words)
    assert all(Path(path["path"]).exists() for path in paths) and (outside / "published" / "p.json").exists()
    assert not home.exists()


@pytest.mark.parametrize("verb", ["rm", "sweep"])
def test_what_the_system_refuses(full, verb, monkeypatch):
    """Root may do anything: the refusal is made here."""
    unlink, before = Path.unlink, full.files()

    def refuse(path, **how):
        if path.name == "part-00000-0.arrow":
            raise PermissionError(1, "Operation not permitted", str(path))
        unlink(path, **how)

    monkeypatch.setattr(Path, "unlink", refuse)
    found = full.json(*((verb, "old") if verb == "rm" else (verb,)), status=4)
    assert "part-00000-0.arrow: Operation not permitted" in full.err and len(found["failed"]) == (1 if verb == "rm" else 2)
    assert (full.memory / DEAD / "lock").exists(), "the next sweep does the rest"
    assert {f for f in before if LIVE in f or NEIGHBOUR in f} <= set(full.files())


def test_it_needs_no_spark(full):
    """A process of its own: this one has imported everything."""
    where = ["--store", str(full.memory), "--disk-store", str(full.disk)]
    code = f"import sys\nfrom sparkgap import cli\nstatus = cli.main(['store', 'ls', *{where}])\n"
    code += "print(status, sorted({'pyspark', 'pyarrow', 'pandas'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines()[-1] == "0 []", done.stderr
