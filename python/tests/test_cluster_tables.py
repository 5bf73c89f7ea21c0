# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Published tables that outlive a cluster, what a node's process that was killed leaves, and ways of setting Spark."""

import json
import os
import shutil
import subprocess
import sys

import pyarrow as pa
import pytest

from sparkgap import ArgumentError, DataError, ResourceError, local
from sparkgap.cluster import leftovers, proof, tables
from sparkgap.cluster.allocation import Allocation, Node
from sparkgap.cluster.control import Wanted, start, stop
from sparkgap.cluster.folder import Folder
from sparkgap.local.home import passing
from sparkgap.store_files import manifests, publication
from sparkgap.store_files.details import crc32c
from sparkgap.store_files.places import Stores


@pytest.fixture
def stores(tmp_path):
    """Those of one cluster after the other."""

    def made(name):
        found = Stores.of(tmp_path / name / "memory", tmp_path / name / "disk")
        for each in (found.memory, found.disk):
            each.mkdir(mode=0o700, parents=True)
        return found

    return made


def rows_of(store, name):
    return local.table(f"published.{name}", store=store.memory).rows.to_pydict()


def files(place):
    return sorted(str(f.relative_to(place)) for f in place.rglob("*") if f.is_file() and f.name != ".lock")


@pytest.mark.parametrize("room", [1 << 30, 10])
def test_tables_outlive_a_cluster(stores, tmp_path, room):
    one, two, kept = stores("one"), stores("two"), tmp_path / "kept"
    local.publish({"id": [1, 2, None], "word": ["a", "b", "c"]}, "words", store=one.memory)
    local.publish({"id": pa.array([], pa.int64())}, "none", store=one.memory)
    assert {(each.name, each.why) for each in tables.keep(one, kept, {})} == {("words", ""), ("none", "")}
    shutil.rmtree(one.memory / "published")
    kept = kept.rename(tmp_path / "moved")
    assert [each.name for each in tables.bring(kept, two, room)] == ["none", "words"]
    assert rows_of(two, "words") == {"id": [1, 2, None], "word": ["a", "b", "c"]} and rows_of(two, "none") == {"id": []}
    (segment,) = manifests.read_published(two.memory / "published" / "words.json").segments
    assert segment.path.is_relative_to(two.memory if room > 10 else two.disk)
    assert not list((two.memory / "published").rglob("*.part"))
    assert [f.name for f in two.memory.iterdir() if f.name not in (".lock", "published")] == [], "no home stays"


def test_only_what_changed_is_copied_again(stores, tmp_path):
    one, two, kept = stores("one"), stores("two"), tmp_path / "kept"
    for name in ("a", "b"):
        local.publish({"id": [1]}, name, store=one.memory)
    assert all(each.bytes for each in tables.keep(one, kept, {}))
    before = files(kept)
    brought = {each.name: each.folder for each in tables.bring(kept, two, 1 << 30)}
    assert [each.bytes for each in tables.keep(two, kept, brought)] == [0, 0] and files(kept) == before
    local.publish({"id": [1, 2]}, "b", store=two.memory)
    done = {each.name: each.bytes for each in tables.keep(two, kept, brought)}
    assert done["a"] == 0 < done["b"]
    assert [each.bytes for each in tables.keep(two, kept, brought)] == [0, 0], "not twice"
    three = stores("three")
    tables.bring(kept, three, 1 << 30)
    assert rows_of(three, "b") == {"id": [1, 2]} and len(files(kept)) == len(before), "the older edition is gone"


def test_an_older_edition_does_not_replace_a_newer_one(stores, tmp_path):
    """Two clusters have brought the same table; the first one to end has published it anew."""
    one, two, three, kept = stores("one"), stores("two"), stores("three"), tmp_path / "kept"
    local.publish({"id": [1]}, "a", store=one.memory)
    tables.keep(one, kept, {})
    brought = [{each.name: each.folder for each in tables.bring(kept, each, 1 << 30)} for each in (two, three)]
    local.publish({"id": [2]}, "a", store=two.memory)
    tables.keep(two, kept, brought[0])
    tables.keep(three, kept, brought[1])
    four = stores("four")
    tables.bring(kept, four, 1 << 30)
    assert rows_of(four, "a") == {"id": [2]}


