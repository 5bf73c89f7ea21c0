# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""GraphFrame's methods against the signatures of the package that it follows; nothing runs."""

import inspect
import re
from pathlib import Path

import graphframes
import pytest

from sparkgap import spec
from sparkgap.errors import ArgumentError
from sparkgap.graph.graphframe import GraphFrame
from sparkgap.graph.graphframe.theirs import NAMES

OURS_ALONE = {"sssp", "bfs_levels", "localClusteringCoefficient"}
THEIRS = {name: member for name, member in vars(graphframes.GraphFrame).items() if not name.startswith("_")}
METHODS = sorted(name for name in THEIRS if name in vars(GraphFrame) and inspect.isfunction(THEIRS[name]))


def shape(function):
    return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]


def test_every_name_of_theirs_is_here_or_named_as_missing():
    assert set(THEIRS) == {name for name in vars(GraphFrame) if not name.startswith("_")} - OURS_ALONE | set(NAMES)
    assert len(METHODS) >= 15


@pytest.mark.parametrize("name", METHODS)
def test_signature(name):
    assert shape(getattr(GraphFrame, name)) == shape(THEIRS[name])


@pytest.mark.parametrize("name", sorted(n for n in THEIRS if n in vars(GraphFrame) and n not in METHODS))
def test_properties_and_constants(name):
    ours = vars(GraphFrame)[name]
    assert type(ours) is type(THEIRS[name])
    assert isinstance(ours, property) or ours == THEIRS[name]


def test_the_page_names_every_method_and_its_kernel():
    page = (Path(__file__).resolve().parents[2] / "docs" / "graphframe.md").read_text(encoding="utf-8")
    rows = [
        line.split("|")[1:]
        for line in page.split("## Methods")[1].split("\n## ")[0].splitlines()
        if line.startswith("| `")
    ]
    named = {name for row in rows for name in re.findall(r"`(\w+)", row[0])}
    assert named == {n for n in vars(GraphFrame) if not n.startswith("_") and not n.isupper()}
    assert {k for row in rows for k in re.findall(r"`(\w+)`", row[2])} <= set(spec.names())


def test_constructor():
    assert list(inspect.signature(GraphFrame).parameters) == list(inspect.signature(graphframes.GraphFrame).parameters)


class Frame:
    def __init__(self, *columns):
        self.columns = list(columns)


@pytest.mark.parametrize(
    ("v", "e", "says"),
    [
        (Frame("ID"), Frame("src", "dst"), "GraphFrame.v: expected a DataFrame with a column id, found columns ID"),
        (Frame("id"), Frame("src"), "GraphFrame.e: expected a DataFrame with a column dst, found columns src"),
        (Frame("id"), None, "GraphFrame.e: expected a DataFrame with a column src, found NoneType"),
        ([1], Frame("src", "dst"), "GraphFrame.v: expected a DataFrame with a column id, found list"),
    ],
)
def test_missing_columns(v, e, says):
    with pytest.raises(ArgumentError) as caught:
        GraphFrame(v, e)
    assert str(caught.value).startswith(says)


def test_a_graphframe_of_theirs_will_do():
    theirs = Frame()
    theirs.vertices, theirs.edges = Frame("id", "x"), Frame("src", "dst")
    g = GraphFrame(theirs)
    assert (g.vertices, g.edges, g.nodes) == (theirs.vertices, theirs.edges, theirs.vertices)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda g: g.pageRank(), "GraphFrame.pageRank: expected one of maxIter and tol, found none"),
        (lambda g: g.pageRank(maxIter=1, tol=0.1), "GraphFrame.pageRank: expected one of maxIter and tol, found both"),
        (lambda g: g.parallelPersonalizedPageRank(maxIter=1), "GraphFrame.parallelPersonalizedPageRank.sourceIds: "),
        (lambda g: g.parallelPersonalizedPageRank(sourceIds=[1]), "GraphFrame.parallelPersonalizedPageRank.maxIter: "),
        (lambda g: g.connectedComponents(algorithm="x"), "GraphFrame.connectedComponents.algorithm: expected one of "),
        (lambda g: g.connectedComponents("graphx", max_iter=3), "GraphFrame.connectedComponents.max_iter: "),
        (lambda g: g.labelPropagation(3, "x"), "GraphFrame.labelPropagation.algorithm: "),
        (lambda g: g.shortestPaths([]), "GraphFrame.shortestPaths.landmarks: "),
        (lambda g: g.bfs("a", "b", maxPathLength=-1), "GraphFrame.bfs.maxPathLength: "),
        (lambda g: g.triangleCount(None, "x"), "GraphFrame.triangleCount.algorithm: "),
    ],
)
def test_refusals_come_before_any_work(call, says):
    with pytest.raises(ArgumentError) as caught:
        call(GraphFrame(Frame("id"), Frame("src", "dst")))
    assert str(caught.value).startswith(says)


def test_what_has_no_native_form_goes_to_theirs(monkeypatch):
    g = GraphFrame(Frame("id"), Frame("src", "dst"))
    monkeypatch.setattr(
        graphframes, "GraphFrame", lambda v, e: type("Theirs", (), {"find": lambda self, pattern: (v, e, pattern)})()
    )
    assert g.find("(a)-[]->(b)") == (g.vertices, g.edges, "(a)-[]->(b)")
    monkeypatch.setitem(__import__("sys").modules, "graphframes", None)
    with pytest.raises(ArgumentError, match=r"^GraphFrame.find: expected the package graphframes-py and its jar"):
        g.find("(a)-[]->(b)")
    with pytest.raises(AttributeError):
        _ = g.nothing_of_the_kind
