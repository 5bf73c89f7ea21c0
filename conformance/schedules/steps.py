# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What threads do, drawn from a seed, and what each version of a table holds.

Every step that makes a table has a stamp of its own, from which all values of the table follow, its number of rows too:
a reader can tell from the rows which version they are, and whether they are all of it and nothing else.
"""

import random
from dataclasses import dataclass

APPLICATIONS, THREADS = 2, 2
NAMES, PUBLISHED = ("a", "b"), ("published.p", "published.q")
# What a step makes, and the columns and types that the table has.
KINDS = ("table", "degree", "components", "pagerank", "build")
VALUES = ("bigint", "double", "string", "int")
# How often each is drawn. `again` reads a DataFrame that was made before, `feed` and `walk` read by a kernel.
VERBS = {
    "create": 2,
    "overwrite": 4,
    "call": 6,
    "build": 3,
    "drop": 5,
    "read": 3,
    "open": 3,
    "again": 7,
    "feed": 1,
    "walk": 1,
    "publish": 3,
    "publish_new": 2,
    "unpublish": 2,
    "read_published": 2,
    "open_published": 3,
    "cancel": 1,
}
MAKES = ("create", "overwrite", "call", "build", "publish_new")


@dataclass(frozen=True)
class Step:
    """One thing that a thread does.

    `name` is the table's, `target` the one that it is published as, `opened` the step whose DataFrame is read again,
    `victim` the thread that is cancelled.
    """

    id: int
    application: int
    thread: int
    verb: str
    name: str = ""
    kind: str = ""
    stamp: int = 0
    rows: int = 0
    target: str = ""
    opened: int = -1
    victim: int = -1

    @property
    def register(self):
        """Whose name it is: published names are everybody's."""
        return self.name if self.name.startswith("published.") else f"{self.application}:{self.name}"

    def __str__(self):
        parts = [
            self.name,
            self.kind,
            f"stamp {self.stamp}" if self.stamp else "",
            f"as {self.target}" if self.target else "",
        ]
        parts += [
            f"of step {self.opened}" if self.opened >= 0 else "",
            f"thread {self.victim}" if self.victim >= 0 else "",
        ]
        return (
            f"{self.id:2}  application {self.application} thread {self.thread}  {self.verb}"
            f" {' '.join(p for p in parts if p)}"
        )


def schedule(number, seed, length=16):
    """The steps of a schedule, each thread's in its order; the same for the same arguments. Threads begin with a table
    and a DataFrame of it, or two at once with one name.
    """
    rng = random.Random(f"{seed}-{number}")
    steps, opened = [], []
    for i in range(length):
        application, thread = (
            (i % APPLICATIONS, i // APPLICATIONS % THREADS)
            if i < 8
            else (rng.randrange(APPLICATIONS), rng.randrange(THREADS))
        )
        drawn = (
            [v for v in VERBS if v in MAKES]
            if i < 4
            else [v for v in VERBS if v.startswith("open")]
            if i < 8
            else list(VERBS)
        )
        verb = rng.choices(drawn, [VERBS[v] for v in drawn])[0]
        handles = [s.id for s in opened if s.application == application]
        if verb == "again" and not handles:
            verb = "open"
        given = {}
        if verb in MAKES:
            kind = rng.choice(KINDS[1:4]) if verb == "call" else "build" if verb == "build" else "table"
            given = {"kind": kind, "stamp": number * 100 + i + 1, "rows": 3 + i}
        if verb == "publish":
            given["target"] = rng.choice(PUBLISHED)
        if verb == "again":
            given["opened"] = rng.choice(handles)
        elif verb == "cancel":
            given["victim"] = 1 - thread
        else:
            given["name"] = rng.choices(PUBLISHED if "publish" in verb and verb != "publish" else NAMES, (3, 1))[0]
        step = Step(i, application, thread, verb, **given)
        steps.append(step)
        if verb.startswith("open"):
            opened.append(step)
    return steps


def content(kind, stamp, rows):
    """The columns and the sorted rows of a version."""
    ids = [stamp * 1000 + i for i in range(rows)]
    ring = list(zip(ids, [*ids[1:], ids[0]], strict=True))
    if kind == "table":
        values = {
            "bigint": lambda i: stamp * 7 + i,
            "double": lambda i: stamp / 2 + i,
            "string": lambda i: f"{stamp}-{i}",
            "int": lambda i: stamp % 1000 + i,
        }
        value = values[VALUES[stamp % len(VALUES)]]
        return ["src", "dst", "v"], [[u, v, value(i)] for i, (u, v) in enumerate(ring)]
    if kind == "degree":
        return ["id", "in_degree", "out_degree", "degree"], [[u, 1, 1, 2] for u in ids]
    if kind == "components":
        return ["id", "component"], [[u, ids[0]] for u in ids]
    if kind == "pagerank":
        return ["id", "pagerank"], [[u, 1.0] for u in ids]
    return ["id", "in_degree", "out_degree"], [[u, 1, 1] for u in ids]


def expressions(stamp, rows):
    """Of a ring's edges over spark.range(rows), with a column whose type depends on the stamp."""
    of = {
        "bigint": f"{stamp} * 7L + id",
        "double": f"{stamp} / 2D + id",
        "string": f"concat('{stamp}-', id)",
        "int": f"cast({stamp} % 1000 + id as int)",
    }
    return [
        f"{stamp} * 1000L + id src",
        f"{stamp} * 1000L + (id + 1) % {rows} dst",
        of[VALUES[stamp % len(VALUES)]] + " v",
    ]
