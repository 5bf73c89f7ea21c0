# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""PageRank, and degrees as centralities."""

from __future__ import annotations

from typing import Any

import networkx as nx
from networkx.utils import not_implemented_for

from ..call import last_call
from .applicability import runs_if
from .graph import Graph, Node

_MOST_STEPS = 1000  # of which the kernel says how far they went


def _plain_walk(
    G: Any,
    alpha: Any = 0.85,
    personalization: Any = None,
    max_iter: Any = 100,
    tol: Any = 1e-6,
    nstart: Any = None,
    weight: Any = "weight",
    dangling: Any = None,
) -> bool | str:
    if nstart is not None or dangling is not None:
        return "nstart or dangling"
    if not 0 <= alpha <= 1 or tol <= 0 or max_iter > _MOST_STEPS:
        return f"alpha outside of [0, 1], a tolerance of nothing, or more than {_MOST_STEPS} steps"
    if personalization is not None:
        shares = {value for node, value in personalization.items() if node in G and value != 0}
        return (len(shares) == 1 and min(shares) > 0) or "personalization that differs from node to node"
    return weight is None or isinstance(weight, str) or "a weight that is a function"


@runs_if(_plain_walk)
def pagerank(
    G: Graph,
    alpha: float = 0.85,
    personalization: dict[Node, float] | None = None,
    max_iter: int = 100,
    tol: float = 1.0e-6,
    nstart: None = None,
    weight: str | None = "weight",
    dangling: None = None,
) -> dict[Node, float]:
    """As networkx stops: when all changes together are less than nodes * tol, or with an error after max_iter steps."""
    if not len(G):
        return {}
    if max_iter < 1:
        raise nx.PowerIterationFailedConvergence(max_iter)
    of = None if weight is None else G.usable_weights(weight)
    given: dict[str, Any] = {"weight": None if of is None or of.alike else weight}
    given |= {"damping": alpha, "variant": "ldbc"}
    if personalization is not None:
        given["source_ids"] = [G.index[node] for node, share in personalization.items() if node in G and share]
    # No rank moves by more than tol where the kernel stops by itself, so networkx has stopped by then.
    ranks = G.column("pagerank", "pagerank", max_iterations=max_iter, tolerance=tol, **given)
    done = last_call()
    changes = [] if done is None else done.figures["changes"]
    steps = next((n for n, change in enumerate(changes, 1) if change < len(G) * tol), None)
    if steps is None:
        raise nx.PowerIterationFailedConvergence(max_iter)
    if steps < len(changes):
        ranks = G.column("pagerank", "pagerank", max_iterations=steps, **given)
    return dict(zip(G.nodes, ranks, strict=True))


def degree_centrality(G: Graph) -> dict[Node, float]:
    if G.directed:
        return _shares(G, G.column("degree", "degree") if len(G) > 1 else [])
    degrees = G.column("degree", "out_degree") if len(G) > 1 else []
    for node in G.loops() if degrees else ():  # a loop has both its ends there
        degrees[node] += 1
    return _shares(G, degrees)


@not_implemented_for("undirected")
def in_degree_centrality(G: Graph) -> dict[Node, float]:
    return _shares(G, G.column("degree", "in_degree") if len(G) > 1 else [])


@not_implemented_for("undirected")
def out_degree_centrality(G: Graph) -> dict[Node, float]:
    return _shares(G, G.column("degree", "out_degree") if len(G) > 1 else [])


def _shares(G: Graph, degrees: list[int]) -> dict[Node, float]:
    if len(G) <= 1:
        return dict.fromkeys(G.nodes, 1)
    share = 1.0 / (len(G) - 1.0)
    return {node: degree * share for node, degree in zip(G.nodes, degrees, strict=True)}
