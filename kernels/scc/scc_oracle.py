# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What `scc` is to give, slowly and in plain words; it shares no code with the kernel."""

from neighbours import in_order, neighbours


def answer(edges, *, vertices=(), directed=True):
    """{id: smallest id of those that it reaches and that reach it}."""
    after = neighbours(edges, vertices, directed)
    reached = {i: {i} for i in after}
    for i, found in reached.items():
        todo = [i]
        while todo:
            fresh = set(after[todo.pop()]) - found
            found |= fresh
            todo += fresh
    return {i: min((j for j in found if i in reached[j]), key=in_order) for i, found in reached.items()}
