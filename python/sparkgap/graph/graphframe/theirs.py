# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What has no native form and goes to the package graphframes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import ArgumentError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

NAMES = (
    "aggregateMessages",
    "aggregate_neighbors",
    "all_paths",
    "detectingCycles",
    "find",
    "hyper_anf",
    "neighborhood_aware_cdlp",
    "powerIterationClustering",
    "pregel",
    "svdPlusPlus",
    "type_degree",
    "type_in_degree",
    "type_out_degree",
    "validate",
)


def theirs(vertices: DataFrame, edges: DataFrame, name: str) -> Any:
    """A member of their GraphFrame with these tables.

    Raises
    ------
    ArgumentError
        The package is not there.
    """
    try:
        import graphframes
    except ImportError:
        raise ArgumentError.of(
            f"GraphFrame.{name}",
            "the package graphframes-py and its jar, as this has no native form",
            "none",
            "Install them, or leave it out.",
        ) from None
    # Not what sparkgap.install() shows in its place.
    return getattr(vars(graphframes)["GraphFrame"](vertices, edges), name)
