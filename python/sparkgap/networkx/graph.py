# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Graphs of networkx as the kernels take them, and back."""

from __future__ import annotations

import math
from array import array
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

import networkx as nx
import pyarrow as pa
import pyarrow.compute as pc

from .. import local

Node = Hashable
EXACT = 1 << 53  # the integers that a double holds


@dataclass(frozen=True)
class Weights:
    """An edge attribute, arc by arc; `whole` where all values are integers, as distances are then."""

    values: array[float]
    whole: bool

    @property
    def alike(self) -> bool:
        """Whether all weigh the same, and something."""
        return len(set(self.values)) == 1 and self.values[0] > 0


@dataclass
class Graph:
    """A graph whose nodes have numbers: arcs in the order of networkx' adjacency, both directions of an edge without
    one, a loop once.

    What kernels read of it is built at the first call that needs it, lies in the store's memory, and goes with it.
    """

    nodes: list[Node]
    index: dict[Node, int]
    src: array[int]
    dst: array[int]
    weights: dict[str, Weights]
    directed: bool
    multigraph: bool
    _built: dict[tuple[str | None, bool], local.Graph] = field(default_factory=dict, repr=False)

    __networkx_backend__ = "sparkgap"

    def is_directed(self) -> bool:
        return self.directed

    def is_multigraph(self) -> bool:
        return self.multigraph

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __contains__(self, node: object) -> bool:
        try:
            return node in self.index
        except TypeError:
            return False

    @property
    def has_loops(self) -> bool:
        return bool(self.loops())

    def loops(self) -> list[int]:
        """The number of each node, once for each loop at it."""
        src, dst = _column(self.src), _column(self.dst)
        found: list[int] = src.filter(pc.equal(src, dst)).to_pylist()
        return found

    def usable_weights(self, name: str) -> Weights:
        """The values of an edge attribute as kernels take them.

        Raises
        ------
        NotImplementedError
            It was not converted with the graph, or one is negative or not finite.
        """
        found = self.weights.get(name)
        if found is None:
            raise NotImplementedError(f"edge attribute {name!r}, with which the graph was not converted")
        if not all(map(math.isfinite, found.values)) or min(found.values, default=0) < 0:
            raise NotImplementedError("weights that are negative or not finite")
        return found

    def built(self, weight: str | None = None, *, reverse: bool = False) -> local.Graph:
        """The graph in the store; `reverse`: with all arcs turned round."""
        known = (weight, reverse)
        if known not in self._built:
            ends = (self.dst, self.src) if reverse else (self.src, self.dst)
            edges = {name: _column(end) for name, end in zip(("src", "dst"), ends, strict=True)}
            if weight is not None:
                edges["weight"] = pa.array(memoryview(self.weights[weight].values), pa.float64())
            vertices = {"id": pa.array(range(len(self.nodes)), pa.int64())}
            name = None if weight is None else "weight"
            self._built[known] = local.build(edges, vertices=vertices, weight=name, progress=False)
        return self._built[known]

    def column(self, kernel: str, name: str, *, weight: str | None = None, reverse: bool = False, **given: Any) -> Any:
        """A column of a kernel's result as a list, in the order of the nodes."""
        weighted = {} if weight is None else {"weight": "weight"}
        found = getattr(self.built(weight, reverse=reverse), kernel)(progress=False, **weighted, **given)
        return found[name].take(pc.sort_indices(found["id"])).to_pylist()


def convert_from_nx(
    graph: Any, *, edge_attrs: Mapping[str, Any] | None = None, preserve_edge_attrs: bool = False, **_: Any
) -> Graph:
    """What networkx calls before a function of ours; it keeps the result beside the graph until that changes.

    Raises
    ------
    NotImplementedError
        An edge attribute that is to be read is no number, which sends the call to another backend.
    """
    if isinstance(graph, Graph):
        return graph
    nodes = list(graph)
    index = {node: number for number, node in enumerate(nodes)}
    multigraph = graph.is_multigraph()
    src, dst = array("q"), array("q")
    for node, neighbours in graph.adjacency():
        ends = [n for n, edges in neighbours.items() for _ in edges] if multigraph else list(neighbours)
        dst.extend(map(index.__getitem__, ends))
        src.extend(repeat(index[node], len(ends)))
    wanted = dict(edge_attrs or {})
    if preserve_edge_attrs:
        wanted |= {name: 1 for data in _data(graph) for name in data if isinstance(data[name], (int, float))}
    weights = {name: _weights(name, _data(graph), default) for name, default in wanted.items()}
    return Graph(nodes, index, src, dst, weights, graph.is_directed(), multigraph)


def convert_to_nx(result: Any, **_: Any) -> Any:
    """A graph of ours as one of networkx; all else as it is."""
    if not isinstance(result, Graph):
        return result
    kinds = {(0, 0): nx.Graph, (1, 0): nx.DiGraph, (0, 1): nx.MultiGraph, (1, 1): nx.MultiDiGraph}
    made = kinds[int(result.directed), int(result.multigraph)]()
    made.add_nodes_from(result.nodes)
    for arc, (u, v) in enumerate(zip(result.src, result.dst, strict=True)):
        if result.directed or u <= v:
            data = {name: _as_given(w.values[arc], whole=w.whole) for name, w in result.weights.items()}
            made.add_edge(result.nodes[u], result.nodes[v], **data)
    return made


def _data(graph: Any) -> Iterator[Mapping[str, Any]]:
    """The attributes of each arc, in the order of the arcs."""
    for _, neighbours in graph.adjacency():
        for data in neighbours.values():
            yield from data.values() if graph.is_multigraph() else (data,)


def _weights(name: str, edges: Iterable[Mapping[str, Any]], default: Any) -> Weights:
    given = [data.get(name, default) for data in edges]
    whole = all(isinstance(value, int) for value in given)
    try:
        values = array("d", map(float, given))
    except (TypeError, ValueError, OverflowError):
        raise NotImplementedError(f"edge attribute {name!r} that is not a number everywhere") from None
    if whole and any(abs(value) > EXACT for value in given):
        raise NotImplementedError(f"edge attribute {name!r} with integers beyond 2^53")
    return Weights(values, whole)


def _as_given(value: float, *, whole: bool) -> float:
    return int(value) if whole else value


def _column(numbers: array[int]) -> pa.Array:
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(numbers)])
