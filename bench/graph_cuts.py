# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a rank would send in a step of PageRank if arcs were dealt out in other ways than by the vertex they enter:
counted on the graph itself, for vertices that lie anywhere.
"""

import numpy as np

VALUE = 8  # bytes


def _values(vertices, to, ranks):
    """How many values of vertices go to other ranks, each to a rank once."""
    return len(np.unique(vertices.astype(np.int64) * ranks + to))


def _dealt(src, dst, ranks):
    owners = np.random.default_rng(7).integers(0, ranks, int(max(src.max(), dst.max())) + 1)
    return owners[src], owners[dst]


def by_both_ends(src, dst, ranks):
    """Ranks stand in rows and columns: an arc lies in the column of its source's rank and the row of its end's, which
    gets sums (Cartesian vertex cut: Boman, Devine, Rajamanickam 2013). Bytes that a rank sends.
    """
    columns = ranks // (1 << (int(np.log2(ranks)) // 2))
    of_src, of_dst = _dealt(src, dst, ranks)
    at = of_dst // columns * columns + of_src % columns
    out, back = at != of_src, at != of_dst
    return VALUE * (_values(src[out], at[out], ranks) + _values(dst[back], at[back], ranks)) / ranks


def by_degree(src, dst, ranks):
    """An arc lies with the end that has fewer, so that the other's value or sum serves many (Xie et al. 2014, DBH).
    Bytes that a rank sends.
    """
    of_src, of_dst = _dealt(src, dst, ranks)
    n = int(max(src.max(), dst.max())) + 1
    is_sum = np.bincount(dst, minlength=n)[dst] > np.bincount(src, minlength=n)[src]
    far = of_src != of_dst
    values, sums = far & ~is_sum, far & is_sum
    return VALUE * (_values(src[values], of_dst[values], ranks) + _values(dst[sums], of_src[sums], ranks)) / ranks
