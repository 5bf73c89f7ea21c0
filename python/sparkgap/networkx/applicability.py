# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Which calls of networkx our kernels answer as networkx does, and for which it pays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])
Says = Callable[..., "bool | str"]

# Below so many edges networkx itself has ended before ours has started its rank.
FEW_EDGES = 20_000

# What networkx does about as fast as it converts a graph.
_CHEAP = frozenset(
    (
        *("connected_components", "number_connected_components", "is_connected"),
        *("weakly_connected_components", "number_weakly_connected_components", "is_weakly_connected"),
        *("single_source_shortest_path_length", "single_target_shortest_path_length", "descendants_at_distance"),
        *("degree_centrality", "in_degree_centrality", "out_degree_centrality"),
    )
)

_conditions: dict[str, Says] = {}


def runs_if(condition: Says) -> Callable[[_Function], _Function]:
    """A decorator: the function answers calls for which `condition`, with the same arguments, says True; else it says
    why not.
    """

    def marked(function: _Function) -> _Function:
        _conditions[function.__name__] = condition
        return function

    return marked


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """What networkx asks before a call: True, or why another backend should have it."""
    condition = _conditions.get(name)
    return True if condition is None else condition(*args, **kwargs)


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """The same of whether it pays."""
    graph = args[0] if args else kwargs.get("G")
    edges = getattr(graph, "number_of_edges", None)
    if edges is None:
        return True
    if edges() < FEW_EDGES:
        return f"a graph of less than {FEW_EDGES} edges"
    converted = (getattr(graph, "__networkx_cache__", None) or {}).get("backends", {})
    return name not in _CHEAP or "sparkgap" in converted or "a graph that is not converted yet"
