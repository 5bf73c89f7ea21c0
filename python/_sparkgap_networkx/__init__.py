# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What networkx is told of its backend sparkgap.networkx whenever it is imported. So this must not import networkx; and
a package of its own spares networkx the import of sparkgap.
"""

from __future__ import annotations

from typing import Any

_SIMPLE = "graphs without directions, weights and parallel edges"
_WALK = "nstart, dangling, and personalization that differs from node to node stay networkx' own"
# The functions, and what networkx' documentation says of those that do not answer every call.
FUNCTIONS: dict[str, str | None] = {
    "average_clustering": _SIMPLE,
    "clustering": _SIMPLE,
    "connected_components": None,
    "core_number": "graphs without directions",
    "degree_centrality": None,
    "descendants_at_distance": None,
    "in_degree_centrality": None,
    "is_connected": None,
    "is_strongly_connected": None,
    "is_weakly_connected": None,
    "number_connected_components": None,
    "number_strongly_connected_components": None,
    "number_weakly_connected_components": None,
    "out_degree_centrality": None,
    "pagerank": _WALK,
    "single_source_dijkstra_path_length": "weights that are finite, at least 0, and no function",
    "single_source_shortest_path_length": None,
    "single_target_shortest_path_length": None,
    "strongly_connected_components": None,
    "transitivity": _SIMPLE,
    "triangles": _SIMPLE,
    "weakly_connected_components": None,
}


def get_info() -> dict[str, Any]:
    """The description of the backend."""
    return {
        "backend_name": "sparkgap",
        "project": "sparkgap",
        "package": "sparkgap",
        "short_summary": "Native kernels on all cores, for graphs of 20,000 edges and more.",
        "functions": {
            name: {} if note is None else {"additional_docs": f"On all cores: {note}."}
            for name, note in FUNCTIONS.items()
        },
    }
