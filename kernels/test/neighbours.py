# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Who is next to whom, and which id is smaller: for the oracles beside the kernels."""


def in_order(i):
    """As results compare ids: integers by value, strings by their bytes."""
    return i.encode() if isinstance(i, str) else i


def neighbours(edges, vertices, directed):
    """{id: [ids at the other end of each edge that leaves it]}; both ends' where undirected."""
    found = {i: [] for i in {i for e in edges for i in e} | set(vertices)}
    for u, v in edges:
        found[u].append(v)
        if not directed:
            found[v].append(u)
    return found


def others(edges, vertices):
    """{id: ids joined to it by an edge in any direction, itself left out}."""
    return {i: set(ends) - {i} for i, ends in neighbours(edges, vertices, False).items()}