def test_a_graph_keeps_its_arcs(stores, tmp_path):
    one, two, kept = stores("one"), stores("two"), tmp_path / "kept"
    with passing(one.memory) as home:
        parts = []
        for name, role in (("part.arrow", "rows"), ("in-0.arrow", "in"), ("out-0.arrow", "out")):
            file = home.path / "segments" / name
            file.write_bytes(name.encode() * 100)
            parts.append(publication.Part(file, 3, file.stat().st_size, crc32c(file), role))
        graph = {"directed": True, "weighted": False, "edges": 3}
        publication.publish("web", [("id", "bigint", False)], parts, one.present(), "app-1", graph=graph)
    tables.keep(one, kept, {})
    tables.bring(kept, two, 1 << 30)
    found = manifests.read_published(two.memory / "published" / "web.json")
    assert [s.role for s in found.segments] == ["rows", "in", "out"] and found.rows == 3
    assert found.graph["edges"] == 3 and found.published["application"] == "app-1"
    assert [s.path.read_bytes() for s in found.segments] == [part.path.name.encode() * 100 for part in parts]


@pytest.mark.parametrize("harm", ["changed", "shorter", "link", "no manifest"])
def test_a_damaged_copy_is_refused(stores, tmp_path, harm):
    one, two, kept = stores("one"), stores("two"), tmp_path / "kept"
    local.publish({"id": list(range(1000))}, "words", store=one.memory)
    tables.keep(one, kept, {})
    (file,) = kept.glob("words/*/*")
    whole = file.read_bytes()
    if harm == "changed":
        file.write_bytes(whole[:-9] + b"x" + whole[-8:])
    elif harm == "shorter":
        file.write_bytes(whole[:-1])
    elif harm == "link":
        file.rename(tmp_path / "real")
        file.symlink_to(tmp_path / "real")
    else:
        (kept / "words.json").write_text(json.dumps({"version": 1}))
    with pytest.raises((DataError, ResourceError), match="words"):
        tables.bring(kept, two, 1 << 30)
    assert not (two.memory / "published" / "words.json").exists()
    assert tables.bring(tmp_path / "nowhere", two, 1) == []


def test_a_table_that_is_damaged_does_not_keep_the_others(stores, tmp_path):
    one, kept = stores("one"), tmp_path / "kept"
    for name in ("a", "b"):
        local.publish({"id": [1]}, name, store=one.memory)
    (file,) = (one.memory / "published" / "a").glob("*/*")
    file.write_bytes(b"no rows")
    done = {each.name: each.why for each in tables.keep(one, kept, {})}
    assert "bytes with checksum" in done["a"] and done["b"] == ""
    assert tables.words(tables.keep(one, kept, {})).startswith("1 tables, 0 MB; not a: ")
    assert not list(kept.rglob("*.part")) and not (kept / "a.json").exists()


