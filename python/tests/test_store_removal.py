# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap store rm` and `sweep`: what goes, what stays, and what is refused."""

import os
from pathlib import Path

import pytest
from store_layout import CACHE, DEAD, LIVE, NEIGHBOUR, bytes_of, folder, furnish, laid_out

from sparkgap.store_files import locks


@pytest.fixture
def place(tmp_path, capsys):
    with laid_out(tmp_path, capsys) as found:
        yield found


@pytest.fixture
def full(place):
    return furnish(place)


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
    full.segment(
        full.memory / "published" / "roads" / "3-00000000000000ff" / "part.arrow"
    )  # cut off too, or of a table that was dropped
    os.utime(
        full.memory / "published" / "roads" / folder(2), (0, 0)
    )  # the first was superseded long ago, the second just now
    alive = [f for f in full.files() if LIVE in f or NEIGHBOUR in f]

    found = full.json("sweep")
    went = {(r["what"], str(Path(r["path"]).relative_to(full.memory.parent))) for r in found["removed"]}
    assert went == {
        ("home", f"memory/{DEAD}"),
        ("home", "disk/app-dead.7"),
        ("manifest", "memory/published/roads.json.part"),
        ("edition", f"memory/published/roads/{folder(1)}"),
        ("edition", f"memory/published/roads/{folder(4)}"),
        ("edition", "memory/published/gone/1"),
        ("edition", "memory/published/roads/3-00000000000000ff"),
    }
    assert found["freed_bytes"] == sum(r["freed_bytes"] for r in found["removed"]) > 0
    assert alive == [f for f in full.files() if LIVE in f or NEIGHBOUR in f]
    assert (outside / "file").read_text() == "kept"
    kept = [
        "linked.driver",
        "no-home",
        f"published/roads/{folder(2)}",
        f"published/roads/{folder(3)}",
        "published/roads/notes",
        "published/roads.json",
    ]
    assert all((full.memory / name).exists() for name in kept)
    assert not (full.memory / "published" / "gone").exists()
    assert full.json("stat", "roads", "--verify")["ok"], "it outlives its writer"
    assert full.json("sweep") == {"removed": [], "freed_bytes": 0, "failed": []}
    assert "0 B freed" in full.run("sweep")


def test_sweep_frees_a_file_with_its_last_name(place):
    place.publish("t", 1, place.table(place.home(DEAD), "t", 1))
    size = bytes_of(place.memory / "published" / "t" / folder(1) / "part-00000-0.arrow")
    manifest = bytes_of(place.memory / DEAD / "tables" / "t.json")
    assert place.json("sweep")["freed_bytes"] == manifest
    assert place.json("rm", "t")["freed_bytes"] > size


def test_sweep_leaves_editions_of_a_damaged_manifest(full):
    (full.memory / "published" / "roads.json").write_text("{")
    full.run("sweep")
    assert sorted(p.name for p in (full.memory / "published" / "roads").iterdir()) == [folder(i) for i in (1, 2, 3, 4)]
    full.run("stat", "roads", status=3)


def test_one_store_for_both_tiers(place):
    place.disk = place.memory
    place.table(place.home(DEAD), "t")
    assert place.rows()["table", "t"]["segments"] == 2
    assert len(place.json("sweep")["removed"]) == 1


def test_a_folder_that_is_a_link_is_not_followed(place):
    home, outside = place.home(DEAD), place.memory.parent / "outside"
    paths = [
        place.segment(outside / "segments" / "t" / "a.arrow"),
        place.segment(outside / "published" / "p" / "1" / "b.arrow"),
    ]
    (home / "segments").rmdir()
    (home / "segments").symlink_to(outside / "segments")
    (place.memory / "published").symlink_to(outside / "published")
    place.manifest(home / "tables" / "t.json", [{**paths[0], "path": str(home / "segments" / "t" / "a.arrow")}])
    place.manifest(outside / "published" / "p.json", [paths[1]], published={"edition": 2, "application": "app-dead"})
    place.run("rm", "t")
    place.run("rm", "p", status=2)  # nothing is published here
    place.run("sweep")
    assert all(Path(path["path"]).exists() for path in paths) and (outside / "published" / "p.json").exists()
    assert not home.exists()


@pytest.mark.parametrize("verb", ["rm", "sweep"])
def test_what_the_system_refuses(full, verb, monkeypatch):
    """Root may do anything: the refusal is made here."""
    unlink, before = Path.unlink, full.files()
    os.utime(full.memory / "published" / "roads" / folder(2), (0, 0))

    def refuse(path, **how):
        if path.name == "part-00000-0.arrow":
            raise PermissionError(1, "Operation not permitted", str(path))
        unlink(path, **how)

    monkeypatch.setattr(Path, "unlink", refuse)
    found = full.json(*((verb, "old") if verb == "rm" else (verb,)), status=4)
    assert "part-00000-0.arrow: Operation not permitted" in full.err and len(found["failed"]) == (
        1 if verb == "rm" else 2
    )
    assert (full.memory / DEAD / "lock").exists(), "the next sweep does the rest"
    assert {f for f in before if LIVE in f or NEIGHBOUR in f} <= set(full.files())
