# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Sizes as people write them."""

from __future__ import annotations

import re
from typing import Any

_FORM = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?", re.IGNORECASE)
_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}


def is_size(text: Any) -> bool:
    """Whether `bytes_of` takes it."""
    return isinstance(text, str) and _FORM.fullmatch(text) is not None


def bytes_of(text: str) -> int:
    """Bytes that a size means, with Spark's units, which are powers of 1024.

    Examples
    --------
    >>> bytes_of("1g"), bytes_of("1.5 MB")
    (1073741824, 1572864)
    """
    found = _FORM.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return int(float(found[1]) * (1 << _UNITS[found[2].lower()]))
