# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What `degree` is to give, slowly and in plain words; it shares no code with the kernel."""


def answer(edges, *, vertices=(), directed=True):
    """{id: (in_degree, out_degree, degree)}."""
    if not directed:
        edges = edges + [(v, u) for u, v in edges]
    found = {i: [0, 0] for i in {i for e in edges for i in e} | set(vertices)}
    for u, v in edges:
        found[v][0] += 1
        found[u][1] += 1
    return {i: (a, b, a + b) for i, (a, b) in found.items()}
