# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Arguments with places for what only the call knows: {inputs.NAME}, {outputs.NAME}, {rank}, {ranks}, {threads},
{job}. A place in double braces loses one pair and is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from ...errors import ArgumentError

_PLACE = re.compile(r"(\{?)\{((?:inputs|outputs)\.[^{}]*|ranks|rank_count|rank|threads|job)\}(\}?)")


def fill(arguments: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """The arguments as the program gets them. Errors: ArgumentError for a place that there is not."""
    return [_filled(text, i, values) for i, text in enumerate(arguments)]


def named(arguments: Iterable[str]) -> set[str]:
    """The places that stand in the arguments."""
    return {found[2] for text in arguments for found in _PLACE.finditer(text) if not _is_doubled(found)}


def folders(arguments: Iterable[str]) -> set[str]:
    """Those with a / behind: the program means files in a folder."""
    return {
        found[2]
        for text in arguments
        for found in _PLACE.finditer(text)
        if not _is_doubled(found) and text.startswith("/", found.end())
    }


def _is_doubled(found: re.Match[str]) -> bool:
    return bool(found[1] and found[3])


def _filled(argument: str, i: int, values: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda found: _text(found, i, values), argument)


def _text(found: re.Match[str], i: int, values: Mapping[str, str]) -> str:
    before, name, behind = found.groups()
    if _is_doubled(found):
        return f"{{{name}}}"
    if name not in values:
        known = ", ".join(f"{{{value}}}" for value in sorted(values))
        do = "Correct the name, or double the braces to mean them."
        raise ArgumentError.of(f"args[{i}]", f"places among {known}", f"{{{name}}}", do)
    return f"{before}{values[name]}{behind}"
