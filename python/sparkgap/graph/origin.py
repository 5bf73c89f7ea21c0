# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a graph kernel starts from: a DataFrame of edges, or a graph that was built before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from ..call import call
from ..errors import ArgumentError
from ..session import active

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Engine = Literal["native", "spark"]

STORE = "sparkgap.store."


def plain_name(table: str) -> str:
    """The plain name of a table of the store.

    Examples
    --------
    >>> plain_name("sparkgap.store.`my-web`"), plain_name("web")
    ('my-web', 'web')
    """
    return table.removeprefix(STORE).strip("`")


# The arguments of `call` that a kernel's function hands on as they are.
_OPTIONS = ("engine", "ranks", "threads", "timeout_s", "result", "progress")
# What a graph was built with: beside a graph only these values, which mean "not given", make sense.
_OF_THE_BUILD = {"src": "src", "dst": "dst", "vertices": None}


def call_on(kernel: str, given: Mapping[str, Any]) -> DataFrame:
    """Call a graph kernel with the arguments of its Python function.

    Parameters
    ----------
    kernel : str
    given : mapping
        All arguments of the function by name, that is its `locals()`; so only its signature names them. `edges` is a
        DataFrame, a `Graph` or the name of a stored graph.

    Returns
    -------
    DataFrame

    Raises
    ------
    ArgumentError
        `edges` is something else, or a graph stands beside columns or vertices of its own.
    """
    own = {name: value for name, value in given.items() if name not in _OPTIONS and name != "edges"}
    options = {name: given[name] for name in _OPTIONS}
    edges = given["edges"]
    if hasattr(edges, "sparkSession"):
        inputs = {"edges": edges, "vertices": own.pop("vertices")}
        return call(kernel, "graph", inputs, own, spark=edges.sparkSession, **options)
    name, spark = stored(edges)
    for word, absent in _OF_THE_BUILD.items():
        value = own.pop(word)
        if value != absent:
            found = repr(value) if isinstance(value, str) else type(value).__name__
            raise ArgumentError.of(
                word, "nothing beside a graph", found, "Leave it out: the graph was built with its own."
            )
    if own["directed"]:  # what the graph was built with, unless the caller insists on the other
        del own["directed"]
    return call(kernel, "graph", {"graph": name}, own, spark=spark, **options)


def stored(graph: Any) -> tuple[str, SparkSession]:
    """The name of a stored graph and the session that has it, from a `Graph` or its name.

    Raises
    ------
    ArgumentError
        It is neither, or there is no session.

    Examples
    --------
    >>> stored("sparkgap.store.roads")[0]
    'roads'
    """
    from .stored_graph import Graph

    if isinstance(graph, Graph):
        return graph.exact_name, graph.spark
    if isinstance(graph, str) and plain_name(graph):
        return plain_name(graph), active()
    raise ArgumentError.of(
        "edges", "a DataFrame, a Graph or the name of one", repr(graph), "Give edges or sparkgap.graph.build(edges)."
    )
