# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""PageRank, and degrees as centralities."""

from __future__ import annotations

import math
from typing import Any

import networkx as nx
from networkx.utils import not_implemented_for

from .applicability import runs_if
from .graph import Graph, Node


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
    if not 0 <= alpha <= 1 or tol <= 0:
        return "alpha outside of [0, 1], or a tolerance of nothing"
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
    of = None if weight is None else G.weights[weight]
    if of is not None and not (of.least >= 0 and of.most < math.inf):
        raise NotImplementedError("weights that are negative or not finite")
    given: dict[str, Any] = {"weight": None if of is None or of.least == of.most > 0 else weight}
    given |= {"damping": alpha, "variant": "ldbc"}
    if personalization is not None:
        given["source_ids"] = [G.index[node] for node, share in personalization.items() if node in G and share]
    ranks = _converged(G, given, max_iter, tol)
    if ranks is None:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return dict(zip(G.nodes, ranks, strict=True))


def _converged(G: Graph, given: dict[str, Any], max_iter: int, tol: float) -> list[float] | None:
    """The ranks. No rank changes by more than tol where our kernel stops by itself, which is at least as far."""
    from ..call import last_call

    ranks: list[float] = G.column("pagerank", "pagerank", max_iterations=max_iter, tolerance=tol, **given)
    done = last_call()
    if done is not None and done.converged:
        return ranks
    before = [1 / len(G)] * len(G)
    if max_iter > 1:
        before = G.column("pagerank", "pagerank", max_iterations=max_iter - 1, **given)
    changes = math.fsum(abs(a - b) for a, b in zip(ranks, before, strict=True))
    return ranks if changes < len(G) * tol else None


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
