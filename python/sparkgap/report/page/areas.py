# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Columns over each other, as paths of SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np


def areas(keys: Sequence[str], shares: Any) -> Iterator[tuple[str, str]]:
    """A path for each column that has something, on a height of 100: steps from what is below it to its own top, from
    the left and back.
    """
    tops = 100 * np.cumsum(shares, axis=1)
    for i, key in enumerate(keys):
        if shares[:, i].max(initial=0) < 1e-4:
            continue
        below = tops[:, i - 1] if i else np.zeros(len(shares))
        forth = "".join(f"L{x} {100 - y:.1f}L{x + 1} {100 - y:.1f}" for x, y in enumerate(tops[:, i].tolist()))
        back = "".join(
            f"L{x + 1} {100 - y:.1f}L{x} {100 - y:.1f}" for x, y in reversed(list(enumerate(below.tolist())))
        )
        yield key, f"M{forth[1:]}{back}Z"
