# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The backend of networkx: its own tests through ours, results beside its own, and which calls are ours."""

import json
import os
import random
import subprocess
import sys
import textwrap

import _sparkgap_networkx
import networkx as nx
import pytest
from networkx.utils import graphs_equal

import sparkgap.networkx as ours
from sparkgap.networkx.suite import SKIPPED

# Where networkx tests the functions that are ours.
SUITE = [
    "algorithms.centrality.tests.test_degree_centrality",
    "algorithms.components.tests",
    "algorithms.link_analysis.tests",
    "algorithms.shortest_paths.tests",
    "algorithms.tests.test_cluster",
    "algorithms.tests.test_core",
    "algorithms.traversal.tests.test_bfs",
]
COUNTING = """
import atexit, collections, functools, json, os, _sparkgap_networkx, sparkgap.networkx as ours

calls = collections.Counter()


def counted(name):
    function = getattr(ours, name)

    @functools.wraps(function)
    def call(*args, **kwargs):
        calls[name] += 1
        return function(*args, **kwargs)

    setattr(ours, name, call)


for name in _sparkgap_networkx.FUNCTIONS:
    counted(name)
atexit.register(lambda: open(os.environ["CALLS"], "w").write(json.dumps(calls)))
"""


def test_its_own_tests(tmp_path):
    """Each function of ours is called by them."""
    (tmp_path / "counting.py").write_text(COUNTING)
    environment = {
        **os.environ,
        "NETWORKX_TEST_BACKEND": "sparkgap",
        "NETWORKX_FALLBACK_TO_NX": "1",
        "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]),
        "CALLS": str(tmp_path / "calls"),
    }
    options = ["-q", "-rs", "-p", "counting", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--pyargs", *(f"networkx.{place}" for place in SUITE)],
        capture_output=True,
        text=True,
        timeout=500,
        env=environment,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    said = [line for line in done.stdout.splitlines() if line.startswith("SKIPPED")]
    ours_skipped = [line for line in said if any(reason in line for reason in SKIPPED.values())]
    assert len(ours_skipped) == len(SKIPPED), said
    assert set(json.loads((tmp_path / "calls").read_text())) == set(_sparkgap_networkx.FUNCTIONS)


def drawn(seed):
    """A graph of any kind, with nodes of any kind, loops, nodes without edges, and weights."""
    rng = random.Random(seed)
    graph = rng.choice([nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])()
    nodes = [rng.choice([i, str(i), (i, "x"), i + 0.5]) for i in range(rng.choice([0, 1, 2, 9, 40]))]
    graph.add_nodes_from(nodes)
    weight = rng.choice([lambda: rng.randint(1, 9), rng.random])
    for _ in range(rng.choice([0, len(nodes), 4 * len(nodes)]) if nodes else 0):
        graph.add_edge(rng.choice(nodes), rng.choice(nodes), weight=weight())
    if nodes and rng.random() < 0.3:
        graph.add_edge(nodes[0], nodes[-1])  # without a weight
    return graph


def calls_of(graph):
    """Calls of every function, with all that it may be given."""
    nodes = list(graph)
    yield from ((name, (), {}) for name in sorted(_sparkgap_networkx.FUNCTIONS) if "single" not in name)
    for node in nodes[:2]:
        for more in ({}, {"cutoff": 1}):
            yield "single_source_shortest_path_length", (node,), more
            yield "single_target_shortest_path_length", (node,), more
            yield "single_source_dijkstra_path_length", (node,), more
        yield "single_source_dijkstra_path_length", (node,), {"weight": None}
        yield "descendants_at_distance", (node, 2), {}
        yield "pagerank", (), {"personalization": {node: 3}}
        yield "triangles", (node,), {}
        yield "clustering", (nodes[:3],), {}
    yield "pagerank", (), {"alpha": 0.5, "weight": None, "tol": 1e-9}
    yield "pagerank", (), {"max_iter": 2}
    yield "average_clustering", (), {"count_zeros": False}
    for missing in ("single_source_shortest_path_length", "single_source_dijkstra_path_length"):
        yield missing, ("nowhere",), {}


def outcome(name, graph, args, kwargs):
    """What it gives, or the class of its error, and the message of those that are networkx' own."""
    try:
        found = getattr(nx, name)(graph, *args, **kwargs)
    except (nx.NetworkXException, ZeroDivisionError, TypeError) as e:
        return type(e), str(e) if isinstance(e, nx.NetworkXPointlessConcept) else ""
    return sorted(map(sorted_set, found)) if name.endswith("_components") and "number" not in name else found


def sorted_set(nodes):
    return sorted(map(repr, nodes))


@pytest.mark.parametrize("seed", range(40))
def test_results_beside_its_own(seed, monkeypatch):
    monkeypatch.setattr(nx.config, "warnings_to_ignore", {"cache"})
    graph, answered = drawn(seed), 0
    for name, args, kwargs in calls_of(graph):
        expected = outcome(name, graph, args, kwargs)
        if isinstance(ours.can_run(name, (graph, *args), kwargs), str):
            continue
        answered += 1
        found = outcome(name, graph, args, kwargs | {"backend": "sparkgap"})
        if name == "pagerank" and isinstance(expected, dict):
            assert list(found) == list(expected)
            within = 1e-5 * len(graph) if "personalization" in kwargs else 1e-12
            assert found == pytest.approx(expected, abs=within)
        elif isinstance(expected, (dict, float)):
            assert found == pytest.approx(expected, rel=1e-12), (name, args, kwargs)
        else:
            assert found == expected, (name, args, kwargs)
    assert answered > 5


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_there_and_back(kind):
    graph = kind([("a", "b", {"weight": 2}), ("b", "c", {"weight": 3}), ("c", "c", {"weight": 1}), ("a", "c", {})])
    graph.add_node("alone")
    back = ours.convert_to_nx(ours.convert_from_nx(graph, edge_attrs={"weight": 1}))
    graph.edges[next(e for e in graph.edges if e[:2] == ("a", "c"))]["weight"] = 1
    assert graphs_equal(back, graph) and type(back) is kind


def test_which_calls_are_ours(monkeypatch):
    monkeypatch.setattr(nx.config, "warnings_to_ignore", {"cache"})
    small, large = nx.path_graph(10), nx.gnm_random_graph(2000, 25_000, seed=1)
    assert ours.should_run("pagerank", (small,), {}) == "a graph of less than 20000 edges"
    assert ours.should_run("pagerank", (large,), {}) is True
    assert ours.should_run("is_connected", (large,), {}) == "a graph that is not converted yet"
    nx.core_number(nx.Graph(large), backend="sparkgap")
    nx.core_number(large, backend="sparkgap")
    assert ours.should_run("is_connected", (large,), {}) is True
    for name, args, kwargs in (
        ("pagerank", (large,), {"nstart": {0: 1}}),
        ("pagerank", (large,), {"personalization": {0: 1, 1: 2}}),
        ("clustering", (large.to_directed(),), {}),
        ("core_number", (large.to_directed(),), {}),
        ("single_source_dijkstra_path_length", (large, 0), {"weight": lambda u, v, d: 1}),
    ):
        assert isinstance(ours.can_run(name, args, kwargs), str)
        assert getattr(nx, name)(*args, **kwargs)
    nx.set_edge_attributes(small, -1, "weight")
    with pytest.raises(NotImplementedError):
        nx.single_source_dijkstra_path_length(small, 0, backend="sparkgap")
    nx.set_edge_attributes(small, 1 << 52, "weight")
    small.__networkx_cache__.clear()
    with pytest.raises(NotImplementedError):
        nx.single_source_dijkstra_path_length(small, 0, backend="sparkgap")
    for wrong in (float("nan"), float("inf")):
        nx.set_edge_attributes(small, 1.0, "weight")
        small.edges[4, 5]["weight"] = wrong
        small.__networkx_cache__.clear()
        for call in (nx.pagerank, lambda g, backend: nx.single_source_dijkstra_path_length(g, 0, backend=backend)):
            with pytest.raises(NotImplementedError):
                call(small, backend="sparkgap")
    with pytest.raises(NotImplementedError):
        nx.pagerank(ours.convert_from_nx(small))
    nx.set_edge_attributes(small, "heavy", "weight")
    small.__networkx_cache__.clear()
    with pytest.raises(NotImplementedError):
        nx.pagerank(small, backend="sparkgap")


def test_it_is_found_by_a_variable_and_takes_large_graphs(tmp_path):
    code = """
        import sys, networkx as nx
        assert "sparkgap" not in sys.modules, "networkx starts without it"
        nx.config.warnings_to_ignore = {"cache"}
        small, large = nx.path_graph(10), nx.gnm_random_graph(3000, 25_000, seed=1)
        nx.pagerank(small)
        assert sys.modules["sparkgap"].last_call() is None
        nx.pagerank(large)
        print(sys.modules["sparkgap"].last_call().kernel)
        converted, = large.__networkx_cache__["backends"]["sparkgap"].values()
        nx.triangles(large)
        assert [converted] == list(large.__networkx_cache__["backends"]["sparkgap"].values())
        large.add_edge(0, 1)
        print(large.__networkx_cache__.get("backends"))
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=100,
        env={**os.environ, "NETWORKX_BACKEND_PRIORITY": "sparkgap"},
        cwd=tmp_path,
    )
    assert done.stdout.split() == ["pagerank", "None"], done.stderr[-2000:]
