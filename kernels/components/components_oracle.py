# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What `components` is to give, slowly and in plain words; it shares no code with the kernel."""

from neighbours import in_order, others


def answer(edges, *, vertices=()):
    """{id: smallest id that paths lead to, whatever their direction}."""
    near, found = others(edges, vertices), {}
    for start in sorted(near, key=in_order):
        todo = [start] if start not in found else []
        while todo:
            v = todo.pop()
            if v not in found:
                found[v] = start
                todo += near[v]
    return found
