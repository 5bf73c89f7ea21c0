# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a result costs on a rented machine, by a dated table of prices."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, DataError

BUILT_IN = Path(__file__).parent / "prices.csv"
_COLUMNS = ("cloud", "instance", "vcpu", "mem_gib", "usd_per_h", "region", "as_of")
_GIB, _HOUR_S = 1 << 30, 3600.0


@dataclass(frozen=True)
class Price:
    """A machine that can be rented."""

    name: str
    vcpus: int
    memory_bytes: int
    usd_per_hour: float
    as_of: str


def prices(file: Path = BUILT_IN) -> list[Price]:
    """A table of prices: CSV with `cloud`, `instance`, `vcpu`, `mem_gib`, `usd_per_h`, `region`, `as_of`, and what else
    there may be. The one that comes with sparkgap has 20 shapes of three clouds, of 2026.

    Raises
    ------
    ArgumentError
        It cannot be read.
    DataError
        It lacks a column, or a number of it is none.
    """
    try:
        with file.open(encoding="utf-8", newline="") as opened:
            rows = list(csv.DictReader(opened))
    except (OSError, UnicodeDecodeError) as e:
        found = getattr(e, "strerror", None) or "no text"
        raise ArgumentError.of("--prices", "a file that can be read", found, "Check its name.") from None
    try:
        return [_price(row) for row in rows]
    except (KeyError, TypeError, ValueError) as e:
        expected = f"a CSV with the columns {', '.join(_COLUMNS)}, and numbers above 0"
        raise DataError.of(f"--prices {file}", expected, str(e), "Mend it.") from None


def _price(row: dict[str, str]) -> Price:
    name = f"{row['cloud']} {row['instance']} ({row['region']})"
    numbers = int(row["vcpu"]), int(float(row["mem_gib"]) * _GIB), float(row["usd_per_h"])
    if min(numbers) <= 0:
        raise ValueError(f"{name} with {numbers}")
    return Price(name, *numbers, row["as_of"])


def cheapest(table: Sequence[Price], n_cpus: int, n_bytes: int) -> Price | None:
    """Of those that have so many processors and so much memory."""
    fit = [each for each in table if each.vcpus >= n_cpus and each.memory_bytes >= n_bytes]
    return min(fit, key=lambda each: each.usd_per_hour, default=None)


def add_prices(rows: Sequence[dict[str, Any]], table: Sequence[Price]) -> None:
    """Each run that ended gets `dollars`, for one result: the list price of the cheapest machine that holds its
    processors and the memory that it took at most, for as long as the slowest instance, by the number of instances.
    And `priced_as`, which says that machine and the day of its price.
    """
    for row in rows:
        row.pop("dollars", None)
        row.pop("priced_as", None)
        found = cheapest(table, row["cpus"], row["peak_bytes"]) if row["state"] == "done" else None
        if found is not None:
            row["dollars"] = found.usd_per_hour * row["work_s"] / _HOUR_S / row["instances"]
            row["priced_as"] = f"{found.name}, {found.as_of}"
