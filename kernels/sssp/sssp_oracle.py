# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What `sssp` is to give, slowly and in plain words; it shares no code with the kernel."""

import heapq
import math


def answer(edges, weights, source, *, vertices=(), directed=True):
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
