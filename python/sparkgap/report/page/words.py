# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Text and figures as people read them on a page."""

from __future__ import annotations

import base64
import hashlib
import re

# Bidirectional and other control characters, which would make text look like other text.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_LONGEST_TEXT = 500


def clean(text: object) -> str:
    """Text as people may see it: no control characters, not endless."""
    found = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", str(text))
    return found if len(found) <= _LONGEST_TEXT else found[:_LONGEST_TEXT] + "…"


def seconds(value: float) -> str:
    """Three digits or so, with the unit.

    Examples
    --------
    >>> seconds(0.0123), seconds(12.34), seconds(7200)
    ('12 ms', '12.3 s', '2.00 h')
    """
    size = abs(value)
    if size >= 3600:
        return f"{value / 3600:.2f} h"
    if size >= 100:
        return f"{value:,.0f} s"
    return f"{value:.1f} s" if size >= 10 else f"{value:.2f} s" if size >= 1 else f"{value * 1e3:.0f} ms"


def percent(share: float) -> str:
    """With one digit behind the point."""
    return f"{100 * share:.1f} %"


def content_hash(text: str) -> str:
    """As a content security policy names a script or a style."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
