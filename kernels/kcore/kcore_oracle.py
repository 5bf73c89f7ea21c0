# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What `kcore` is to give, slowly and in plain words; it shares no code with the kernel."""

from neighbours import others


def answer(edges, *, vertices=()):
    """{id: the largest k for which it stays when all with fewer than k neighbours go, again and again}."""
    near, found, k = others(edges, vertices), {}, 0
    while near:
        while few := [i for i, ends in near.items() if len(ends) <= k]:
            found |= dict.fromkeys(few, k)
            near = {i: ends - set(few) for i, ends in near.items() if i not in found}
        k += 1
    return found
