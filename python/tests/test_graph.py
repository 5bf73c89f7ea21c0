# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The statements that graph functions emit, seen by a session that only listens."""

import inspect

import pytest

from sparkgap import call, errors, graph, kernel_call, spec

# Those that take a stored graph.
KERNELS = {
    name: getattr(graph, name)
    for name in spec.names()
    if spec.load(name).family == "graph" and any(i.stored_graph for i in spec.load(name).inputs)
}
COLUMNS = dict.fromkeys(call.Call.__dataclass_fields__, 0) | {"table": "sparkgap.store.done_1", "phases": {}}


class Listener:
    """As much of a session as a call touches; `said` holds the statements and their arguments."""

    def __init__(self):
        self.said = []
        self.catalog = self

    def sql(self, query, args=None):
        self.said.append((query, args))
        return self

    def collect(self):
        return [self]

    def __getitem__(self, column):
        return "/store/app.driver/segments/done_1.5f0c/part-0.arrow"

    def asDict(self, recursive):
        return dict(COLUMNS)

    def table(self, name):
        return Frame(self)

    def dropTempView(self, name):
        pass


class Frame:
    """As much of a DataFrame."""

    def __init__(self, session):
        self.sparkSession = session

    def where(self, condition):
        return self

    def createOrReplaceTempView(self, name):
        pass


@pytest.fixture
def spark(monkeypatch):
    # Whether a session can take calls is another test's: conformance/test_doors.py.
    monkeypatch.setattr(call, "require_plugin", lambda session: session)
    return Listener()


def stored(spark):
    return graph.Graph("g", spark, n_vertices=3, n_edges=4)


def arguments(name):
    """What must be given beside the edges."""
    found = inspect.signature(KERNELS[name]).parameters.values()
    return {p.name: 5 for p in found if p.default is p.empty and p.name != "edges"}


@pytest.mark.parametrize("name", KERNELS)
def test_tables_travel_as_views(spark, name):
    KERNELS[name](Frame(spark), vertices=Frame(spark), src="a", directed=False, **arguments(name))
    query, args = spark.said[-1]
    assert query.startswith(f"CALL sparkgap.graph.{name}(edges => :edges, vertices => :vertices, ")
    assert (args["src"], args["dst"], args["directed"]) == ("a", "dst", False)
    assert args["edges"].startswith("sparkgap_") and args["edges"] != args["vertices"]
    assert "graph" not in args and "engine" not in args


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("form", ["handle", "method", "name", "table"])
def test_a_graph_travels_by_its_name(spark, monkeypatch, name, form):
    monkeypatch.setattr(kernel_call, "active", lambda: spark)
    given = arguments(name)
    if form == "method":
        getattr(stored(spark), name)(ranks=2, **given)
    else:
        first = {"handle": stored(spark), "name": "g", "table": "sparkgap.store.g"}[form]
        KERNELS[name](first, ranks=2, **given)
    query, args = spark.said[-1]
    assert query.startswith(f"CALL sparkgap.graph.{name}(graph => :graph, ")
    assert (args["graph"], args["ranks"]) == ("g", 2)
    assert not {"edges", "vertices", "src", "dst", "directed"} & set(args)
    assert all(str(args[n]) == str(v) for n, v in given.items())


@pytest.mark.parametrize("name", KERNELS)
def test_what_the_graph_was_built_with_cannot_be_given_again(spark, name):
    g, given = stored(spark), arguments(name)
    for more in ({"src": "a"}, {"dst": "a"}, {"vertices": Frame(spark)}):
        with pytest.raises(errors.ArgumentError, match=f"^{next(iter(more))}: expected nothing beside a graph, found "):
            KERNELS[name](g, **given, **more)
    KERNELS[name](g, directed=False, **given)
    assert spark.said[-1][1]["directed"] is False, "the kernel refuses it where it was built otherwise"


@pytest.mark.parametrize("first", [None, 3, "", "sparkgap.store.", ["g"]])
def test_neither_edges_nor_a_graph(first):
    with pytest.raises(errors.ArgumentError, match=r"^edges: expected a DataFrame, a Graph or the name of one, found "):
        graph.degree(first)


def test_build_and_its_handle(spark):
    g = graph.build(Frame(spark), weight="w", directed=False, name="roads", ranks=2)
    query, args = next(said for said in spark.said if "build" in said[0])
    words = ("edges", "src", "dst", "weight", "directed", "name", "ranks")
    assert query == f"CALL sparkgap.graph.build({', '.join(f'{w} => :{w}' for w in words)})"
    name, word = args["name"].split("#")
    assert args | {"edges": "", "name": name} == {
        "edges": "", "src": "src", "dst": "dst", "weight": "w", "directed": False, "name": "roads", "ranks": 2,
    }  # fmt: skip
    assert (g.name, g.directed, g.weight, g.call.table) == ("done_1", False, "w", "sparkgap.store.done_1")
    assert repr(g) == "Graph('done_1', n_vertices=0, n_edges=0, directed=False, weight='w')"
    with g as same:
        assert same is g
    assert spark.said[-1][0] == f"DROP TABLE IF EXISTS sparkgap.store.`done_1#{word}`", "that very graph"


def test_a_vertex_must_be_named(spark):
    if "bfs" in spec.names():
        with pytest.raises(errors.ArgumentError, match=r"^source: expected an id, found None"):
            graph.bfs(Frame(spark), None)
    with pytest.raises(TypeError, match="source"):
        graph.bfs(Frame(spark))


def test_all_public_names_are_there():
    assert set(KERNELS) | {"Graph", "GraphFrame", "build", "load", "rmat", "run"} == set(graph.__all__)
    assert all(hasattr(graph, name) for name in graph.__all__)
    assert all(getattr(graph.Graph, name) is function for name, function in KERNELS.items())
