# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What `triangles` is to give, slowly and in plain words; it shares no code with the kernel."""

from itertools import combinations

from neighbours import others


def answer(edges, *, vertices=()):
    """{id: triangles that it is part of}."""
    near = others(edges, vertices)
    return {i: sum(b in near[a] for a, b in combinations(ends, 2)) for i, ends in near.items()}
