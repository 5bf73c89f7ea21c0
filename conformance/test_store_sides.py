# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Java and Python on the same stores: each scenario is laid out by one and by the other, and listed, dropped and
swept by each, with the same end.
"""

import json
import os
import subprocess

import pytest
from conftest import wait_for
from store_scenarios import NOBODY, SCENARIOS, root_only
from store_sides import HANDS, OWNERS, JavaHand, PythonHand, folder, java, scene  # noqa: F401

by_both = pytest.mark.parametrize("owner", OWNERS)
with_both = pytest.mark.parametrize("hand", HANDS)


@pytest.fixture(autouse=True)
def mutable(tmp_path):
    """chattr outlives a test that fails."""
    yield
    if os.geteuid() == 0:
        subprocess.run(["chattr", "-R", "-i", tmp_path], stderr=subprocess.DEVNULL, check=False)


def sweep(hand):
    hand.start_sweep()
    return hand.finish_sweep()


def drop(hand, name):
    hand.start_drop(name)
    return hand.finish_drop()


def without(tree, gone):
    assert all(any(path == g or path.startswith(g + "/") for path in tree) for g in gone), (tree, gone)
    return {path for path in tree if not any(path == g or path.startswith(g + "/") for g in gone)}


@by_both
@with_both
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.__name__)
def test_what_both_list_and_a_sweep_leaves(scene, owner, hand, scenario):  # noqa: F811
    scene.owner = OWNERS[owner]
    end = scenario(scene)
    before = scene.tree()
    listed = {name: its(scene).list() for name, its in HANDS.items()}
    assert listed["java"] == listed["python"]
    assert scene.tree() == before, "looking changes nothing"
    done = sweep(HANDS[hand](scene))
    assert (done.code, done.said) == (end.codes.get(hand, 0), end.homes), done.text
    assert scene.tree() == without(before, end.gone)


@by_both
@with_both
def test_drop_takes_a_table_and_nothing_else(scene, owner, hand):  # noqa: F811
    scene.owner = OWNERS[owner]
    app = scene.own()
    app.table("t")
    app.move("t")
    app.table("other")
    for name in ("t", "other", "other"):
        app.publish(name)
    scene.edition("t", 4)
    for kept in ("t/notes", "t.txt"):
        (scene.published / kept).parent.mkdir(exist_ok=True)
        (scene.published / kept).write_text("kept")
    (scene.published / "linked").symlink_to(scene.published / "other")
    (scene.disk / "published" / "t.json.part").write_text("{")
    before = scene.tree()
    done = drop(HANDS[hand](scene), "t")
    assert done.code == 0, done.text
    gone = ["memory/published/t.json", "disk/published/t.json", "memory/published/t/4-*", "disk/published/t"]
    assert scene.tree() == without(before, gone)
    for absent in ("t", "linked", "none"):
        assert drop(HANDS[hand](scene), absent).code == 2
    assert scene.tree() == without(before, gone)


REFUSED = {
    "a file": (lambda p: p.write_text("x"), "expected a folder, found something else"),
    "a link to nothing": (lambda p: p.symlink_to("nowhere"), "expected a folder, found a link to nothing"),
    "open to others": (lambda p: (p.mkdir(), p.chmod(0o755)), "expected mode rwx------, found mode rwxr-xr-x"),
    "of another user": (
        lambda p: (root_only(), p.mkdir(0o700), os.chown(p, NOBODY, NOBODY)),
        "expected a folder of user 0, found one of user 65534",
    ),
}


@pytest.mark.parametrize("tier", ["memory", "disk"])
@pytest.mark.parametrize("kind", REFUSED)
def test_a_store_that_is_not_ours_is_refused_in_the_same_words(scene, tier, kind):  # noqa: F811
    make, reason = REFUSED[kind]
    store = getattr(scene, tier)
    store.rmdir()
    make(store)
    before = scene.tree()
    for hand in HANDS.values():
        done = sweep(hand(scene))
        assert (done.code, done.reason) == (4, reason), done.text
    assert scene.tree() == before


def test_a_lock_that_is_a_link_is_refused(scene):  # noqa: F811
    scene.owner = OWNERS["python"]
    scene.own().kill()
    scene.outside.write_text("kept")
    (scene.memory / ".lock").symlink_to(scene.outside)
    before = scene.tree()
    for hand in HANDS.values():
        done = sweep(hand(scene))
        assert done.code == 4 and "found Too many levels of symbolic links" in done.text, done.text
    assert scene.tree() == before and scene.outside.read_text() == "kept"


def waits_for(hand, lock):
    """Whether a process has the file open: until it has the lock it does nothing else."""
    for fd in os.listdir(f"/proc/{hand.pid}/fd"):
        try:
            if os.readlink(f"/proc/{hand.pid}/fd/{fd}") == str(lock):
                return True
        except FileNotFoundError:
            pass
    return False


@with_both
def test_a_home_that_is_being_born_is_not_swept(scene, hand):  # noqa: F811
    """Its folder and lock file are there, and not yet the lock: all of that lies under the lock of the store."""
    (scene.memory / ".lock").touch()
    held = scene.hold(scene.memory / ".lock")
    home = scene.place.home("born.driver")
    sweeper = HANDS[hand](scene)
    sweeper.start_sweep()
    wait_for("the sweep to wait", lambda: waits_for(sweeper, scene.memory / ".lock"))
    scene.hold(home / "lock")
    before = scene.tree()
    held.kill()
    done = sweeper.finish_sweep()
    assert (done.code, done.said) == (0, 0)
    assert scene.tree() == before


@with_both
@pytest.mark.parametrize("tier", ["memory", "disk", "disk alone"])
def test_a_publish_that_is_not_finished_is_not_swept(scene, hand, tier):  # noqa: F811
    """Its edition has a folder and no manifest yet. The locks of both stores are held: who knows only one of them waits
    too.
    """
    scene.owner = OWNERS["python"]
    app = scene.own()
    app.table("t")
    app.publish("t")
    if tier == "disk alone":  # a boot took the memory, and a sweep comes before it is made again
        app.kill()
        subprocess.run(["rm", "-r", scene.memory], check=True)
    store = scene.memory if tier == "memory" else scene.disk
    (store / ".lock").touch()
    held = scene.hold(store / ".lock")
    made = scene.edition("t", 2, scene.disk)
    sweeper = HANDS[hand](scene)
    sweeper.start_sweep()
    wait_for("the sweep to wait", lambda: waits_for(sweeper, store / ".lock"))
    said = json.loads((scene.disk / "published" / "t.json").read_text())
    said["published"] |= {"edition": 2, "folder": folder(2)}
    (scene.disk / "published" / "t.json").write_text(json.dumps(said))
    held.kill()
    assert sweeper.finish_sweep().code == 0
    assert (made / "part.arrow").exists()


@with_both
@pytest.mark.parametrize("tier", ["memory", "disk"])
def test_a_drop_waits_for_both_stores(scene, hand, tier):  # noqa: F811
    scene.owner = OWNERS["java"]
    app = scene.own()
    app.table("t")
    app.publish("t")
    lock = getattr(scene, tier) / ".lock"
    held = scene.hold(lock)
    dropper = HANDS[hand](scene)
    dropper.start_drop("t")
    wait_for("the drop to wait", lambda: waits_for(dropper, lock))
    assert (scene.published / "t.json").exists()
    held.kill()
    assert dropper.finish_drop().code == 0
    assert os.listdir(scene.published) == []


def test_many_sweep_at_once(scene):  # noqa: F811
    """Each dead home goes once, what lives stays, and nobody trips over another."""
    scene.owner = OWNERS["java"]
    scene.own("living").table("t")
    dead = [scene.place.home(f"dead-{i}.driver", store) for i in range(30) for store in (scene.memory, scene.disk)]
    for home in dead:
        for i in range(20):
            (home / "segments" / f"{i}.arrow").write_text("x")
        scene.edition(home.name.partition(".")[0], 1)
    hands = [JavaHand(scene, scene.jvm()), PythonHand(scene), JavaHand(scene, scene.jvm()), PythonHand(scene)]
    for hand in hands:
        hand.start_sweep()
    done = [hand.finish_sweep() for hand in hands]
    assert [d.code for d in done] == [0] * len(hands), [d.text for d in done]
    assert sum(d.said for d in done) == len(dead)
    assert {path.split("/")[1] for path in scene.tree()} == {"living.driver", "published"}
    assert os.listdir(scene.published) == []


def test_homes_come_and_go_while_both_sweep(scene):  # noqa: F811
    makers = [scene.jvm() for _ in range(2)]
    for maker in makers:
        maker.start("births", "app", 200)
    hands = {name: hand(scene) for name, hand in HANDS.items()}
    for _ in range(5):
        assert [sweep(hand).code for hand in hands.values()] == [0, 0]
    assert [maker.finish().said for maker in makers] == [0, 0], "homes that lost something while they lived"
    assert scene.tree() == set()
