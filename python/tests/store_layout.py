# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Stores that are laid out by hand, as store/FORMAT.md says, and `sparkgap store` on them."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys

import google_crc32c
import pyarrow as pa

from sparkgap import cli

LIVE, DEAD, NEIGHBOUR = "app-live.driver", "app-dead.driver", "app-live.0"
UNIQUE = "0d9f3a52-4f0e-4a55-8d5e-0123456789ab"
CACHE = f"cache-{UNIQUE}"
FORM = re.compile(r"[^:]+: expected .+, found .*\. .+\n")
# What a living process does with the lock of its home.
HOLD = (
    "import fcntl, sys\nf = open(sys.argv[1], 'r+')\nfcntl.lockf(f, fcntl.LOCK_EX)\nprint('held',"
    " flush=True)\nsys.stdin.read()"
)


def folder(edition):
    """Of an edition of a published table."""
    return f"{edition}-00000000000000a{edition}"


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
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", HOLD, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.processes.append(process)
        assert process.stdout.readline() == b"held\n"
        return process

    def segment(self, path, n=5):
        """A segment of n rows, and its entry in a manifest."""
        path.parent.mkdir(parents=True, exist_ok=True)
        batch = pa.record_batch(
            {"src": pa.array(range(n), pa.int64()), "at": pa.array([0] * n, pa.timestamp("us", "UTC"))}
        )
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, batch.schema) as writer:
            writer.write_batch(batch)
        return self.entry(path, n)

    def entry(self, path, n=5):
        whole = path.read_bytes()
        checksum = f"{google_crc32c.value(whole):08x}"
        return {"host": "node1", "path": str(path), "rows": n, "bytes": len(whole), "crc32c": checksum}

    def manifest(self, file, segments, **more):
        file.parent.mkdir(parents=True, exist_ok=True)
        schema = [
            {"name": "src", "type": "bigint", "nullable": True},
            {"name": "at", "type": "timestamp", "nullable": False},
        ]
        totals = {key: sum(s[key] for s in segments) for key in ("rows", "bytes")}
        said = {"version": 1, "name": file.stem, **totals, "schema": schema, "segments": segments, **more}
        file.write_text(json.dumps(said))

    def table(self, home, name, n_segments=2):
        paths = [home / "segments" / f"{name}.{UNIQUE}" / f"part-{i:05}-0.arrow" for i in range(n_segments)]
        self.manifest(home / "tables" / f"{name}.json", [self.segment(p) for p in paths])
        return paths

    def publish(self, name, edition, paths, durable=None):
        """Further names for segments, each in the store that it lies in, then both manifests."""
        segments = []
        for path in paths:
            root = self.disk if path.resolve().is_relative_to(self.disk) else self.memory
            (root / "published").mkdir(mode=0o700, exist_ok=True)
            named = root / "published" / name / folder(edition) / path.name
            named.parent.mkdir(parents=True, exist_ok=True)
            os.link(path.resolve(), named)
            segments.append(self.entry(named))
        said = {
            "edition": edition,
            "folder": folder(edition),
            "application": "app-dead",
            "at": "2026-11-22T02:40:00Z",
            "durable": durable,
        }
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
        return sorted(
            str(p.relative_to(self.memory.parent)) for p in self.memory.parent.rglob("*") if p.name != ".lock"
        )


@contextlib.contextmanager
def laid_out(folder, capsys):
    """Two empty stores; what holds their locks ends with the block."""
    found = Place(folder, capsys).make()
    try:
        yield found
    finally:
        for process in found.processes:
            process.kill()
            process.wait()
            process.stdin.close()
            process.stdout.close()


def furnish(place):
    """A living application with a table, a graph and a cache in both tiers; one that was killed, with a table; editions
    1 to 3.
    """
    live = place.home(LIVE)
    place.hold(live / "lock")
    place.table(live, "edges")
    arcs = {
        way: [place.segment(live / "segments" / f"web.{UNIQUE}" / f"{way}-00000.arrow", 7)] for way in ("in", "out")
    }
    vertices = [place.segment(live / "segments" / f"web.{UNIQUE}" / "part-0-0.arrow")]
    place.manifest(
        live / "tables" / "web.json", vertices, graph={"directed": True, "weighted": False, "edges": 7, **arcs}
    )

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
        place.segment(place.memory / "published" / "roads" / folder(4) / "part.arrow")  # a publish that was cut off
    process.send_signal(signal.SIGKILL)
    process.wait()
    return place


def bytes_of(*paths):
    return sum(p.stat().st_size for p in paths)