def test_what_a_killed_process_left_is_taken_away(tmp_path):
    places = {n: tmp_path / leftovers.name("7", f"0123456{n}", node) for n, node in ((1, "n1"), (2, "n1"), (3, "x-n1"))}
    stores_ = {n: tmp_path / f"sparkgap-{os.getuid()}-store-{n}" for n in places}
    foreign = tmp_path / "other"
    for place in (*places.values(), *stores_.values(), foreign):
        place.mkdir()
    script = (
        "import sys\nfrom pathlib import Path\nfrom sparkgap.cluster import leftovers\n"
        "leftovers.hold(Path(sys.argv[1]), sys.argv[2:])\nprint('held', flush=True)\nsys.stdin.read()\n"
    )
    running = {}
    for n, place in places.items():
        words = [sys.executable, "-c", script, str(place), str(stores_[n]), str(foreign)]
        running[n] = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        running[n].stdout.readline()
    for n in (1, 3):
        running[n].kill()
        running[n].wait()
    leftovers.sweep(tmp_path, "n1")
    assert not places[1].exists() and not stores_[1].exists()
    assert places[2].exists() and stores_[2].exists(), "it lives"
    assert places[3].exists() and stores_[3].exists() and foreign.exists(), "of another node, and not ours"
    running[2].kill()
    running[2].wait()
    stores_[2].chmod(0o700)
    with passing(stores_[2]):
        leftovers.sweep(tmp_path, "n1")
        assert not places[2].exists() and stores_[2].exists(), "a program still uses its store"
    for each in running.values():
        each.stdin.close()
        each.stdout.close()


def folders(**speeds):
    return [
        {
            "path": f"/{name}",
            "kind": "disk",
            "type": "ext4",
            "free_bytes": 1 << 40,
            "write_bytes_per_s": speed,
            "read_bytes_per_s": speed,
        }
        for name, speed in speeds.items()
    ]


def test_ways_of_setting_spark(tmp_path):
    nodes = [{"node": name, "cpus": 4, "memory_bytes": 16 << 30} for name in ("a", "b")]
    nodes[0]["folders"], nodes[1]["folders"] = folders(fast=2e9, slow=1e8, own=1e6), folders(fast=1e9, slow=2e8)
    wanted = Wanted(Allocation("hosts", "1", (Node("a"), Node("b"))), Folder(tmp_path), {"spark.locality.wait": "7s"})
    ways, left_out = proof._ways(wanted, nodes)
    assert list(ways) == ["plan", "defaults", "slowest folder"] and not left_out
    assert ways["slowest folder"]["spark.local.dir"] == "/slow", "a folder of one node alone is no choice"
    assert {each["spark.locality.wait"] for each in ways.values()} == {"7s"}, "what the user says holds in all"
    for each in nodes:
        each["folders"] = folders(fast=1e9)
    assert list(proof._ways(wanted, nodes)[1]) == ["slowest folder"]
    measured = {name: proof.Measured({"spark.shuffle.compress": "true", "spark.local.dir": "/x"}) for name in ways}
    for n, each in enumerate(measured.values()):
        each.seconds.extend([10.0 * (n + 1), 12.0 * (n + 1), 30.0])
    found = proof.Proof(["sort"], ["a"], measured, {})
    assert found.times("plan") == 1 and found.times("defaults") == 2 and "slowest folder" in found.as_text()
    assert json.loads(json.dumps(found.as_json()))["ways"]["defaults"]["median_s"] == 24


def test_one_start_at_a_time_in_a_folder(tmp_path):
    folder = Folder(tmp_path / "cluster")
    with folder.alone(), pytest.raises(ArgumentError, match="where one starts now"), folder.alone():
        pass
    with folder.alone():
        folder.make()


def test_tables_with_two_places_are_refused(tmp_path):
    wanted = Wanted(
        Allocation("hosts", "1", (Node("a"),)), Folder(tmp_path), {"spark.sparkgap.store.dir": "/x"}, tables=tmp_path
    )
    with pytest.raises(ArgumentError, match="found both"):
        start(wanted, print)


def test_a_cluster_of_another_host_is_not_stopped_from_here(tmp_path):
    folder = Folder(tmp_path / "cluster")
    folder.make()
    folder.say(state="up", host="elsewhere", master="spark://x")
    with pytest.raises(ArgumentError, match="host elsewhere, where it was started"):
        stop(folder)
    assert folder.state()["state"] == "up"


def test_a_size_that_is_none(tmp_path):
    wanted = Wanted(Allocation("hosts", "1", (Node("a"),)), Folder(tmp_path / "c"), {})
    with pytest.raises(ArgumentError, match="512m or 4g"):
        proof.prove(wanted, [], 1, "much", print)
