# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Columns of tables whose column names are the user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
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


def numbered(frame: DataFrame, name: str) -> DataFrame:
    """`frame` with the strings of a column by number, 0, 1, ... in their order; any other column stays as it is.

    Examples
    --------
    >>> frame = spark.createDataFrame([(1, "b"), (2, "a"), (3, "b")], "id int, group string")
    >>> [tuple(row) for row in numbered(frame, "group").orderBy("id").collect()]
    [(1, 1), (2, 0), (3, 1)]
    """
    if frame.schema[name].dataType.simpleString() != "string":
        return frame
    number = (F.row_number().over(Window.partitionBy(F.lit(0)).orderBy(field(name))) - 1).cast("bigint")
    numbers = frame.select(field(name)).distinct().withColumn("number", number)
    return frame.join(numbers, name).select(
        *(F.col("number").alias(c) if c == name else field(c) for c in frame.columns)
    )
