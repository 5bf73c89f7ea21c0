# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What an owner can leave in a store, each with what a sweep has to make of it
(store/FORMAT.md, What a sweep removes).
"""

import json
import os
import subprocess
from dataclasses import dataclass, field

import pytest
from store_sides import folder

NOBODY = 65534


def root_only():
    if os.geteuid() != 0:
        if os.environ.get("CI") == "true":
            pytest.fail("this scenario needs root, and CI=true forbids leaving it out")
        pytest.skip("needs root")


@dataclass
class End:
    """What a sweep comes to: all of the tree is there but what lies below `gone`."""

    gone: list[str] = field(default_factory=list)
    homes: int = 0
    codes: dict[str, int] = field(default_factory=dict)


def owner_lives(s):
    app = s.own()
    app.table("t")
    app.half("begun")
    return End()


def owner_was_killed(s):
    s.own("other").table("t")
    app = s.own()
    app.table("t")
    app.half("begun")
    app.kill()
    return End(["memory/app.driver"], homes=1)


def another_users_process_holds_the_home(s):
    root_only()
    app = s.own()
    app.table("t")
    app.kill()
    s.hold(app.home / "lock", user=NOBODY)
    subprocess.run(["chown", "-R", str(NOBODY), app.home], check=True)
    return End()


def a_dead_home_of_another_user(s):
    root_only()
    app = s.own()
    app.table("t")
    app.kill()
    subprocess.run(["chown", "-R", str(NOBODY), app.home], check=True)
    return End(["memory/app.driver"], homes=1)


def a_segment_moved_and_its_owner_lives(s):
    app = s.own()
    app.table("t")
    app.move("t")
    return End()


def a_segment_moved_and_its_owner_was_killed(s):
    app = s.own()
    app.table("t")
    app.move("t")
    app.publish("t")
    app.kill()
    return End(["memory/app.driver", "disk/app.driver"], homes=2)


def published_and_its_owner_was_killed(s):
    app = s.own()
    app.table("t")
    app.publish("t")
    app.kill()
    return End(["memory/app.driver"], homes=1)


def published_and_its_segments_are_missing(s):
    app = s.own()
    app.table("t")
    app.publish("t")
    next(s.published.glob("t/*/*.arrow")).unlink()
    return End()


def editions(s):
    """The first was superseded long ago, the second just now; another publish, and one of another name, were cut
    off.
    """
    app = s.own()
    app.table("t")
    for _ in range(3):
        app.publish("t")
    os.utime(next(s.published.glob("t/2-*")), (0, 0))
    s.edition("t", 4)
    s.edition("t", 4, s.disk)
    s.edition("begun", 1)
    (s.published / "t.json.part").write_text("{")
    return End(
        [
            "memory/published/t/1-*",
            "memory/published/t/4-*",
            "disk/published/t",
            "memory/published/begun",
            "memory/published/t.json.part",
        ]
    )


def the_manifest_is_on_disk_alone(s):
    """After a boot, or between the two renames."""
    app = s.own()
    app.table("t")
    app.publish("t")
    (s.published / "t.json").unlink()
    return End()


def other_files(s):
    """What is no home, no edition and no manifest, by name or by kind."""
    s.own().table("t")
    for made in (
        "project/lock",
        "a b.driver/lock",
        ".git/lock",
        "app/lock",
        "notes.driver/a.arrow",
        "dir.driver/lock/x",
        "published/lock",
        "published/a b.json.part",
        "published/a b/1/x.arrow",
        "published/notes.txt",
        "published/t/notes",
        "published/t/5",
        "published/t/0-ab/x",
        "published/t/3-AB/x",
        "published/folder.json/x",
    ):
        (s.memory / made).parent.mkdir(parents=True, exist_ok=True)
        (s.memory / made).write_text("kept")
    return End()


def links_that_lead_out(s):
    for made in ("app.driver/lock", "editions/1/x", "segments/a.arrow", "manifest.json"):
        (s.outside / made).parent.mkdir(parents=True, exist_ok=True)
        (s.outside / made).write_text("kept")
    app = s.own()
    app.table("t")
    app.publish("t")
    app.kill()
    (app.home / "segments" / "link").symlink_to(s.outside / "segments")
    (s.memory / "link.driver").symlink_to(s.outside / "app.driver")
    lone = s.memory / "lone.driver"
    lone.mkdir()
    (lone / "lock").symlink_to(s.outside / "app.driver" / "lock")
    (s.published / "link").symlink_to(s.outside / "editions")
    (s.published / "t" / "7-ab").symlink_to(s.outside / "editions")
    (s.published / "linked.json").symlink_to(s.outside / "manifest.json")
    s.edition("linked", 1)
    return End(["memory/app.driver"], homes=1)


def what_is_published_is_a_link(s):
    s.own()
    s.outside.mkdir()
    s.published.symlink_to(s.outside)
    s.edition("t", 1)
    (s.outside / "t.json.part").write_text("{")
    return End()


def damaged_manifests(s):
    """Each has an edition beside, which its owner may still want."""
    app = s.own()
    app.table("t")
    app.publish("t")
    whole = json.loads((s.published / "t.json").read_text())
    said = whole["published"]
    odd = [
        {**whole, "published": p}
        for p in (
            {},
            None,
            "x",
            {**said, "edition": 0},
            {**said, "edition": 2},
            {**said, "folder": "notes"},
            {**said, "edition": True},
        )
    ]
    texts = [
        *map(json.dumps, odd),
        "",
        "{",
        json.dumps(whole) + "}",
        json.dumps({**whole, "version": 2}),
        json.dumps({**whole, "version": 1.0}),
    ]
    for i, text in enumerate(texts):
        (s.published / f"odd{i:02}.json").write_text(text)
        s.edition(f"odd{i:02}", 1)
    return End()


def a_file_that_the_system_keeps(s):
    """It stays, with the lock file of its home, so that the next sweep tries again."""
    root_only()
    app, other = s.own(), s.own("other")
    app.kill()
    other.kill()
    kept = app.home / "segments" / "kept.arrow"
    kept.write_text("kept")
    for name in ("before", "kept", "last"):
        s.edition(name, 1)
    subprocess.run(["chattr", "+i", kept, s.published / "kept" / folder(1) / "part.arrow"], check=True)
    # Of the rest of that home a sweep may have come to all or nothing.
    for part in ("tables", "jobs"):
        (app.home / part).rmdir()
    return End(
        ["memory/other.driver", "memory/published/before", "memory/published/last"],
        homes=1,
        codes={"java": 0, "python": 4},
    )


SCENARIOS = [
    owner_lives,
    owner_was_killed,
    another_users_process_holds_the_home,
    a_dead_home_of_another_user,
    a_segment_moved_and_its_owner_lives,
    a_segment_moved_and_its_owner_was_killed,
    published_and_its_owner_was_killed,
    published_and_its_segments_are_missing,
    editions,
    the_manifest_is_on_disk_alone,
    other_files,
    links_that_lead_out,
    what_is_published_is_a_link,
    damaged_manifests,
    a_file_that_the_system_keeps,
]
