# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Arguments of GraphFrame's methods that no kernel checks, in their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import ArgumentError


def damping(method: str, reset: Any) -> float:
    """The chance to follow an edge, from that to restart."""
    if isinstance(reset, bool) or not isinstance(reset, (int, float)) or not 0 <= reset <= 1:
        raise ArgumentError.of(
            f"GraphFrame.{method}.resetProbability", "a number in [0, 1]", repr(reset), "Give another."
        )
    return 1 - reset


def at_least(where: str, given: Any, least: int) -> None:
    """Refuse what is no whole number, or less."""
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        raise ArgumentError.of(where, f"a whole number of at least {least}", repr(given), "Give another.")


def ids(where: str, given: Any) -> Sequence[Any]:
    """The list of ids that was given; anything else is refused."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Sequence) or not given:
        raise ArgumentError.of(where, "a list of at least one id", repr(given), "Give for example [1, 2].")
    return given


def one_of(method: str, algorithm: str, *known: str) -> None:
    """Refuse an algorithm that GraphFrames does not know either; "native" is always one."""
    if algorithm not in (*known, "native"):
        expected = "one of " + ", ".join((*known, "native"))
        raise ArgumentError.of(f"GraphFrame.{method}.algorithm", expected, repr(algorithm), "Leave it out.")
