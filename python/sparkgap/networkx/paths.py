# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Lengths of shortest paths, in edges and in weights."""

from __future__ import annotations

import math
from typing import Any

import networkx as nx

from .applicability import runs_if
from .graph import EXACT, Graph, Node


def single_source_shortest_path_length(G: Graph, source: Node, cutoff: float | None = None) -> dict[Node, int]:
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} is not in G")
    return _levels(G, source, cutoff)


def single_target_shortest_path_length(G: Graph, target: Node, cutoff: float | None = None) -> dict[Node, int]:
    if target not in G:
        raise nx.NodeNotFound(f"Target {target} is not in G")
    return _levels(G, target, cutoff, reverse=G.directed)


def descendants_at_distance(G: Graph, source: Node, distance: float) -> set[Node]:
    if source not in G:
        raise nx.NetworkXError(f"The node {source} is not in the graph.")
    return {node for node, level in _levels(G, source, None).items() if level == distance}


def _levels(G: Graph, source: Node, cutoff: float | None, *, reverse: bool = False) -> dict[Node, int]:
    """The nearest first, as networkx gives them."""
    levels = G.column("bfs", "level", reverse=reverse, source=G.index[source])
    return _nearest_first(G, levels, math.inf if cutoff is None else cutoff)


def _weight_is_a_name(G: Any, source: Any, cutoff: Any = None, weight: Any = "weight") -> bool | str:
    return weight is None or isinstance(weight, str) or "a weight that is a function"


@runs_if(_weight_is_a_name)
def single_source_dijkstra_path_length(
    G: Graph, source: Node, cutoff: float | None = None, weight: str | None = "weight"
) -> dict[Node, float]:
    if source not in G:
        raise nx.NodeNotFound(f"Node {source} not found in graph")
    of = None if weight is None else G.usable_weights(weight)
    found = G.column("sssp", "distance", weight=weight, source=G.index[source])
    if of is None or of.whole:
        if any(d is not None and EXACT < d < math.inf for d in found):
            raise NotImplementedError("distances beyond 2^53, which are not exact")
        found = [None if d is None or math.isinf(d) else int(d) for d in found]
    return _nearest_first(G, found, math.inf if cutoff is None else cutoff)


def _nearest_first(G: Graph, distances: list[Any], cutoff: float) -> dict[Node, Any]:
    near = [(d, i) for i, d in enumerate(distances) if d is not None and not math.isinf(d) and d <= cutoff]
    return {G.nodes[i]: d for d, i in sorted(near)}
