# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What runs: each workload is a function of a module here, with the kind of its input.

The modules import Spark, and run in applications of their own; this file does not.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...spec import JAR
from .. import mapreduce

_PEERS = JAR.resolve().with_name("sparkgap-peers.jar")


@dataclass(frozen=True)
class Workload:
    """`kind` is that of its input (`sparkgap.lab.inputs`), `engines` those that can do it."""

    module: str
    kind: str
    engines: tuple[str, ...] = ("spark",)
    iterations: int = 1
    needs_sparkgap: bool = False


_BOTH = ("spark", "sparkgap")
_TEXT = ("spark", "mapreduce")
_MOVED = (*_BOTH, "moves")
NAMES = {
    "wordcount": Workload("text", "text", _TEXT),
    "grep": Workload("text", "text", _TEXT),
    "sort": Workload("text", "text", _TEXT),
    "terasort": Workload("text", "records"),
    "naivebayes": Workload("learning", "reviews", _BOTH),
    "kmeans": Workload("learning", "vectors", _BOTH, 4),
    "pagerank": Workload("graph", "edges", (*_MOVED, "optspark"), 20, True),
    "components": Workload("graph", "edges", _BOTH, 1, True),
    "cdlp": Workload("graph", "edges", _BOTH, 10, True),
    "sssp": Workload("graph", "edges", (*_BOTH, "optspark"), 1, True),
    "graphload": Workload("graph", "edgelist", ("sparkgap",), 1, True),
    "lda": Workload("learning", "text", _MOVED, 10),
    "cpd": Workload("tensor", "tensor", _MOVED, 22),
    "linreg": Workload("learning", "vectors", _BOTH, 10),
    "logreg": Workload("learning", "vectors", _BOTH, 10),
}


def has_moment(name: str) -> bool:
    """Whether it says when all is computed, so that a fault can strike then."""
    return NAMES[name].module == "graph"


def lacks(name: str, engine: str) -> str | None:
    """Why an engine cannot do it."""
    if engine not in NAMES[name].engines:
        return f"{engine} has no {name}"
    if engine == "mapreduce" and mapreduce.examples() is None:
        return "Hadoop's examples are in no place of HADOOP_HOME"
    is_peer = engine in ("optspark", "moves") or (NAMES[name].module == "graph" and engine == "spark")
    if is_peer and not _PEERS.is_file():
        return f"{engine}'s side of it is a jar of sparkgap's source tree"
    return None
