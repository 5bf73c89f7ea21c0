# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What `pagerank` is to give, slowly and in plain words; it shares no code with the kernel."""

import numpy as np


def answer(
    edges,
    *,
    weights=None,
    vertices=(),
    directed=True,
    damping=0.85,
    max_iterations=20,
    variant="graphx",
    source_ids=None,
    scale=True,
):
    """PageRank as {id: rank} by dense power iteration.

    `edges` is a list of (src, dst); see kernels/pagerank/pagerank.md for the two variants.
    """
    weights = [1.0] * len(edges) if weights is None else list(weights)
    if not directed:
        edges, weights = edges + [(v, u) for u, v in edges], weights * 2
    ids = sorted({i for e in edges for i in e} | set(vertices))
    at = {i: n for n, i in enumerate(ids)}
    n = len(ids)
    flow = np.zeros((n, n))
    for (u, v), w in zip(edges, weights, strict=True):
        flow[at[v], at[u]] += w
    out = flow.sum(axis=0)
    sinks = out == 0
    flow[:, ~sinks] /= out[~sinks]
    restart = np.full(n, 1.0 / n)
    if source_ids is not None:
        restart[:] = 0
        restart[[at[s] for s in source_ids]] = 1.0 / len(source_ids)
    if variant == "ldbc":
        rank = restart.copy()
        for _ in range(max_iterations):
            rank = (1 - damping) * restart + damping * (flow @ rank + rank[sinks].sum() * restart)
        return dict(zip(ids, rank, strict=True))
    if source_ids is None:
        rank, base, total = np.ones(n), np.full(n, 1 - damping), n
    else:
        rank, base, total = (restart > 0).astype(float), (1 - damping) * restart, 1.0
    for _ in range(max_iterations):
        rank = base + damping * (flow @ rank)
    if scale and rank.sum() > 0:
        rank = rank * (total / rank.sum())
    return dict(zip(ids, rank, strict=True))
