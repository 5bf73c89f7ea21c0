# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A file that a program wrote, and what is said of it where it is not what its schema says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...errors import DataError


@dataclass(frozen=True)
class OutputFile:
    """The name of the output, and the file."""

    output: str
    path: Path

    def refused(self, place: str, expected: str, found: str) -> DataError:
        """The error for a place in it, such as " line 3, column a"; "" is the whole."""
        do = "Correct the program, or the schema or format of the output."
        return DataError.of(f"outputs.{self.output} ({self.path.name}{place})", expected, found, do)


def count(n: int) -> str:
    """So many columns in words."""
    return "1 column" if n == 1 else f"{n} columns"
