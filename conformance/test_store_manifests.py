# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Java and Python take the same files for manifests, and read the same from them."""

import json
import random

from store_sides import HANDS, ROOT, java, scene  # noqa: F401

ODD = [
    None,
    True,
    False,
    "",
    "x",
    "1",
    "/",
    "a\0b",
    [],
    [[]],
    {},
    {"a": 1},
    0.5,
    1.0,
    -1,
    0,
    1,
    2**31,
    2**63 - 1,
    2**63,
    10**40,
    "1-ab",
    "2",
    float("nan"),
]


def changed(random_, seeds):
    """A manifest with up to three of its values changed or taken away. Types are text for those who read no rows: they
    are changed into no other text.
    """
    root = {"root": json.loads(random_.choice(seeds))}
    for _ in range(random_.randint(1, 3)):
        node, key = root, "root"
        while isinstance(node[key], dict | list) and node[key] and random_.random() < 0.85:
            node = node[key]
            key = random_.choice(list(node) if isinstance(node, dict) else range(len(node)))
        if key == "root" or key == "type" or random_.random() < 0.7:
            odd = random_.choice(ODD)
            node[key] = 7 if key == "type" and isinstance(odd, str) else odd
        else:
            del node[key]
    return json.dumps(root["root"]) + random_.choice(["", "", "", " ", "\n", "}", "0"])


def test_both_read_the_same_manifests(scene):  # noqa: F811
    seeds = [(ROOT / "kernels/fuzz/seeds" / f"{name}.json").read_text() for name in ("manifest", "manifest_graph")]
    seeds += [
        json.dumps(
            {
                **json.loads(seeds[0]),
                "published": {
                    "edition": 2,
                    "folder": "2-9e107d9d372bb682",
                    "application": "app",
                    "at": "2026",
                    "durable": None,
                },
            }
        )
    ] * 2
    made, files = random.Random(17), []
    for i in range(3000):
        files.append(scene.root / f"{i}.json")
        files[-1].write_text(changed(made, seeds) if i >= len(seeds) else seeds[i])
    by_java, by_python = (HANDS[hand](scene).read(files) for hand in ("java", "python"))
    differ = [(file.read_text(), j, p) for file, j, p in zip(files, by_java, by_python, strict=True) if j != p]
    assert differ[:3] == []
    assert all(by_java[: len(seeds)]) and len(seeds) < sum(1 for said in by_java if said) < 2000
