# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What `labelprop` is to give, slowly and in plain words; it shares no code with the kernel."""

from collections import Counter

from neighbours import neighbours


def answer(edges, *, vertices=(), directed=True, max_iterations=10):
    """{id: label} of LDBC's CDLP: both ends of an edge count each other; the smallest of the most frequent labels."""
    near = neighbours(edges, vertices, False)
    label = {i: i for i in near}
    for _ in range(max_iterations):
        votes = {i: Counter(label[w] for w in ends) for i, ends in near.items()}
        label = {
            i: min(votes[i], key=lambda name, of=votes[i]: (-of[name], name)) if votes[i] else label[i] for i in near
        }
    return label
