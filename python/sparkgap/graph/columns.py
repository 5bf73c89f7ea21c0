# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Columns of tables whose column names are the user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def field(name: str) -> Column:
    """The column of exactly this name, dots and all."""
    return F.col("`" + name.replace("`", "``") + "`")


def condition(given: str | Column) -> Column:
    """A condition in either of Spark's two forms."""
    return F.expr(given) if isinstance(given, str) else given


def nested(frame: DataFrame, name: str, **beside: str) -> DataFrame:
    """All columns of `frame` as one struct `name`; beside it some of them once more, by new names.

    Examples
    --------
    >>> nested(spark.createDataFrame([(1, "x")], "id int, a string"), "v", key="id").collect()
    [Row(v=Row(id=1, a='x'), key=1)]
    """
    whole = F.struct(*map(field, frame.columns)).alias(name)
    return frame.select(whole, *(field(column).alias(new) for new, column in beside.items()))
