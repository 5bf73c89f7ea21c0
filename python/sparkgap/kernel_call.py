# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What the Python function of a kernel does with its arguments: the call that they mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from .call import call, frame
from .errors import ArgumentError
from .session import active

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Engine = Literal["native", "spark"]

STORE = "sparkgap.store."
# The arguments of `call` that a kernel's function hands on as they are.
_OPTIONS = ("engine", "ranks", "threads", "timeout_s", "result", "progress")
# What a graph was built with: beside a graph only these values, which mean "not given", make sense.
OF_THE_BUILD = {"src": "src", "dst": "dst", "vertices": None}


class StoredGraph:
    """What a call needs of a graph in the store: the session that has it, and the name that no other graph has."""

    exact_name: str
    spark: SparkSession


def plain_name(table: str) -> str:
    """The plain name of a table of the store.

    Examples
    --------
    >>> plain_name("sparkgap.store.`my-web`"), plain_name("web")
    ('my-web', 'web')
    """
    return table.removeprefix(STORE).strip("`")


def call_kernel(kernel: str, family: str, given: Mapping[str, Any]) -> DataFrame:
    """Call a kernel with the arguments of its Python function.

    Parameters
    ----------
    kernel, family : str
        As in the kernel's Spec.
    given : mapping
        All arguments of the function by name, that is its `locals()`; so only its signature names them. `edges` is a
        DataFrame, a `Graph` or the name of a stored graph, `data` a DataFrame; without either there is `spark`.

    Returns
    -------
    DataFrame

    Raises
    ------
    ArgumentError
        `edges` or `data` is something else, or a graph stands beside columns or vertices of its own.
    """
    own = {name: value for name, value in given.items() if name not in _OPTIONS}
    options = {name: given[name] for name in _OPTIONS}
    if "edges" in own:
        edges = own.pop("edges")
        if not hasattr(edges, "sparkSession"):
            return _call_on_graph(kernel, family, edges, own, options)
        inputs = {"edges": edges, "vertices": own.pop("vertices")}
        return call(kernel, family, inputs, own, spark=edges.sparkSession, **options)
    if "data" in own:
        data = frame("data", own.pop("data"))
        return call(kernel, family, {"data": data}, own, spark=data.sparkSession, **options)
    spark = own.pop("spark") or active()
    return call(kernel, family, {}, own, spark=spark, **options)


def _call_on_graph(kernel: str, family: str, graph: Any, own: dict[str, Any], options: dict[str, Any]) -> DataFrame:
    name, spark = _stored(graph)
    refuse_beside_a_graph({word: own.pop(word) for word in OF_THE_BUILD})
    if own["directed"]:  # what the graph was built with, unless the caller insists on the other
        del own["directed"]
    return call(kernel, family, {"graph": name}, own, spark=spark, **options)


def refuse_beside_a_graph(given: Mapping[str, Any]) -> None:
    """Raise where an argument says of a graph what only its build says.

    Raises
    ------
    ArgumentError
        It does.
    """
    for word, value in given.items():
        if value != OF_THE_BUILD[word]:
            found = repr(value) if isinstance(value, str) else type(value).__name__
            raise ArgumentError.of(
                word, "nothing beside a graph", found, "Leave it out: the graph was built with its own."
            )


def _stored(graph: Any) -> tuple[str, SparkSession]:
    """The name of a stored graph and the session that has it, from a `Graph` or its name."""
    if isinstance(graph, StoredGraph):
        return graph.exact_name, graph.spark
    if isinstance(graph, str) and plain_name(graph):
        return plain_name(graph), active()
    raise ArgumentError.of(
        "edges", "a DataFrame, a Graph or the name of one", repr(graph), "Give edges or sparkgap.graph.build(edges)."
    )
