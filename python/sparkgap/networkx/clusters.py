# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Triangles, clustering coefficients and core numbers."""

from __future__ import annotations

from typing import Any

import networkx as nx
from networkx.utils import not_implemented_for

from .applicability import runs_if
from .graph import Graph, Node


def _simple(G: Any, nodes: Any = None, weight: Any = None, count_zeros: bool = True) -> bool | str:
    if G.is_directed() or G.is_multigraph():
        return "a graph with directions or with parallel edges"
    if weight is not None:
        return "weights"
    return nodes is None or isinstance(nodes, (list, set, tuple)) or _is_node(G, nodes) or "nodes of an unusual kind"


def _is_node(G: Any, node: Any) -> bool:
    try:
        return node in G
    except TypeError:
        return False


def _chosen(G: Graph, values: list[Any], nodes: Any) -> Any:
    """The values of these nodes, or the value of one."""
    if nodes is None:
        return dict(zip(G.nodes, values, strict=True))
    if nodes in G:
        return values[G.index[nodes]]
    return {node: values[G.index[node]] for node in nodes if node in G}


def _all(G: Graph, kernel: str, column: str) -> list[Any]:
    return G.column(kernel, column) if len(G) else []


@runs_if(_simple)
@not_implemented_for("directed")
def triangles(G: Graph, nodes: Any = None) -> Any:
    return _chosen(G, _all(G, "triangles", "count"), nodes)


@runs_if(_simple)
def clustering(G: Graph, nodes: Any = None, weight: None = None) -> Any:
    return _chosen(G, _all(G, "lcc", "lcc"), nodes)


@runs_if(_simple)
def average_clustering(G: Graph, nodes: Any = None, weight: None = None, count_zeros: bool = True) -> float:
    found = _chosen(G, _all(G, "lcc", "lcc"), list(G.nodes) if nodes is None else nodes)
    counted = [value for value in found.values() if count_zeros or value > 0]
    return float(sum(counted)) / len(counted)


@runs_if(_simple)
def transitivity(G: Graph) -> float:
    """Three times the triangles over the pairs of edges that meet."""
    if not len(G):
        return 0
    degrees = G.column("degree", "out_degree")
    for node in G.loops():
        degrees[node] -= 1
    closed, pairs = sum(G.column("triangles", "count")), sum(d * (d - 1) // 2 for d in degrees)
    return closed / pairs if closed else 0


def _undirected(G: Any) -> bool | str:
    return not G.is_directed() or "a graph with directions, of which networkx counts both"


@runs_if(_undirected)
@not_implemented_for("multigraph")
def core_number(G: Graph) -> dict[Node, int]:
    if len(G) and G.has_loops:
        raise nx.NetworkXNotImplemented(
            "Input graph has self loops which is not permitted; remove them by"
            " G.remove_edges_from(nx.selfloop_edges(G))."
        )
    return dict(zip(G.nodes, _all(G, "kcore", "core"), strict=True))
