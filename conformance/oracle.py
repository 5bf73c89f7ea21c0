# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Slow plain answers by numpy and dicts, which share no code with the kernels."""

import heapq
import math
from collections import Counter
from itertools import combinations

import numpy as np


def pagerank(
    edges,
    *,
    weights=None,
    vertices=(),
    directed=True,
    damping=0.85,
    iterations=20,
    variant="graphx",
    sources=None,
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
    if sources is not None:
        restart[:] = 0
        restart[[at[s] for s in sources]] = 1.0 / len(sources)
    if variant == "ldbc":
        rank = restart.copy()
        for _ in range(iterations):
            rank = (1 - damping) * restart + damping * (flow @ rank + rank[sinks].sum() * restart)
        return dict(zip(ids, rank, strict=True))
    if sources is None:
        rank, base, total = np.ones(n), np.full(n, 1 - damping), n
    else:
        rank, base, total = (restart > 0).astype(float), (1 - damping) * restart, 1.0
    for _ in range(iterations):
        rank = base + damping * (flow @ rank)
    if scale and rank.sum() > 0:
        rank = rank * (total / rank.sum())
    return dict(zip(ids, rank, strict=True))


def degree(edges, *, vertices=(), directed=True):
    """{id: (in_degree, out_degree, degree)}."""
    if not directed:
        edges = edges + [(v, u) for u, v in edges]
    found = {i: [0, 0] for i in {i for e in edges for i in e} | set(vertices)}
    for u, v in edges:
        found[v][0] += 1
        found[u][1] += 1
    return {i: (a, b, a + b) for i, (a, b) in found.items()}


def _neighbours(edges, vertices, directed):
    """{id: [ids at the other end of each edge that leaves it]}; both ends' where undirected."""
    found = {i: [] for i in {i for e in edges for i in e} | set(vertices)}
    for u, v in edges:
        found[u].append(v)
        if not directed:
            found[v].append(u)
    return found


def _sets(edges, vertices):
    """{id: ids joined to it by an edge in any direction, itself left out}."""
    return {i: set(ends) - {i} for i, ends in _neighbours(edges, vertices, False).items()}


def bfs(edges, source, *, vertices=(), directed=True, unreachable=None):
    """{id: hops from source}."""
    after = _neighbours(edges, vertices, directed)
    level, here = {source: 0}, [source]
    while here:
        there = {w for v in here for w in after[v]} - set(level)
        level |= dict.fromkeys(there, level[here[0]] + 1)
        here = list(there)
    return {i: level.get(i, unreachable) for i in after}


def sssp(edges, weights, source, *, vertices=(), directed=True):
    """{id: least sum of weights from source}."""
    after = {i: [] for i in {i for e in edges for i in e} | set(vertices)}
    for (u, v), w in zip(edges, weights, strict=True):
        after[u].append((v, w))
        if not directed:
            after[v].append((u, w))
    distance, queue = dict.fromkeys(after, math.inf), [(0.0, source)]
    while queue:
        d, v = heapq.heappop(queue)
        if d < distance[v]:
            distance[v] = d
            for other, w in after[v]:
                heapq.heappush(queue, (d + w, other))
    return distance


def components(edges, *, vertices=(), key=lambda i: i):
    """{id: smallest id that paths lead to, whatever their direction}, ids compared by `key`."""
    near, found = _sets(edges, vertices), {}
    for start in sorted(near, key=key):
        todo = [start] if start not in found else []
        while todo:
            v = todo.pop()
            if v not in found:
                found[v] = start
                todo += near[v]
    return found


def scc(edges, *, vertices=(), directed=True, key=lambda i: i):
    """{id: smallest id of those that it reaches and that reach it}, ids compared by `key`."""
    after = _neighbours(edges, vertices, directed)
    reached = {i: {i} for i in after}
    for i, found in reached.items():
        todo = [i]
        while todo:
            fresh = set(after[todo.pop()]) - found
            found |= fresh
            todo += fresh
    return {i: min((j for j in found if i in reached[j]), key=key) for i, found in reached.items()}


def labelprop(edges, *, vertices=(), directed=True, iterations=10):
    """{id: label} of LDBC's CDLP: both ends of an edge count each other; the smallest of the most frequent labels."""
    near = _neighbours(edges, vertices, False)
    label = {i: i for i in near}
    for _ in range(iterations):
        votes = {i: Counter(label[w] for w in ends) for i, ends in near.items()}
        label = {
            i: min(votes[i], key=lambda name, of=votes[i]: (-of[name], name)) if votes[i] else label[i] for i in near
        }
    return label


def triangles(edges, *, vertices=()):
    """{id: triangles that it is part of}."""
    near = _sets(edges, vertices)
    return {i: sum(b in near[a] for a, b in combinations(ends, 2)) for i, ends in near.items()}


def kcore(edges, *, vertices=()):
    """{id: the largest k for which it stays when all with fewer than k neighbours go, again and again}."""
    near, found, k = _sets(edges, vertices), {}, 0
    while near:
        while few := [i for i, ends in near.items() if len(ends) <= k]:
            found |= dict.fromkeys(few, k)
            near = {i: ends - set(few) for i, ends in near.items() if i not in found}
        k += 1
    return found


def lcc(edges, *, vertices=(), directed=True):
    """{id: edges between its neighbours / (d (d - 1))}."""
    near = _sets(edges, vertices)
    arcs = {e for e in edges if e[0] != e[1]} | (set() if directed else {(v, u) for u, v in edges})
    joined = {i: sum((a, b) in arcs for a in ends for b in ends if a != b) for i, ends in near.items()}
    return {i: n / (len(near[i]) * (len(near[i]) - 1)) if len(near[i]) > 1 else 0.0 for i, n in joined.items()}
