# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What `bfs` is to give, slowly and in plain words; it shares no code with the kernel."""

from neighbours import neighbours


def answer(edges, source, *, vertices=(), directed=True, unreachable=None):
    """{id: hops from source}."""
    after = neighbours(edges, vertices, directed)
    level, here = {source: 0}, [source]
    while here:
        there = {w for v in here for w in after[v]} - set(level)
        level |= dict.fromkeys(there, level[here[0]] + 1)
        here = list(there)
    return {i: level.get(i, unreachable) for i in after}
