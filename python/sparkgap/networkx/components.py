# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Connected components, weak and strong."""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx
from networkx.utils import not_implemented_for

from .graph import Graph, Node


def _groups(G: Graph, kernel: str) -> list[set[Node]]:
    """The components in the order of their first nodes."""
    found: dict[int, set[Node]] = {}
    for node, component in zip(G.nodes, G.column(kernel, "component") if len(G) else [], strict=True):
        found.setdefault(component, set()).add(node)
    return list(found.values())


def _is_one(G: Graph, kernel: str) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return len(set(G.column(kernel, "component"))) == 1


@not_implemented_for("directed")
def connected_components(G: Graph) -> Iterator[set[Node]]:
    return iter(_groups(G, "components"))


@not_implemented_for("directed")
def number_connected_components(G: Graph) -> int:
    return len(_groups(G, "components"))


@not_implemented_for("directed")
def is_connected(G: Graph) -> bool:
    return _is_one(G, "components")


@not_implemented_for("undirected")
def weakly_connected_components(G: Graph) -> Iterator[set[Node]]:
    return iter(_groups(G, "components"))


@not_implemented_for("undirected")
def number_weakly_connected_components(G: Graph) -> int:
    return len(_groups(G, "components"))


@not_implemented_for("undirected")
def is_weakly_connected(G: Graph) -> bool:
    return _is_one(G, "components")


@not_implemented_for("undirected")
def strongly_connected_components(G: Graph) -> Iterator[set[Node]]:
    return iter(_groups(G, "scc"))


@not_implemented_for("undirected")
def number_strongly_connected_components(G: Graph) -> int:
    return len(_groups(G, "scc"))


@not_implemented_for("undirected")
def is_strongly_connected(G: Graph) -> bool:
    return _is_one(G, "scc")
