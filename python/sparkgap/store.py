# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The store's tables: what is there, and publishing it for other applications.

>>> edges = spark.createDataFrame([(1, 2), (2, 1)], "src bigint, dst bigint")
>>> publish(edges, "doc_edges").count()
2
>>> rm("published.doc_edges")
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .call import frame, run_sql, view
from .door import require_plugin
from .errors import ResourceError, spark_errors
from .session import active

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from .graph import Graph

_POLL_S = 0.2


@spark_errors()
def publish(
    table: DataFrame | Graph | str,
    name: str,
    *,
    durable: str | None = None,
    wait_s: float = 0,
    spark: SparkSession | None = None,
) -> DataFrame:
    """Give rows a name under which every application of this user on this host reads them in place, also when this one
    has ended.

    Parameters
    ----------
    table : DataFrame, Graph or str
        Or the name of a table, view or stored graph. What is stored or cached in the store is not copied.
    name : str
        Letters, digits, `_` and `-`. Publishing again under a name makes the next edition; readers see the old one or
        the new one.
    durable : str, optional
        A folder of any file system that Hadoop knows. The rows are copied there as Parquet beside everything else, and
        read from there when this host has lost them. Not for graphs.
    wait_s : float
        Seconds to wait for that copy.
    spark : SparkSession, optional
        The running session by default.

    Returns
    -------
    DataFrame
        The published table, `sparkgap.published.<name>`.

    Raises
    ------
    ArgumentError
        A name that cannot be one, no such table.
    DataError
        A column of a type that the store does not keep.
    ResourceError
        No room, or no durable copy within `wait_s`.

    Notes
    -----
    Cost: none per row for a table of the store, a cached DataFrame or a graph (its files get a second name); other data
    are written once.

    Examples
    --------
    >>> squares = spark.range(3).selectExpr("id", "id * id AS square").cache()
    >>> publish(squares, "doc_squares").where("id = 2").first().square
    4
    >>> rm("published.doc_squares")
    """
    spark = require_plugin(spark or getattr(table, "sparkSession", None) or getattr(table, "spark", None) or active())
    with _named(spark, table) as source:
        arguments = {"table": source, "name": name, "durable": durable}
        given = {key: value for key, value in arguments.items() if value is not None}
        run_sql(spark, f"CALL sparkgap.store.publish({', '.join(f'{key} => :{key}' for key in given)})", given)
    if durable is not None and wait_s > 0:
        _wait(spark, name, wait_s)
    return spark.table(f"sparkgap.published.`{name}`")


def ls(*, spark: SparkSession | None = None) -> list[dict[str, Any]]:
    """The tables of this application on this host, cached and published ones too.

    Returns
    -------
    list of dict
        `name, kind (table, graph, cache, published or damaged), rows, memory_bytes, disk_bytes, segments, edition,
        durable`.

    Examples
    --------
    >>> [t["name"] for t in ls() if t["name"] == "published.none_such"]
    []
    """
    return [row.asDict() for row in run_sql(spark or active(), "CALL sparkgap.store.ls()")]


def stat(name: str, *, spark: SparkSession | None = None) -> list[dict[str, Any]]:
    """The segments of a table, or of published.<name>: `path, host, rows, bytes, tier, there`.

    Raises
    ------
    ArgumentError
        No such table.
    """
    return [
        row.asDict() for row in run_sql(spark or active(), "CALL sparkgap.store.stat(name => :name)", {"name": name})
    ]


def rm(name: str, *, spark: SparkSession | None = None) -> None:
    """Remove a table of this application, or published.<name> with all its editions. Who reads it goes on reading.

    Raises
    ------
    ArgumentError
        No such table.
    """
    run_sql(spark or active(), "CALL sparkgap.store.rm(name => :name)", {"name": name})


def sweep(*, spark: SparkSession | None = None) -> int:
    """Remove what dead processes have left on the driver's host; the bytes that became free."""
    return sum(row.bytes for row in run_sql(spark or active(), "CALL sparkgap.store.sweep()"))


@contextlib.contextmanager
def _named(spark: SparkSession, table: DataFrame | Graph | str) -> Iterator[str]:
    from .graph import Graph

    if isinstance(table, str):
        yield table
    elif isinstance(table, Graph):
        yield table.exact_name
    else:
        with view(spark, frame("table", table)) as name:
            yield name


def _wait(spark: SparkSession, name: str, wait_s: float) -> None:
    end = time.monotonic() + wait_s
    while True:
        copied = [t["durable"] for t in ls(spark=spark) if t["name"] == f"published.{name}"]
        if copied and copied[0]:
            return
        if time.monotonic() > end:
            raise ResourceError.of(
                f"published.{name}",
                f"a durable copy within {wait_s} s",
                "none yet",
                "Wait longer, or look into the driver's log.",
            )
        time.sleep(_POLL_S)
