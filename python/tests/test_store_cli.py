# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap store ls` and `stat`: what they find, whole or damaged, and that looking changes nothing."""

import fcntl
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from store_layout import CACHE, DEAD, LIVE, NEIGHBOUR, UNIQUE, Place, bytes_of, folder, furnish, laid_out

from sparkgap import cli
from sparkgap.store_files import locks


@pytest.fixture
def place(tmp_path, capsys):
    with laid_out(tmp_path, capsys) as found:
        yield found


@pytest.fixture
def full(place):
    return furnish(place)


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
    assert set(rows) == {
        ("table", "edges"),
        ("graph", "web"),
        ("cache", CACHE),
        ("table", "old"),
        ("published", "roads"),
    }
    edges = rows["table", "edges"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", edges.pop("modified"))
    size = bytes_of(*(full.memory / LIVE / "segments" / f"edges.{UNIQUE}").iterdir())
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
    files = [
        full.memory / "published" / "roads" / e for e in (f"{folder(3)}/part-00000-0.arrow", f"{folder(4)}/part.arrow")
    ]
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


@pytest.mark.parametrize(
    "text", ["[]", "3", "null", '{"version": 2}', '{"version": 1, "name": "x"}', "\xff", "[" * 100_000]
)
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
    path = full.memory / "published" / "roads" / folder(3) / "part-00000-0.arrow"
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
    one, two = sorted((full.memory / LIVE / "segments" / f"edges.{UNIQUE}").iterdir())
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


def test_the_copy_of_a_manifest_on_disk_is_enough(full):
    """After a boot memory is empty."""
    (full.memory / "published" / "roads.json").unlink()
    assert full.rows()["published", "roads"]["rows"] == 5
    (full.memory / "published" / "roads" / folder(3) / "part-00000-0.arrow").unlink()
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
    assert (
        f"--store {full.memory}: expected a folder of user {os.getuid() + 1}, found one of user {os.getuid()}"
        in full.err
    )
    monkeypatch.undo()
    file = full.memory.parent / "file"
    file.touch()
    full.memory = file
    full.run(*verb, status=4)
    assert "expected a folder, found something else" in full.err
    full.memory = file.parent / "memory"
    assert set(full.files()) == {*before, "file"}


def test_defaults(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("SPARK_CONF_DIR", raising=False)
    monkeypatch.delenv("SPARK_HOME", raising=False)
    assert cli.main(["store", "ls", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["store"] == f"{'/dev/shm' if Path('/dev/shm').is_dir() else '/tmp'}/sparkgap-{os.getuid()}"
    assert found["disk_store"] == f"/tmp/sparkgap-{os.getuid()}.disk"
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    local = tmp_path / "local"
    lines = [
        "# spark.local.dir /no",
        f"spark.local.dir  {local} , /other",
        f"spark.sparkgap.store.dir={tmp_path}/s",
        "odd",
    ]
    (tmp_path / "spark-defaults.conf").write_text("\n".join(lines))
    assert cli.main(["store", "ls", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["store"], found["disk_store"]) == (f"{tmp_path}/s", f"{local}/sparkgap-{os.getuid()}.disk")


def test_it_needs_no_spark(full):
    """A process of its own: this one has imported everything."""
    where = ["--store", str(full.memory), "--disk-store", str(full.disk)]
    code = f"import sys\nfrom sparkgap import cli\nstatus = cli.main(['store', 'ls', *{where}])\n"
    code += "print(status, sorted({'pyspark', 'pyarrow', 'pandas'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines()[-1] == "0 []", done.stderr
