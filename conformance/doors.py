# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Every public name of sparkgap: how it is called, or why it needs no session. Run as a script it goes to every door of
sessions that cannot let it in.

python doors.py classic|connect      # prints a JSON object: state of the session -> name -> [class of the exception,
its text]
"""

import contextlib
import importlib
import inspect
import json
import os
import signal
import sys
import types
from types import SimpleNamespace

import sparkgap
from sparkgap import spec as specs
from sparkgap.graph import kernels
from sparkgap.ml import classification, clustering, regression  # noqa: F401 - their estimators are called
from sparkgap.ml.native_estimator import NativeEstimator

# Names that ask nothing of a session, or take whatever session Spark gives them.
NO_SESSION = {
    "sparkgap": {
        "ArgumentError",
        "Call",
        "DataError",
        "InternalError",
        "LaunchError",
        "ResourceError",
        "SparkGapError",
        "__version__",
        "doctor",
        "last_call",
        "configure",
        "install",
        "settings_for",
        "uninstall",
    },
    "sparkgap.accelerate": {"Decision", "Report", "install", "report", "uninstall"},
    "sparkgap.Call": {"as_table", "show"},
    "sparkgap.mpi": {"Result"},
    # What Spark itself makes of the user's two DataFrames.
    "sparkgap.graph.GraphFrame": {
        "ID",
        "SRC",
        "DST",
        "EDGE",
        "WEIGHT",
        "vertices",
        "nodes",
        "edges",
        "triplets",
        "cache",
        "persist",
        "unpersist",
        "filterVertices",
        "filterEdges",
        "dropIsolatedVertices",
        "as_undirected",
        "as_reversed",
    },
    # A model is its own tables: no native ranks.
    "sparkgap.tensor.CPD": {"setParams"},
    "sparkgap.tensor.CPDModel": {"lambdas", "fit", "factors", "save", "load"},
}
PARTS = [
    "sparkgap",
    "sparkgap.graph",
    "sparkgap.ml",
    "sparkgap.ml.classification",
    "sparkgap.ml.clustering",
    "sparkgap.ml.regression",
    "sparkgap.mpi",
    "sparkgap.store",
    "sparkgap.tensor",
]
# What GraphFrame's methods must be given, by parameter.
OF_METHODS = {"maxIter": 2, "sourceIds": [1], "landmarks": [1], "fromExpr": "id = 1", "toExpr": "id = 2"}
OF_METHODS |= {"storage_level": None, "source": 1, "weightCol": "src"}
# Columns of the rows that are given, by parameter; a kernel that takes words takes them rather than vectors.
COLUMNS = {"doc": "src", "word": "dst", "features": ["src"], "label": "dst", "modes": ["src", "dst"], "value": "dst"}


def public():
    """All public names: of each part, and of its classes that do something."""
    for part in PARTS:
        module = importlib.import_module(part)
        own = [
            n
            for n, o in vars(module).items()
            if not n.startswith("_") and getattr(o, "__module__", None) == part and callable(o)
        ]
        for name in getattr(module, "__all__", own):
            found = getattr(module, name)
            if isinstance(found, types.ModuleType):
                continue
            yield part, name
            if inspect.isclass(found) and not issubclass(found, Exception) and name != "Result":
                derived = vars(kernels.KernelMethods) if issubclass(found, kernels.KernelMethods) else {}
                for member in {**derived, **vars(found)}:
                    if not member.startswith("_") and (
                        callable(getattr(found, member))
                        or isinstance(vars(found).get(member), property)
                        or member.isupper()
                    ):
                        yield f"{part}.{name}", member


def arguments(spec):
    """What a kernel must be given beside its main input, and columns that this has."""
    names = {p.name for p in spec.parameters if p.of == "data"}
    given = {name: COLUMNS[name] for name in COLUMNS if name in names and not (name == "features" and "word" in names)}
    return given | {p.name: 1 for p in spec.parameters if p.required}


def calls():
    """By full name: what calls it, given `spark` and some DataFrames of it."""
    graph, mpi, store, tensor = sparkgap.graph, sparkgap.mpi, sparkgap.store, sparkgap.tensor
    found = {
        "sparkgap.session": lambda on: sparkgap.session(),
        "sparkgap.graph.Graph": None,
        "sparkgap.graph.GraphFrame": None,
        "sparkgap.graph.build": lambda on: graph.build(on.edges),
        "sparkgap.graph.load": lambda on: graph.load("web", spark=on.spark),
        "sparkgap.graph.run": lambda on: graph.run("/bin/true", on.edges),
        "sparkgap.mpi.run": lambda on: mpi.run("true", inputs={"t": on.edges}),
        "sparkgap.store.publish": lambda on: store.publish(on.edges, "doors"),
        "sparkgap.store.ls": lambda on: store.ls(spark=on.spark),
        "sparkgap.store.stat": lambda on: store.stat("t", spark=on.spark),
        "sparkgap.store.rm": lambda on: store.rm("t", spark=on.spark),
        "sparkgap.store.sweep": lambda on: store.sweep(spark=on.spark),
        "sparkgap.tensor.CPD": lambda on: tensor.CPD(modes=["src", "dst"], value="dst").fit(on.edges),
        "sparkgap.tensor.CPDModel": None,
    }
    for spec in map(specs.load, specs.names()):
        if not spec.makes_graph:
            function, rest = getattr(getattr(sparkgap, spec.family), spec.name), arguments(spec)
            found[f"sparkgap.{spec.family}.{spec.name}"] = lambda on, call=function, spec=spec, rest=rest: (
                call(on.edges, **rest) if spec.inputs else call(spark=on.spark)
            )
        if any(i.stored_graph for i in spec.inputs):
            found[f"sparkgap.graph.Graph.{spec.name}"] = lambda on, name=spec.name, rest=rest: getattr(
                on.graph(), name
            )(**rest)
    found["sparkgap.graph.Graph.drop"] = lambda on: on.graph().drop()
    found["sparkgap.graph.Graph.vertices"] = lambda on: on.graph().vertices
    for name, method in inspect.getmembers(sparkgap.graph.GraphFrame, inspect.isfunction):
        if not name.startswith("_") and name not in NO_SESSION["sparkgap.graph.GraphFrame"]:
            given = {p: OF_METHODS[p] for p in inspect.signature(method).parameters if p in OF_METHODS}
            found[f"sparkgap.graph.GraphFrame.{name}"] = lambda on, name=name, given=given: getattr(on.frame, name)(
                **given
            )
    for name in ("degrees", "inDegrees", "outDegrees"):
        found[f"sparkgap.graph.GraphFrame.{name}"] = lambda on, name=name: getattr(on.frame, name)
    for cls in NativeEstimator.__subclasses__():
        path = f"{cls.__module__}.{cls.__name__}"
        found[path] = lambda on, cls=cls: cls().fit(on.edges)
        found[f"{path}.load"] = lambda on, cls=cls: cls.load("/none")
    return found


def visit(on, only=None):
    """What each call raises; what raises nothing is told of, too. Where no session is to run afterwards none is asked
    for.
    """
    said = {}
    for name, call in calls().items():
        if (
            call is not None
            and (only is None or name in only)
            and (name != "sparkgap.session" or (only is None and on.spark is not None and not on.stopped))
        ):
            try:
                said[name] = ["nothing", repr(call(on))[:80]]
            except BaseException as e:
                said[name] = [
                    (
                        type(e).__name__
                        if isinstance(e, sparkgap.SparkGapError)
                        else f"{type(e).__module__}.{type(e).__name__}"
                    ),
                    str(e),
                ]
    return said


class Told(dict):
    """Says all that it holds whenever something is added, so that a script that is killed has said how far it came."""

    def __setitem__(self, state, said):
        super().__setitem__(state, said)
        print("\n" + json.dumps(self), flush=True)


def given(spark):
    edges = spark.createDataFrame([(1, 2), (2, 1)], "src bigint, dst bigint")
    vertices = edges.selectExpr("src AS id")
    graph = lambda: sparkgap.graph.Graph("web", spark, n_vertices=2, n_edges=2)  # noqa: E731
    return SimpleNamespace(
        stopped=False, spark=spark, edges=edges, frame=sparkgap.graph.GraphFrame(vertices, edges), graph=graph
    )


def main(mode):
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "localhost",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "1g",
    }
    found = Told()

    def start_plain():
        builder = (
            SparkSession.builder.master("local[1]") if mode == "classic" else SparkSession.builder.remote("local[1]")
        )
        for key, value in settings.items():
            builder = builder.config(key, value)
        return builder.getOrCreate()

    own = [
        name
        for name in calls()
        if name.endswith((".load", ".rmat")) or (name.startswith("sparkgap.store.") and "publish" not in name)
    ]
    found["nothing runs"] = visit(SimpleNamespace(spark=None), own)
    on = given(start_plain())
    found["plain"] = visit(on)
    on.spark.stop()
    on.stopped = True
    found["stopped"] = visit(on)
    where = {"master": "local[1]"} if mode == "classic" else {"remote": "local[1]"}
    spark = sparkgap.session(**where, conf=settings)
    on = given(spark)
    found["after it"] = {"count": sparkgap.graph.pagerank(on.edges).count()}
    if mode == "connect":  # which would try each call for ten minutes
        from pyspark.sql.connect.client.retries import DefaultPolicy

        spark.client.set_retry_policies([DefaultPolicy(max_retries=1, initial_backoff=10)])
    pid = SparkContext._gateway.jvm.java.lang.ProcessHandle.current().pid()
    os.kill(pid, signal.SIGKILL)
    on.stopped = True
    found["killed"] = visit(on)
    spark = sparkgap.session(**where, conf=settings)
    found["once more"] = {"count": sparkgap.graph.pagerank(given(spark).edges).count()}
    with contextlib.suppress(Exception):
        spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
