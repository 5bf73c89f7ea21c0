# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What `lcc` is to give, slowly and in plain words; it shares no code with the kernel."""

from neighbours import others


def answer(edges, *, vertices=(), directed=True):
    """{id: edges between its neighbours / (d (d - 1))}."""
    near = others(edges, vertices)
    arcs = {e for e in edges if e[0] != e[1]} | (set() if directed else {(v, u) for u, v in edges})
    joined = {i: sum((a, b) in arcs for a in ends for b in ends if a != b) for i, ends in near.items()}
    return {i: n / (len(near[i]) * (len(near[i]) - 1)) if len(near[i]) > 1 else 0.0 for i, n in joined.items()}
