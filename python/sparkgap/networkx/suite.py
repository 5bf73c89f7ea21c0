# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What networkx' own tests ask a backend for when they run through it (NETWORKX_TEST_BACKEND=sparkgap)."""

from __future__ import annotations

from typing import Any

# Tests that hold more than networkx documents.
SKIPPED = {
    "test_condensation_mapping_and_members": "expects strong components in the order in which one algorithm finds them"
}


def on_start_tests(items: list[Any]) -> None:
    """Marks the tests that are skipped, with the reason."""
    import pytest

    for item in items:
        if item.name in SKIPPED:
            item.add_marker(pytest.mark.skip(reason=SKIPPED[item.name]))
