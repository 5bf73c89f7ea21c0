# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A backend of networkx: its functions, with its semantics, by our kernels (docs/networkx.md).

networkx finds it by entry points: `nx.pagerank(G, backend="sparkgap")`, or NETWORKX_BACKEND_PRIORITY=sparkgap.
"""

from .applicability import can_run, should_run
from .centrality import degree_centrality, in_degree_centrality, out_degree_centrality, pagerank
from .clusters import average_clustering, clustering, core_number, transitivity, triangles
from .components import (
    connected_components,
    is_connected,
    is_strongly_connected,
    is_weakly_connected,
    number_connected_components,
    number_strongly_connected_components,
    number_weakly_connected_components,
    strongly_connected_components,
    weakly_connected_components,
)
from .graph import Graph, convert_from_nx, convert_to_nx
from .paths import (
    descendants_at_distance,
    single_source_dijkstra_path_length,
    single_source_shortest_path_length,
    single_target_shortest_path_length,
)
from .suite import on_start_tests

__all__ = [
    "Graph",
    "average_clustering",
    "can_run",
    "clustering",
    "connected_components",
    "convert_from_nx",
    "convert_to_nx",
    "core_number",
    "degree_centrality",
    "descendants_at_distance",
    "in_degree_centrality",
    "is_connected",
    "is_strongly_connected",
    "is_weakly_connected",
    "number_connected_components",
    "number_strongly_connected_components",
    "number_weakly_connected_components",
    "on_start_tests",
    "out_degree_centrality",
    "pagerank",
    "should_run",
    "single_source_dijkstra_path_length",
    "single_source_shortest_path_length",
    "single_target_shortest_path_length",
    "strongly_connected_components",
    "transitivity",
    "triangles",
    "weakly_connected_components",
]
